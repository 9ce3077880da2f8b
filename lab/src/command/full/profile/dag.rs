//! A recorded program as JSON: `{"strand":ns}`, `{"series":[..]}`, `{"parallel":[first,second]}`;
//! what `lab sim` reads.

use sumac::profile::Dag;

/// The document.
pub(super) fn json(dag: &Dag) -> Vec<u8> {
    let mut text = Vec::new();
    write(dag, &mut text);
    text.push(b'\n');
    text
}

fn write(dag: &Dag, to: &mut Vec<u8>) {
    match dag {
        Dag::Strand(nanos) => to.extend(format!("{{\"strand\":{nanos}}}").bytes()),
        Dag::Series(parts) => list("series", parts.iter(), to),
        Dag::Parallel(first, second) => list("parallel", [&**first, &**second].into_iter(), to),
    }
}

fn list<'d>(name: &str, parts: impl Iterator<Item = &'d Dag>, to: &mut Vec<u8>) {
    to.extend(format!("{{\"{name}\":[").bytes());
    for (place, part) in parts.enumerate() {
        if place > 0 {
            to.push(b',');
        }
        write(part, to);
    }
    to.extend(b"]}");
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
