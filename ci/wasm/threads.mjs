// Runs a program of tests that was built for wasm32-wasip1-threads: WASI with one memory for all
// threads. Each of them is one of node's workers, with an instance of its own.
//
// The program runs in a worker, too: node's first thread only starts others, since it must not
// sleep, and a worker starts only once the thread that asked for it comes to rest.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { fileURLToPath } from "node:url";

// Pages of 64 KiB, as many as the program says that it may take.
const PAGES = { initial: 1024, maximum: 16384, shared: true };

function begin() {
    const [file, ...args] = process.argv.slice(2);
    const program = new WebAssembly.Module(readFileSync(file));
    const shared = { program, args: [file, ...args], memory: new WebAssembly.Memory(PAGES), last: new Int32Array(new SharedArrayBuffer(4)) };
    const start = (thread) => {
        const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { ...shared, ...thread } });
        worker.on("message", (message) => ("status" in message ? process.exit(message.status) : start(message)));
        // A trap in any thread.
        worker.on("error", (error) => {
            console.error(error);
            process.exit(134);
        });
    };
    start({ id: 0 });
}

function live({ program, args, memory, last, id, argument }) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(RUST|SUMAC)_/.test(name)));
    const wasi = new WASI({ version: "preview1", args, env, returnOnExit: false });
    const imports = wasi.getImportObject();
    imports.wasi_snapshot_preview1.proc_exit = (status) => {
        parentPort.postMessage({ status });
        // Nothing goes on after this.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    };
    const spawn = (argument) => {
        const id = Atomics.add(last, 0, 1) + 1;
        parentPort.postMessage({ id, argument });
        return id;
    };
    const { exports } = new WebAssembly.Instance(program, { ...imports, wasi: { "thread-spawn": spawn }, env: { memory } });
    // node asks for the memory among the exports, and for a function to call.
    const start = () => (id === 0 ? exports._start() : exports.wasi_thread_start(id, argument));
    wasi.start({ exports: { memory, _start: start } });
    if (id === 0) parentPort.postMessage({ status: 0 });
}

isMainThread ? begin() : live(workerData);
