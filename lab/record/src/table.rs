//! Tables that read well in a terminal and are Markdown as they stand, and the words for numbers.

use std::fmt;

/// A table: the first column is text, the others are numbers and go to the right.
#[derive(Clone, Debug)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows yet.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Table {
        Table {
            head: head.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// The same, the names of its columns separated by `|`.
    pub fn headed(head: &str) -> Table {
        Table::new(head.split('|'))
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Its rows.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Adds a row of as many cells as the head has.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Adds a row of a name and a cell for each of the columns, empty where there is none.
    pub fn across<C>(
        &mut self,
        name: impl ToString,
        columns: impl IntoIterator<Item = C>,
        cell: impl Fn(C) -> Option<String>,
    ) {
        let cells = columns
            .into_iter()
            .map(|column| cell(column).unwrap_or_default());
        self.row([name.to_string()].into_iter().chain(cells));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| {
            let cells = all().filter_map(|row| row.get(column));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
                .max(3)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        for (number, row) in all().enumerate() {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    write!(f, "| {cell:<width$} |")?;
                } else {
                    write!(f, " {cell:>width$} |")?;
                }
            }
            writeln!(f)?;
            if number == 0 {
                for (column, &width) in widths.iter().enumerate() {
                    let dashes = "-".repeat(width + 1);
                    if column == 0 {
                        write!(f, "|{dashes}-|")?;
                    } else {
                        write!(f, "{dashes}:|")?;
                    }
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// Nanoseconds in the unit that suits them, with three digits.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        _ if ns < 999.5 => (ns, "ns"),
        _ if ns < 999.5e3 => (ns / 1e3, "µs"),
        _ if ns < 999.5e6 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// A number with three digits.
pub fn digits(value: f64) -> String {
    match value.abs() {
        a if a >= 99.95 => format!("{value:.0}"),
        a if a >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A ratio.
pub fn ratio(value: f64) -> String {
    format!("{}×", digits(value))
}

/// So many of these.
pub fn plural(number: usize, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {what}{s}")
}

/// A number with a comma after every three digits.
pub fn grouped(number: u64) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), number % 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_markdown() {
        let mut table = Table::headed("who|µs");
        table.row(["baseline", "1.50"]);
        let expected = "| who      |   µs |\n|----------|-----:|\n| baseline | 1.50 |\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn times_find_their_unit() {
        assert_eq!(time(0.5), "0.50 ns");
        assert_eq!(time(1462.0), "1.46 µs");
        assert_eq!(time(999.6), "1.00 µs");
        assert_eq!(time(99_960.0), "100 µs");
        assert_eq!(time(64.2e6), "64.2 ms");
        assert_eq!(time(2e9), "2.00 s");
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1023), "1,023");
        assert_eq!(grouped(134_217_727), "134,217,727");
    }
}
