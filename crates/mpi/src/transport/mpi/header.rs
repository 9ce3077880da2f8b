//! Compares bindings with the header of the standard ABI, which SUMAC_MPI_HEADER names.

use std::{env, ffi::c_int, fs};

/// An argument of a prototype in C as a type of Rust.
fn in_rust(argument: &str) -> String {
    let argument = argument.trim();
    let name = argument.rfind([' ', '*']).expect("an argument has a name") + 1;
    let (base, name) = argument.split_at(name);
    let (constant, base) = match base.trim().strip_prefix("const ") {
        Some(base) => ("*const", base),
        None => ("*mut", base.trim()),
    };
    let levels = base.matches('*').count() + name.matches('[').count();
    let base = match base.trim_end_matches('*').trim() {
        "int" => "c_int",
        "char" => "c_char",
        "void" => "c_void",
        // An address of any type of pointer.
        other => other,
    };
    [constant, " "].concat().repeat(levels) + base
}

/// Fails unless the header has these functions, each a name and the types of its arguments; these
/// handles, each a name, a type and a number; and these numbers.
pub(crate) fn compare(
    signatures: &[(&str, &[&str])],
    handles: &[(&str, &str, usize)],
    numbers: &[(&str, c_int)],
) {
    let path = env::var_os("SUMAC_MPI_HEADER").expect("SUMAC_MPI_HEADER names the header");
    let header = fs::read_to_string(path).expect("a header");
    for (name, arguments) in signatures {
        let start = format!("int {name}(");
        let mut lines = header.lines();
        let found = lines.find_map(|line| line.strip_prefix(&start)?.split(");").next());
        let found = found.unwrap_or_else(|| panic!("the header has no {name}"));
        let found: Vec<_> = match found {
            "void" => Vec::new(),
            found => found.split(',').map(in_rust).collect(),
        };
        assert_eq!(found, *arguments, "{name}");
    }
    for (name, kind, number) in handles {
        let value = format!("(({kind})0x{number:08x})");
        let mut words = header.lines().map(|line| line.split_whitespace().collect());
        let defined = words.any(|words: Vec<_>| words == ["#define", *name, &value]);
        assert!(defined, "{name} is not {value}");
    }
    for (name, number) in numbers {
        let number = number.to_string();
        let mut lines = header.lines().filter_map(|line| line.split_once('='));
        let defined = lines.any(|(left, right)| {
            let right = right.split([',', ' ', '/']).find(|word| !word.is_empty());
            left.trim() == *name && right == Some(&number)
        });
        assert!(defined, "{name} is not {number}");
    }
}
