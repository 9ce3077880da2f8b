//! Style sheets that import others, parsed side by side, joined, made small and printed.
use lightningcss::bundler::{Bundler, ResolveResult, SourceProvider};
use lightningcss::printer::PrinterOptions;
use lightningcss::stylesheet::{MinifyOptions, ParserOptions};
use std::{collections::HashMap, convert::Infallible, path::Path};

struct Sheets(HashMap<String, String>);

impl SourceProvider for Sheets {
    type Error = Infallible;

    fn read<'a>(&'a self, file: &Path) -> Result<&'a str, Infallible> {
        Ok(&self.0[file.to_str().expect("it is a name")])
    }

    fn resolve(&self, specifier: &str, _: &Path) -> Result<ResolveResult, Infallible> {
        Ok(ResolveResult::File(specifier.into()))
    }
}

/// A sheet that imports up to five others, and has rules of its own.
fn sheet(number: usize, count: usize) -> String {
    let imports = (5 * number + 1..5 * number + 6).filter(|n| *n < count);
    let mut text: String = imports.map(|n| format!("@import \"s{n}.css\";\n")).collect();
    for rule in 0..60 {
        let (red, size) = (number * rule % 256, rule % 40 + 1);
        text += &format!(
            ".part{number} > a.item{rule}:hover, #id{rule} {{ color: rgb({red}, 20, 40);
             margin: {size}px {size}px; padding-left: calc({size}px + 2 * 3px);
             background: url(i{rule}.png) no-repeat; transition: color {rule}00ms ease-in; }}
             @media (min-width: {size}00px) {{ .part{number} {{ width: {size}% }} }}\n"
        );
    }
    text
}

fn main() {
    let count = 400;
    let sheets = (0..count).map(|n| (format!("s{n}.css"), sheet(n, count)));
    let sheets = Sheets(sheets.collect());
    let mut bundler = Bundler::new(&sheets, None, ParserOptions::default());
    let mut joined = bundler.bundle(Path::new("s0.css")).expect("they are sheets");
    joined.minify(MinifyOptions::default()).expect("it is made small");
    let options = PrinterOptions { minify: true, ..PrinterOptions::default() };
    let code = joined.to_css(options).expect("it is printed").code;
    let hash = code.bytes().fold(0, |h: u64, b| h.wrapping_mul(31).wrapping_add(b.into()));
    println!("{} {hash:x}", code.len());
}
