// Runs a program of tests that was built for wasm32-unknown-unknown. Such a program has no way to
// print, and one that panics traps: all that can be seen is whether it comes to its end.
import { readFileSync } from "node:fs";

Error.stackTraceLimit = 60;
const program = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = WebAssembly.Module.imports(program);
if (imports.length > 0) throw new Error(`there is no system to import from: ${JSON.stringify(imports)}`);
const status = new WebAssembly.Instance(program).exports.main(0, 0);
console.log(`the program came to its end with status ${status}`);
process.exit(status);
