// Opens the page in a headless Chromium; `node test.mjs serve` only serves it.
//
// WALK_WEB names the module, CHROMIUM the browser.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TYPES = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
// Without these a page has no shared memory.
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

let said;
const page = new Promise((resolve) => (said = resolve));
const server = createServer(async (request, response) => {
    const name = new URL(request.url, "http://localhost").pathname.slice(1) || "index.html";
    if (name === "said") {
        let text = "";
        for await (const part of request) text += part;
        response.end();
        return said(JSON.parse(text));
    }
    const type = TYPES[name.split(".").pop()];
    const file = name === "walk_web.wasm" ? process.env.WALK_WEB : new URL(name, import.meta.url);
    try {
        const content = readFileSync(file);
        response.writeHead(200, { ...ISOLATED, "Content-Type": type ?? "text/plain" }).end(content);
    } catch {
        response.writeHead(404).end();
    }
});
await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
const address = `http://127.0.0.1:${server.address().port}/?threads=3`;
if (process.argv[2] === "serve") {
    console.log(address);
} else {
    const profile = mkdtempSync(join(tmpdir(), "chromium-"));
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`];
    const browser = spawn(process.env.CHROMIUM ?? "chromium", [...flags, address], { stdio: "ignore", detached: true });
    const late = new Promise((_, reject) => setTimeout(reject, 60_000, new Error("the page says nothing")));
    const failed = new Promise((_, reject) => browser.on("error", reject));
    try {
        const { counts, threads, error } = await Promise.race([page, late, failed]);
        console.log(`counts ${counts}, on ${threads} threads; then: ${error}`);
        assert.deepEqual(counts, [4096, 3, -1], error);
        assert.equal(threads, 3);
        assert.match(error, /the expression asks for it/);
    } finally {
        // All its processes, which write to the profile until they end.
        process.kill(-browser.pid, "SIGKILL");
        rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
    process.exit();
}
