//! The rows: what each library is to do.

use std::error::Error;

use crate::by_orx::Orx;
use crate::texts::{by_rayon, by_sumac};
use crate::work::{self, Answer};

/// One library's loop.
pub(crate) type Call<'a> = Box<dyn FnMut() -> Answer + 'a>;

/// One loop by all libraries, by their names.
pub(crate) type Calls<'a> = [(&'static str, Call<'a>); 3];

/// Shows each row of so many items to `see`.
pub(crate) fn measure(
    items: usize,
    threads: usize,
    mut see: impl FnMut(&str, Calls<'_>) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let numbers = work::numbers(items);
    let v = &numbers[..];
    let (middle, none) = (work::work(v[items / 2]), 1);
    let even = work::even(v).nth(items / 4).map_or(none, work::heavy);
    let map = &work::map(v);
    let orx = Orx(threads);
    macro_rules! row {
        ($name:literal, $text:ident $arguments:tt) => {
            row!($name, $text, $text $arguments)
        };
        ($name:literal, $text:ident, $in_orx:ident ($($argument:expr),*)) => {
            see($name, [
                ("sumac", Box::new(|| by_sumac::$text($($argument),*).into())),
                ("rayon", Box::new(|| by_rayon::$text($($argument),*).into())),
                ("orx", Box::new(|| orx.$in_orx($($argument),*).into())),
            ])?
        };
    }
    row!("sum, light", sum_light(v));
    row!("sum", sum(v));
    row!("min", min(v));
    row!("collect, light", collect_light(v));
    row!("collect", collect(v));
    row!("filter, light", filter_light(v));
    row!("filter", filter(v));
    row!("flat_map", flat_map(v));
    row!("strings", strings(v));
    row!("find, middle", find_first(v, middle));
    row!("find, none", find_first(v, none));
    row!("find_any, none", find_any, find_first(v, none));
    row!("collect, range", collect_range(items));
    row!("sum, iterator", sum_iterator(v));
    row!("collect, iterator", collect_iterator(v));
    row!("find, iterator", find_iterator(v, even));
    row!("reduce, map's iterator", reduce_map(map));
    Ok(())
}
