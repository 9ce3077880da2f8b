//! Prints the public interface of a crate, a line for each item, from what `rustdoc` says of it in
//! JSON. `ci/api.sh` compares that with what is committed.
//!
//! The functions of a trait are told where the trait is, and not again for each type that has it:
//! parallel iterators have hundreds. That the type has the trait is told.

#![forbid(unsafe_code)]

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    env,
    error::Error,
    fs,
    process::ExitCode,
};

use public_api::Builder;
use serde_json::{Map, Value};

fn main() -> ExitCode {
    let [path] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        eprintln!("usage: sumac-api RUSTDOC-JSON");
        return ExitCode::from(2);
    };
    match lines(path) {
        Ok(lines) => {
            lines.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn lines(path: &str) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let json: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    let index = json["index"].as_object().ok_or("no index of items")?;
    let (provided, implemented) = (provided(index), implemented(index));
    let api = Builder::from_rustdoc_json(path)
        .omit_blanket_impls(true)
        .build()?;
    let told = api.items().filter(|item| {
        let owner = provided.get(&item.id().0).copied();
        let elsewhere = owner.is_some() && owner != item.parent_id().map(|id| id.0);
        let told = &index[&item.id().0.to_string()]["inner"]["impl"];
        !elsewhere && !implemented.contains(&item.id().0) && says_something(told)
    });
    Ok(told.map(ToString::to_string).collect())
}

/// Whether this impl, if it is one, is no matter of course: of those that the compiler finds itself
/// there are too many, but a type that loses `Send` or `Sync` breaks programs.
fn says_something(told: &Value) -> bool {
    let name = told["trait"]["path"].as_str().unwrap_or_default();
    let found = told["is_synthetic"] == true && !["Send", "Sync"].contains(&name);
    !found && !name.ends_with("StructuralPartialEq")
}

/// The items that traits declare, and their traits.
fn provided(index: &Map<String, Value>) -> HashMap<u32, u32> {
    let of_trait = |item: &Value| {
        let declared = numbers(&item["inner"]["trait"]["items"]);
        Some((number(&item["id"])?, declared))
    };
    let traits = index.values().filter_map(of_trait);
    let pairs = traits.flat_map(|(id, items)| items.into_iter().map(move |item| (item, id)));
    pairs.collect()
}

/// The functions of traits where types implement them.
fn implemented(index: &Map<String, Value>) -> HashSet<u32> {
    let impls = index.values().map(|item| &item["inner"]["impl"]);
    let of_traits = impls.filter(|it| !it["trait"].is_null());
    let items = of_traits.flat_map(|it| numbers(&it["items"]));
    items
        .filter(|id| !index[&id.to_string()]["inner"]["function"].is_null())
        .collect()
}

fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

fn numbers(value: &Value) -> Vec<u32> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(number).collect()
}
