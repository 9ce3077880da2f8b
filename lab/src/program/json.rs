//! A JSON document, made at random, lists and objects of all sizes nested in each other: how long
//! is it written out, and how long after a transformation? Parallel loops within parallel loops,
//! one at every list and object. The oracle writes it out.

use serde::{Serialize, Serializer};

use super::library::{Loop, each_library, texts};
use super::random::Random;

/// A value.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(u64),
    Text(String),
    List(Vec<Value>),
    #[serde(serialize_with = "as_object")]
    Object(Vec<(String, Value)>),
}

use Value::{Bool, List, Null, Number, Object, Text};

fn as_object<S: Serializer>(parts: &[(String, Value)], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(parts.iter().map(|(key, value)| (key, value)))
}

/// Some document of about so many values.
fn some(size: usize, random: &mut Random) -> Value {
    let word = |random: &mut Random| "abcdefghijklmnop"[random.below(12) as usize..].to_string();
    if size < 2 {
        return match random.below(5) {
            0 => Null,
            1 => Bool(random.below(2) == 0),
            2 => {
                let digits = 1 + random.below(40);
                Number(random.below(1 << digits))
            }
            _ => Text(word(random)),
        };
    }
    let parts = 1 + random.below(if size > 1000 { 100 } else { 12 }) as usize;
    let objects = random.below(2) == 0;
    let all: Vec<Value> = (0..parts)
        .map(|_| some((size - 1) / parts, random))
        .collect();
    match objects {
        true => Object(all.into_iter().map(|value| (word(random), value)).collect()),
        false => List(all),
    }
}

/// The length of what has no parts.
fn scalar(value: &Value) -> usize {
    match value {
        Null | Bool(true) => 4,
        Bool(false) => 5,
        Number(number) => number.checked_ilog10().unwrap_or(0) as usize + 1,
        Text(text) => text.len() + 2,
        List(_) | Object(_) => 0,
    }
}

/// A value of which nothing is left but numbers, the others' lengths.
fn squeezed(value: &Value) -> Value {
    Number(scalar(value) as u64)
}

/// The brackets and commas of so many values.
fn around(parts: usize) -> usize {
    2 + parts.saturating_sub(1)
}

fn length(value: &Value) -> usize {
    match value {
        List(parts) => around(parts.len()) + parts.iter().map(length).sum::<usize>(),
        Object(parts) => {
            let part = |(key, value): &(String, Value)| key.len() + 3 + length(value);
            around(parts.len()) + parts.iter().map(part).sum::<usize>()
        }
        _ => scalar(value),
    }
}

fn transform(value: &Value) -> Value {
    match value {
        List(parts) => List(parts.iter().map(transform).collect()),
        Object(parts) => List(parts.iter().map(|(_, value)| transform(value)).collect()),
        _ => squeezed(value),
    }
}

fn both(value: &Value) -> u64 {
    answer(length(value), length(&transform(value)))
}

each_library! {
    fn length(value: &Value) -> usize {
        match value {
            List(parts) => around(parts.len()) + parts.par_iter().map(length).sum::<usize>(),
            Object(parts) => {
                let part = |(key, value): &(String, Value)| key.len() + 3 + length(value);
                around(parts.len()) + parts.par_iter().map(part).sum::<usize>()
            }
            _ => scalar(value),
        }
    }

    fn transform(value: &Value) -> Value {
        match value {
            List(parts) => List(parts.par_iter().map(transform).collect()),
            Object(parts) => List(parts.par_iter().map(|(_, value)| transform(value)).collect()),
            _ => squeezed(value),
        }
    }

    pub(super) fn both(value: &Value) -> u64 {
        answer(length(value), length(&transform(value)))
    }
}

fn answer(before: usize, after: usize) -> u64 {
    (before as u64) << 32 | after as u64
}

/// A document of about so many values.
pub(super) fn json(size: usize) -> Loop<Value> {
    let input = some(size, &mut Random::new());
    let written = |value: &Value| serde_json::to_string(value).map_or(0, |text| text.len());
    let expected = answer(written(&input), written(&transform(&input)));
    Loop::new(input, texts!(both), expected)
}
