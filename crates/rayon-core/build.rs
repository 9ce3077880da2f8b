//! Nothing is built: cargo accepts `links` only from packages that have such a file.
#![forbid(unsafe_code)]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
