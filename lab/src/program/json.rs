//! A JSON document, made at random, lists and objects of all sizes nested in each other: how long
//! is it written out, and how long after a transformation? Parallel loops within parallel loops,
//! one at every list and object. The oracle writes it out.

mod document;

use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;
use document::Value::{self, Bool, List, Null, Number, Object, Text};

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

fn both(value: &Value) -> (usize, usize) {
    (length(value), length(&transform(value)))
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

    pub(super) fn both(value: &Value) -> (usize, usize) {
        (length(value), length(&transform(value)))
    }
}

/// A document.
pub(crate) struct Json {
    root: Value,
    expected: u64,
}

impl Json {
    /// Of about so many values.
    pub(crate) fn new(size: usize) -> Json {
        let root = document::some(size);
        let (mut text, mut squeezed) = (String::new(), String::new());
        document::write(&root, &mut text);
        document::write(&transform(&root), &mut squeezed);
        Json {
            root,
            expected: answer((text.len(), squeezed.len())),
        }
    }
}

fn answer((before, after): (usize, usize)) -> u64 {
    (before as u64) << 32 | after as u64
}

impl Problem for Json {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        answer(by_library!(C => both(&self.root)))
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}
