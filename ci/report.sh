#!/usr/bin/env bash
# Documents are what the results say and have no numbers that were typed; and their page is looked
# at in a real browser, on a phone and on a desk, light and dark: nothing is wider than the screen,
# every figure is drawn, words stand out from the paper, nothing is fetched, and links lead
# somewhere.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build_lab
"$lab" report --check
command -v chromium >/dev/null || debian chromium || skip report "no chromium to open the page with"

out=$target/report
rm -rf "$out"
"$lab" report --html "$out/page.html"

failed=0
fail() { echo "error: $*"; failed=1; }

# What is wrong with the page in frames as wide as screens, one complaint a line.
cat >"$out/check.html" <<'HTML'
<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><body><pre id="verdict">not finished</pre><script>
const luminance = text => {
    const [r, g, b] = text.match(/[\d.]+/g).map(Number).map(c => c / 255).map(c => c <= 0.04 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const complaints = [], facts = [];
const check = (width, frame) => {
    const say = what => complaints.push(`${width} px: ${what}`);
    const inner = frame.contentWindow, page = frame.contentDocument, style = node => inner.getComputedStyle(node);
    const root = page.documentElement, paper = luminance(style(page.body).backgroundColor);
    if (root.scrollWidth > root.clientWidth) say(`the page is ${root.scrollWidth} px wide`);
    const figures = page.querySelectorAll('svg');
    if (figures.length < 5) say(`only ${figures.length} figures`);
    for (const figure of figures) {
        const box = figure.getBoundingClientRect(), name = figure.querySelector('text').textContent.trim();
        if (box.width < Math.min(width * 0.8, 300) || box.height < 50) say(`${name}: ${box.width} x ${box.height}`);
        for (const text of figure.querySelectorAll('text')) {
            const t = text.getBoundingClientRect();
            if (t.left < box.left - 1 || t.right > box.right + 1 || t.bottom > box.bottom + 1) say(`${name}: '${text.textContent.trim()}' is cut off`);
        }
    }
    for (const table of page.querySelectorAll('table'))
        if (!table.closest('.scroll')) say('a table that does not scroll by itself');
    for (const link of page.querySelectorAll('a[href^="#"]'))
        if (!page.getElementById(decodeURIComponent(link.hash.slice(1)))) say(`${link.hash} leads nowhere`);
    for (const node of page.querySelectorAll('h1, h2, h3, p, td, th, a, li, pre')) {
        let ground = node;
        while (ground && style(ground).backgroundColor === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
        const behind = ground ? luminance(style(ground).backgroundColor) : paper;
        if (contrast(luminance(style(node).color), behind) < 4.5) say(`pale words: ${node.textContent.slice(0, 40)}`);
    }
    if (inner.performance.getEntriesByType('resource').length) say('it fetched something');
    facts.push(`${width} px, ${figures.length} figures, paper ${paper < 0.2 ? 'dark' : 'light'}`);
};
const widths = [375, 1280];
const next = () => {
    const width = widths.shift();
    if (!width) {
        document.getElementById('verdict').textContent = [...facts, ...[...new Set(complaints)].map(c => `WRONG: ${c}`), 'finished'].join('\n');
        return;
    }
    const frame = document.createElement('iframe');
    frame.style = `width:${width}px;height:800px;border:0`;
    frame.onload = () => {
        try { check(width, frame); } catch (error) { complaints.push(`${width} px: ${error}`); }
        frame.remove();
        next();
    };
    frame.src = 'page.html';
    document.body.append(frame);
};
next();
</script>
HTML

browser=(chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --allow-file-access-from-files
    --user-data-dir="$out/browser" --enable-logging=stderr --virtual-time-budget=60000)
for scheme in 0:dark 1:light; do
    name=${scheme#*:}
    timeout 120 "${browser[@]}" "--blink-settings=preferredColorScheme=${scheme%:*}" --dump-dom "file://$out/check.html" \
        >"$out/check-$name.txt" 2>"$out/check-$name.log" || fail "the browser failed: $(tail -3 "$out/check-$name.log")"
    verdict=$(sed -n '/<pre id="verdict">/,/<\/pre>/p' "$out/check-$name.txt" | sed 's/.*<pre id="verdict">//; s/<\/pre>.*//')
    printf '%s:\n%s\n' "$name" "$verdict"
    grep -q '^finished' <<<"$verdict" || fail "$name: the page was not checked"
    if grep -q '^WRONG' <<<"$verdict"; then fail "$name: see above"; fi
    grep -q "paper $name$" <<<"$verdict" || fail "$name: the paper is not $name"
    if grep -E 'CONSOLE|Refused|ERR_' "$out/check-$name.log"; then fail "$name: the browser complains"; fi
done
exit "$failed"
