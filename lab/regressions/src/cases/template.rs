//! A template of an ordinary page is compiled in a hundred microseconds, its elements in parallel.
//!
//! <https://github.com/HerringtonDarkholme/vue-compiler/issues/32>

use super::library::prelude::*;
use crate::{Call, Case, Form, compute, wrapping};

pub(super) const CASE: Case = Case {
    name: "template",
    source: "HerringtonDarkholme/vue-compiler#32",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const STEPS: u32 = 900;

/// An element with those in it.
struct Element(u64, Vec<Element>);

fn prepare(form: Form) -> Call {
    form.call(
        Element::new(1, 5),
        |page| page.one_by_one(),
        |page| page.in_parallel(),
    )
}

impl Element {
    fn new(own: u64, height: u64) -> Element {
        let parts = if height == 0 { 0 } else { 1 + own % 4 };
        let part = |i| Element::new(own * 5 + i, height - 1);
        Element(own, (0..parts).map(part).collect())
    }

    fn one_by_one(&self) -> u64 {
        let parts = wrapping(self.1.iter().map(Element::one_by_one));
        compute(self.0, STEPS).wrapping_add(parts)
    }

    fn in_parallel(&self) -> u64 {
        let parts = self.1.par_iter().map(Element::in_parallel);
        compute(self.0, STEPS).wrapping_add(parts.reduce(|| 0, u64::wrapping_add))
    }
}
