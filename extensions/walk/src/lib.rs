//! A syntax tree walked by joins: how often a name occurs in an expression such as
//! `(let (x 1) (add x (mul x y)))`. What programs in other languages call.

#![forbid(unsafe_code)]

use std::{error, fmt};

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A name or a number.
    Atom(String),
    /// Expressions between parentheses.
    List(Vec<Expression>),
}

/// A text that is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError(String);

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for SyntaxError {}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// If parentheses do not match, or if there is not exactly one expression.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut open = vec![Vec::new()];
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        for word in spaced.split_whitespace() {
            let expression = match word {
                "(" => {
                    open.push(Vec::new());
                    continue;
                }
                ")" => Self::List(open.pop().unwrap_or_default()),
                atom => Self::Atom(atom.into()),
            };
            let Some(list) = open.last_mut() else {
                return Err(SyntaxError("a `)` too many".into()));
            };
            list.push(expression);
        }
        match (open.pop(), open.pop()) {
            (Some(mut all), None) if all.len() == 1 => Ok(all.remove(0)),
            (Some(all), None) => Err(SyntaxError(format!("{} expressions, not one", all.len()))),
            _ => Err(SyntaxError("a `)` is missing".into())),
        }
    }

    /// Counts the atoms that are `name`, with a join wherever a list can be divided.
    ///
    /// # Panics
    /// At an atom `panic!`, to show what becomes of that.
    pub fn count(&self, name: &str) -> usize {
        match self {
            Self::Atom(atom) => {
                assert_ne!(atom, "panic!", "the expression asks for it");
                usize::from(atom == name)
            }
            Self::List(list) => count_all(list, name),
        }
    }
}

fn count_all(list: &[Expression], name: &str) -> usize {
    match list {
        [] => 0,
        [one] => one.count(name),
        _ => {
            let (left, right) = list.split_at(list.len() / 2);
            let (left, right) = sumac::join(|| count_all(left, name), || count_all(right, name));
            left + right
        }
    }
}

/// Parses `text` and counts `name` in it.
///
/// # Errors
/// As [`Expression::parse`].
///
/// # Panics
/// As [`Expression::count`].
pub fn count(text: &str, name: &str) -> Result<usize, SyntaxError> {
    Ok(Expression::parse(text)?.count(name))
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn occurrences() {
        assert_eq!(count("(let (x 1) (add x (mul x y)))", "x"), Ok(3));
        assert_eq!(count("()", "x"), Ok(0));
    }

    #[test]
    fn what_is_no_expression() {
        for text in ["", "(", ")", "x y", "(x))", "((x)"] {
            assert!(count(text, "x").is_err(), "{text}");
        }
    }
}
