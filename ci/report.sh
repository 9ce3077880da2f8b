#!/usr/bin/env bash
# Makes the report of made-up results (lab/tests/data) and opens all its pages, and those of
# results/report, in a real browser, on a phone and on a desk, light and dark: nothing is wider than
# the screen, every figure is drawn, words stand out from the paper, nothing is fetched, and links
# lead to pages. No page has more than 500 kB.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v chromium >/dev/null || debian chromium || skip report "no chromium to open the page with"

out=$target/report
rm -rf "$out"
mkdir -p "$out"
build_lab
"$lab" report lab/tests/data/results.jsonl lab/tests/data/adders.jsonl --out "$out"

failed=0
fail() { echo "error: $*"; failed=1; }

# The namespace of SVG is a name, not an address.
if sed 's|http://www.w3.org/2000/svg||g' "$out"/*.html | grep -nEo '.{0,60}(https?:|src=|@import|url\(|<script).{0,60}'; then
    fail "a page refers to something outside of it"
fi
for page in "$out"/*.html results/report/*.html; do
    [[ $(stat -c %s "$page") -le 500000 ]] || fail "$page has $(stat -c %s "$page") bytes"
    for to in $(grep -o '<a href="[^"#]*' "$page" | cut -d '"' -f 2); do
        [[ -s $(dirname "$page")/$to ]] || fail "$page: no page $to"
    done
done
[[ -s $out/figures/adders-weak-scaling.svg ]] || fail "no figures of the adders"
for png in "$out"/figures/*.png; do
    [[ $(stat -c %s "$png") -gt 4000 ]] || fail "$png is nearly empty"
done

# The pages in frames as wide as screens, and what is wrong with them there, one complaint a line.
mkdir "$out/kept"
cp results/report/*.html "$out/kept"
pages=$(cd "$out" && printf '"%s",' *.html kept/*.html)
{ printf '<!doctype html><meta charset="utf-8"><script>const pages = [%s];</script>\n' "$pages"; cat <<'HTML'; } >"$out/check.html"
<meta name="color-scheme" content="light dark"><body><pre id="verdict">not finished</pre><script>
const luminance = text => {
    const [r, g, b] = text.match(/[\d.]+/g).map(Number).map(c => c / 255).map(c => c <= 0.04 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const complaints = [], facts = [];
let drawn = 0;
const check = (name, width, frame) => {
    const say = what => complaints.push(`${name}, ${width} px: ${what}`);
    const inner = frame.contentWindow, page = frame.contentDocument, style = node => inner.getComputedStyle(node);
    for (const details of page.querySelectorAll('details')) details.open = true;
    const root = page.documentElement, paper = luminance(style(page.body).backgroundColor);
    if (root.scrollWidth > root.clientWidth) say(`the page is ${root.scrollWidth} px wide`);
    const figures = page.querySelectorAll('figure svg');
    drawn += figures.length;
    for (const figure of figures) {
        const box = figure.getBoundingClientRect(), name = figure.getAttribute('aria-label');
        if (!name) say('a figure without a label');
        if (box.width < Math.min(width * 0.8, 300) || box.height < 50) say(`${name}: ${box.width} x ${box.height}`);
        if (box.right > width) say(`${name} is cut off`);
        for (const text of figure.querySelectorAll('text')) {
            const t = text.getBoundingClientRect();
            if (t.left < box.left - 1 || t.right > box.right + 1 || t.bottom > box.bottom + 1) say(`${name}: '${text.textContent.trim()}' is cut off`);
            if (t.height < 6) say(`${name}: '${text.textContent.trim()}' is ${t.height} px high`);
            if (contrast(luminance(style(text).fill), paper) < 4.5) say(`${name}: '${text.textContent.trim()}' is pale`);
        }
        for (const line of figure.querySelectorAll('path[stroke-width="4"]'))
            if (contrast(luminance(style(line).stroke), paper) < 3) { say(`${name}: a pale line, ${style(line).stroke}`); break; }
    }
    for (const table of page.querySelectorAll('table'))
        if (!table.closest('.scroll')) say('a table that does not scroll by itself');
    for (const node of page.querySelectorAll('h1, h2, h3, p, td, th, a, dd, summary')) {
        let ground = node;
        while (ground && style(ground).backgroundColor === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
        const behind = ground ? luminance(style(ground).backgroundColor) : paper;
        if (contrast(luminance(style(node).color), behind) < 4.5) say(`pale words: ${node.textContent.slice(0, 40)}`);
    }
    if (inner.performance.getEntriesByType('resource').length) say('it fetched something');
    papers.add(paper < 0.2 ? 'dark' : 'light');
};
const papers = new Set(), tasks = pages.flatMap(name => [375, 1280].map(width => [name, width]));
const next = () => {
    const task = tasks.shift();
    if (!task) {
        facts.push(`${pages.length} pages, ${drawn} figures, paper ${[...papers].join(' and ')}`);
        if (drawn < 80) complaints.push(`only ${drawn} figures`);
        document.getElementById('verdict').textContent = [...facts, ...[...new Set(complaints)].map(c => `WRONG: ${c}`), 'finished'].join('\n');
        return;
    }
    const [name, width] = task, frame = document.createElement('iframe');
    frame.style = `width:${width}px;height:800px;border:0`;
    frame.onload = () => {
        try { check(name, width, frame); } catch (error) { complaints.push(`${name}, ${width} px: ${error}`); }
        frame.remove();
        next();
    };
    frame.src = name;
    document.body.append(frame);
};
next();
</script>
HTML

browser=(chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --allow-file-access-from-files
    --user-data-dir="$out/browser" --enable-logging=stderr --virtual-time-budget=60000)
for scheme in 0:dark 1:light; do
    name=${scheme#*:}
    look=("--blink-settings=preferredColorScheme=${scheme%:*}")
    timeout 120 "${browser[@]}" "${look[@]}" --dump-dom "file://$out/check.html" >"$out/check-$name.txt" 2>"$out/check-$name.log" ||
        fail "the browser failed: $(tail -3 "$out/check-$name.log")"
    verdict=$(sed -n '/<pre id="verdict">/,/<\/pre>/p' "$out/check-$name.txt" | sed 's/.*<pre id="verdict">//; s/<\/pre>.*//')
    printf '%s:\n%s\n' "$name" "$verdict"
    grep -q '^finished' <<<"$verdict" || fail "$name: the pages were not checked"
    if grep -q '^WRONG' <<<"$verdict"; then fail "$name: see above"; fi
    grep -q "paper $name$" <<<"$verdict" || fail "$name: the paper is not $name"
    if grep -E 'CONSOLE|Refused|ERR_' "$out/check-$name.log"; then fail "$name: the browser complains"; fi
    for size in 500,3000 1280,3000; do
        timeout 60 "${browser[@]}" "${look[@]}" --window-size="$size" --screenshot="$out/$name-${size%,*}.png" \
            "file://$out/index.html" 2>/dev/null || fail "no picture of the page, $size, $name"
    done
done
exit "$failed"
