//! A WebAssembly module of many functions, written, read and written again.
use walrus::{FunctionBuilder, Module, ValType, ir::BinaryOp};

fn main() {
    let mut module = Module::default();
    for number in 0..20_000 {
        let mut function = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
        let argument = module.locals.add(ValType::I32);
        let mut body = function.func_body();
        body.local_get(argument);
        for step in 0..60 {
            body.i32_const(number * step).binop(BinaryOp::I32Add);
            body.local_get(argument).binop(BinaryOp::I32Xor);
        }
        let function = function.finish(vec![argument], &mut module.funcs);
        module.exports.add(&format!("f{number}"), function);
    }
    let bytes = module.emit_wasm();
    let again = Module::from_buffer(&bytes).expect("it is sound").emit_wasm();
    let hash = again.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
    println!("{} {hash:x} {}", bytes.len(), bytes == again);
}
