//! JSON values: at random, and written out.

use super::super::random::Random;

/// A value.
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(u64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

use Value::{Bool, List, Null, Number, Object, Text};

/// Some document of about so many values.
pub(super) fn some(size: usize) -> Value {
    document(size, &mut Random::new())
}

fn document(size: usize, random: &mut Random) -> Value {
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
    let mut part = || document((size - 1) / parts, random);
    if objects {
        let parts: Vec<Value> = (0..parts).map(|_| part()).collect();
        let named = parts.into_iter().map(|value| (word(random), value));
        Object(named.collect())
    } else {
        List((0..parts).map(|_| part()).collect())
    }
}

/// The document as text.
pub(super) fn write(value: &Value, text: &mut String) {
    let mut separator = "";
    match value {
        Null => text.push_str("null"),
        Bool(value) => text.push_str(&value.to_string()),
        Number(value) => text.push_str(&value.to_string()),
        Text(value) => text.push_str(&format!("\"{value}\"")),
        List(parts) => {
            text.push('[');
            for part in parts {
                text.push_str(separator);
                write(part, text);
                separator = ",";
            }
            text.push(']');
        }
        Object(parts) => {
            text.push('{');
            for (key, part) in parts {
                text.push_str(&format!("{separator}\"{key}\":"));
                write(part, text);
                separator = ",";
            }
            text.push('}');
        }
    }
}
