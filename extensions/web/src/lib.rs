//! A syntax tree walked by joins in a browser, where each thread of the pool is a Web Worker. All
//! of them have the module's memory, and an instance each (`worker.js`).

#![deny(unsafe_code)]

#[cfg(all(target_family = "wasm", target_feature = "atomics"))]
mod exports;
