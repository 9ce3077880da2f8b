//! Texts cut into the tokens of a vocabulary, many at once: threads take them from a batch while
//! the caller waits for the next one that is ready.
mod random;
use tokenizers::pipeline::EncodeOptions;

const PARTS: [&str; 12] =
    ["st", "ra", "in", "ke", "lo", "un", "der", "wa", "mo", "ti", "pe", "go"];

fn main() {
    let mut tokens = vec!["[UNK]".to_string()];
    for a in PARTS {
        tokens.extend([a.to_string(), format!("##{a}")]);
        tokens.extend(PARTS.iter().flat_map(|b| [format!("{a}{b}"), format!("##{a}{b}")]));
    }
    let vocabulary: Vec<_> = tokens.iter().zip(0..).map(|(t, i)| format!("{t:?}: {i}")).collect();
    let model = format!(
        r###"{{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null, "pre_tokenizer": {{"type": "Whitespace"}}, "post_processor": null,
        "decoder": null, "model": {{"type": "WordPiece", "unk_token": "[UNK]",
        "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
        "vocab": {{{}}}}}}}"###,
        vocabulary.join(", ")
    );
    let model = tokenizers::canonicalize_str(&model).expect("it is of an older version");
    let tokenizer = tokenizers::from_json(&model).expect("it is a model");
    let numbers: Vec<u64> = random::numbers(400_000).collect();
    let word = |n: &u64| (0..n % 5 + 1).map(|i| PARTS[(n >> (8 * i + 8)) as usize % 12]).collect();
    let words: Vec<String> = numbers.iter().map(word).collect();
    let texts: Vec<String> = words.chunks(100).map(|text| text.join(" ")).collect();
    for _ in 0..4 {
        let encoded = tokenizer.encode(texts.clone(), &EncodeOptions::no_specials()).wait();
        let encoded = encoded.expect("they are texts");
        let ids = || encoded.iter().flat_map(|text| text.ids());
        let hash = ids().fold(0, |h: u64, id| h.wrapping_mul(31).wrapping_add(id.id().into()));
        println!("{} {} {hash:x}", encoded.len(), ids().count());
    }
}
