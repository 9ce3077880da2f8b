//! The fuzzy matcher of an editor: its worker matches and sorts on a pool while words are typed.
mod random;
use nucleo::{Config, Nucleo, pattern::{CaseMatching, Normalization}};
use std::sync::Arc;

fn main() {
    let mut matcher = Nucleo::<String>::new(Config::DEFAULT, Arc::new(|| ()), None, 1);
    let injector = matcher.injector();
    for n in random::numbers(300_000) {
        let path = format!("src/{:x}/{}/module_{:x}.rs", n >> 56, n % 977, n >> 20);
        injector.push(path, |path, columns| columns[0] = path.as_str().into());
    }
    for typed in ["s", "sr", "src7", "src7m", "src7mod_1", "ab", "abc"] {
        let appends = typed.len() > 1 && !typed.starts_with("ab");
        let (case, normal) = (CaseMatching::Smart, Normalization::Smart);
        matcher.pattern.reparse(0, typed, case, normal, appends);
        while matcher.tick(10).running {}
        let snapshot = matcher.snapshot();
        let first = snapshot.matched_items(..3).map(|item| item.data.clone());
        println!("{} {:?}", snapshot.matched_item_count(), first.collect::<Vec<_>>());
    }
}
