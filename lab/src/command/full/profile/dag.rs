//! A recorded program as JSON: `{"strand":ns}`, `{"series":[..]}`, `{"parallel":[first,second]}`.

use serde_json::{Value, json as value};
use sumac::profile::Dag;

/// The document.
pub(super) fn json(dag: &Dag) -> Vec<u8> {
    format!("{}\n", of(dag)).into()
}

fn of(dag: &Dag) -> Value {
    match dag {
        Dag::Strand(nanos) => value!({ "strand": nanos }),
        Dag::Series(parts) => value!({ "series": parts.iter().map(of).collect::<Vec<_>>() }),
        Dag::Parallel(first, second) => value!({ "parallel": [of(first), of(second)] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_json() {
        let half = || Box::new(Dag::Strand(2));
        let dag = Dag::Series(vec![Dag::Strand(1), Dag::Parallel(half(), half())]);
        let text = json(&dag);
        assert_eq!(
            text,
            b"{\"series\":[{\"strand\":1},{\"parallel\":[{\"strand\":2},{\"strand\":2}]}]}\n"
        );
        let value: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(value["series"][1]["parallel"][0]["strand"], 2);
    }
}
