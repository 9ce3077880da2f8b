//! A batch of five short texts is split into tokens, a text an item.
//!
//! <https://github.com/huggingface/tokenizers/issues/148>

use std::collections::HashMap;

use super::library::prelude::*;
use crate::{Call, Case, Form, wrapping};

pub(super) const CASE: Case = Case {
    name: "batch",
    source: "huggingface/tokenizers#148",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const TEXTS: usize = 5;
const WORDS: usize = 128;
const SYLLABLES: [&str; 12] = [
    "su", "ma", "c", "fork", "join", "ing", "par", "al", "lel", "work", "er", "s",
];

struct Tokenizer {
    vocabulary: HashMap<String, u64>,
    texts: Vec<String>,
}

fn prepare(form: Form) -> Call {
    let word = |i: usize| (0..2 + i % 3).map(move |k| SYLLABLES[(i * 7 + k * 5) % 12]);
    let text = |t: usize| (0..WORDS).map(move |i| word(t * WORDS + i).collect::<String>());
    let numbered = SYLLABLES.iter().zip(1..);
    let tokenizer = Tokenizer {
        vocabulary: numbered
            .map(|(&syllable, id)| (syllable.to_owned(), id))
            .collect(),
        texts: (0..TEXTS)
            .map(|t| text(t).collect::<Vec<_>>().join(" "))
            .collect(),
    };
    form.call(
        tokenizer,
        |t| answer(t.texts.iter().map(|text| t.encode(text)).collect()),
        |t| answer(t.texts.par_iter().map(|text| t.encode(text)).collect()),
    )
}

fn answer(encoded: Vec<Vec<u64>>) -> u64 {
    wrapping(encoded.into_iter().flatten())
}

impl Tokenizer {
    /// The longest part of the vocabulary, again and again.
    fn encode(&self, text: &str) -> Vec<u64> {
        let mut tokens = Vec::new();
        for mut word in text.split(' ') {
            while !word.is_empty() {
                let mut ends = (1..=word.len().min(4)).rev();
                let known = ends.find_map(|end| Some((end, self.vocabulary.get(&word[..end])?)));
                let (end, id) = known.expect("words are made of syllables");
                tokens.push(*id);
                word = &word[end..];
            }
        }
        tokens
    }
}
