//! Recorded programs: nested JSON of `{"strand": ns}`, `{"series": [..]}` and
//! `{"parallel": [a, b]}`.

use serde::Deserialize;

use super::dag::{Node, Parts, units};

/// The most elements of a recording.
const MOST: usize = 1 << 24;

/// A recording as it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Text {
    Strand(f64),
    Series(Vec<Text>),
    Parallel(Box<(Text, Text)>),
}

/// A recording: elements with what is known of each.
#[derive(Debug, Default)]
pub(crate) struct Recorded(Vec<Element>);

#[derive(Debug)]
struct Element {
    parts: Parts,
    work: u64,
    joins: u64,
}

impl Recorded {
    /// Reads a recording; its root is the last element.
    pub(crate) fn read(json: &str) -> Result<(Recorded, Node), String> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let text = Text::deserialize(&mut deserializer).map_err(|why| {
            format!("not a recorded program ({why}); it nests {{\"strand\": ns}}, {{\"series\": [..]}}, {{\"parallel\": [a, b]}}")
        })?;
        let mut recorded = Recorded::default();
        let root = recorded.add(text)?;
        Ok((recorded, root))
    }

    fn add(&mut self, text: Text) -> Result<Node, String> {
        match text {
            Text::Strand(ns) if (0.0..1e15).contains(&ns) => Ok(Node::Strand(units(ns))),
            Text::Strand(ns) => Err(format!("a strand lasts from 0 to 1e15 ns, not {ns}")),
            Text::Series(list) => {
                let mut nodes = Vec::new();
                for text in list {
                    nodes.push(self.add(text)?);
                }
                let Some(mut last) = nodes.pop() else {
                    return Ok(Node::Strand(0));
                };
                while let Some(first) = nodes.pop() {
                    last = self.push(Parts::Series(first, last))?;
                }
                Ok(last)
            }
            Text::Parallel(pair) => {
                let (a, b) = *pair;
                let (a, b) = (self.add(a)?, self.add(b)?);
                self.push(Parts::Fork {
                    before: 0,
                    a,
                    b,
                    after: 0,
                })
            }
        }
    }

    fn push(&mut self, parts: Parts) -> Result<Node, String> {
        let known = |node| match node {
            Node::Recorded(i) => self.totals(i),
            Node::Strand(units) => (units, 0),
            _ => (0, 0),
        };
        let (work, joins) = match parts {
            Parts::Strand(units) => (units, 0),
            Parts::Series(a, b) | Parts::Fork { a, b, .. } => {
                let (a, b) = (known(a), known(b));
                let join = u64::from(matches!(parts, Parts::Fork { .. }));
                (a.0 + b.0, a.1 + b.1 + join)
            }
        };
        if self.0.len() >= MOST {
            return Err(format!("a recorded program has at most {MOST} elements"));
        }
        self.0.push(Element { parts, work, joins });
        Ok(Node::Recorded((self.0.len() - 1) as u32))
    }

    pub(crate) fn parts(&self, element: u32) -> Parts {
        self.0[element as usize].parts
    }

    pub(crate) fn totals(&self, element: u32) -> (u64, u64) {
        let element = &self.0[element as usize];
        (element.work, element.joins)
    }

    /// The span up to and with this element; elements come after what they consist of.
    pub(crate) fn span(&self, element: u32, join: u64) -> u64 {
        let mut spans = Vec::with_capacity(element as usize + 1);
        for Element { parts, .. } in &self.0[..=element as usize] {
            let of = |node| match node {
                Node::Recorded(i) => spans[i as usize],
                Node::Strand(units) => units,
                _ => 0,
            };
            let span = match *parts {
                Parts::Strand(units) => units,
                Parts::Series(a, b) => of(a) + of(b),
                Parts::Fork { a, b, .. } => join + of(a).max(of(b)),
            };
            spans.push(span);
        }
        spans[element as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::dag::Dag;

    #[test]
    fn a_recording_is_read_with_its_work_joins_and_span() {
        let json = r#"{"series": [{"strand": 10}, {"parallel": [{"strand": 100}, {"series":
            [{"strand": 30}, {"strand": 20.5}]}]}, {"strand": 1}]}"#;
        let (recorded, root) = Recorded::read(json).unwrap();
        let dag = Dag {
            recorded,
            ..Dag::new(root, 0.0)
        };
        assert_eq!(dag.totals(root), (units(161.5), 1));
        assert_eq!(dag.span(units(2.0)), units(113.0));
    }

    #[test]
    fn what_is_no_recording_is_told() {
        for bad in [
            "",
            "{}",
            r#"{"strand": -1}"#,
            r#"{"strand": "x"}"#,
            r#"{"parallel": [{"strand": 1}]}"#,
            r#"{"loop": []}"#,
        ] {
            assert!(Recorded::read(bad).is_err(), "{bad}");
        }
    }
}
