// Starts the program and its threads, and sends what becomes of it to the server.
const memory = new WebAssembly.Memory({ initial: 64, maximum: 4096, shared: true });
const module = await WebAssembly.compileStreaming(fetch("walk_web.wasm"));
const threads = Number(new URLSearchParams(location.search).get("threads") ?? navigator.hardwareConcurrency) - 1;
const said = {};
const workers = [];

const end = (what) => {
    workers.forEach((worker) => worker.terminate());
    Object.assign(said, what);
    document.body.textContent = JSON.stringify(said);
    fetch("said", { method: "POST", body: JSON.stringify(said) });
};

const start = (thread) => {
    const worker = new Worker("worker.js");
    workers.push(worker);
    worker.onmessage = ({ data }) => ("thread" in data ? start(data) : Object.assign(said, data.result));
    // A panic ends its thread. Whatever waits for that thread would wait for ever.
    worker.onerror = (error) => end({ error: error.message });
    worker.postMessage({ module, memory, ...thread });
};
try {
    start({ threads });
} catch (error) {
    end({ error: error.message }); // without the headers that `test.mjs` sends, say
}
