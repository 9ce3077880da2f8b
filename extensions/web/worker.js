// A thread: an instance of the module on the memory that all threads share. The first one is the
// program: it builds the pool and calls it. A page itself may not sleep, so it is no thread of a
// pool; but it is never busy, so it starts the others when the first one asks for them.
const STACK = 1 << 20;

const live = ({ module, memory, thread, stack, locals, threads }) => {
    const env = {
        memory,
        milliseconds: () => performance.timeOrigin + performance.now(),
        // A stack and thread-locals of its own: the new instance begins with those of the first.
        start: (thread) => {
            const stack = allocate(STACK, 16) + STACK;
            const locals = allocate(Math.max(__tls_size.value, 1), __tls_align.value);
            postMessage({ thread, stack, locals });
        },
        // Decoders read no shared memory: `slice` copies.
        fail: (place, length) => {
            throw new Error(new TextDecoder().decode(new Uint8Array(memory.buffer).slice(place, place + length)));
        },
    };
    const { exports } = new WebAssembly.Instance(module, { env });
    const { allocate, __tls_size, __tls_align } = exports;
    if (thread) {
        exports.__stack_pointer.value = stack;
        exports.__wasm_init_tls(locals);
        exports.run(thread);
        return;
    }
    const count = (text) => {
        const bytes = new TextEncoder().encode(text);
        const place = allocate(bytes.length, 1);
        new Uint8Array(memory.buffer).set(bytes, place);
        return exports.count(place, bytes.length);
    };
    if (!exports.build(threads)) {
        throw new Error("no pool");
    }
    const tree = (depth) => (depth ? `(${tree(depth - 1)} ${tree(depth - 1)})` : "x");
    const result = { counts: [count(tree(12)), count("(let (x 1) (add x (mul x y)))"), count("(x")] };
    result.threads = exports.threads(threads + 1, 20_000);
    postMessage({ result });
    // Wherever this is run, it ends in an error of a worker, which the page hears of.
    count(`(${tree(12)} panic!)`);
};

onmessage = ({ data }) => live(data);
