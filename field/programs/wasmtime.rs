//! A module of functions of straight arithmetic, translated function by function.
mod random;
use wasmtime::{Config, Engine};

/// An unsigned number, seven bits a byte.
fn leb(mut n: u64, to: &mut Vec<u8>) {
    while n >= 128 {
        to.push(n as u8 | 128);
        n >>= 7;
    }
    to.push(n as u8);
}

fn section(id: u8, content: &[u8], to: &mut Vec<u8>) {
    to.push(id);
    leb(content.len() as u64, to);
    to.extend(content);
}

/// Bodies that apply additions, products and exclusive ors to their argument and constants.
fn module(functions: u64, steps: u64) -> Vec<u8> {
    let (mut types, mut bodies) = (Vec::new(), Vec::new());
    leb(functions, &mut types);
    leb(functions, &mut bodies);
    let mut numbers = random::numbers(functions * steps);
    for _ in 0..functions {
        types.push(0);
        // No locals; the argument.
        let mut body = vec![0, 0x20, 0];
        for number in numbers.by_ref().take(steps as usize) {
            match number % 4 {
                0 => body.extend([0x20, 0]),
                _ => body.extend([0x42, (number >> 8) as u8 & 63]),
            }
            body.push([0x7c, 0x7e, 0x85][(number >> 20) as usize % 3]);
        }
        body.push(0x0b);
        leb(body.len() as u64, &mut bodies);
        bodies.extend(body);
    }
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    // One type: from i64 to i64.
    section(1, &[1, 0x60, 1, 0x7e, 1, 0x7e], &mut module);
    section(3, &types, &mut module);
    section(10, &bodies, &mut module);
    module
}

fn main() {
    let engine = Engine::new(&Config::new()).expect("this machine");
    let code = engine.precompile_module(&module(2_000, 300)).expect("a module");
    let hash = code.iter().fold(0, |h: u64, &b| h.wrapping_mul(31).wrapping_add(b.into()));
    println!("{} bytes, {hash:x}", code.len());
}
