//! Bundles of rays are traced through a lens, surface by surface, and each surface takes the rays
//! of a bundle in parallel.
//!
//! <https://github.com/kmdouglass/cherry/pull/341>

use super::library::prelude::*;
use crate::{Call, Case, Form, wrapping};

pub(super) const CASE: Case = Case {
    name: "rays",
    source: "kmdouglass/cherry#341",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const BUNDLES: usize = 3;
const RAYS: usize = 100;
const SURFACES: usize = 10;

/// Its height and its direction.
type Ray = (f64, f64);

fn prepare(form: Form) -> Call {
    form.call(
        (),
        |()| trace(|rays, bend| rays.iter_mut().for_each(|ray| pass(ray, bend))),
        |()| trace(|rays, bend| rays.par_iter_mut().for_each(|ray| pass(ray, bend))),
    )
}

fn trace(surface: fn(&mut [Ray], f64)) -> u64 {
    let bundle = |bundle: usize| {
        let direction = bundle as f64 / 100.0;
        let mut rays: Vec<Ray> = (0..RAYS).map(|i| (i as f64 / 100.0, direction)).collect();
        for i in 0..SURFACES {
            surface(&mut rays, if i % 2 == 0 { 0.3 } else { -0.2 });
        }
        wrapping(rays.iter().map(|(height, _)| height.to_bits()))
    };
    wrapping((0..BUNDLES).map(bundle))
}

fn pass((height, direction): &mut Ray, bend: f64) {
    *height += *direction * 0.1;
    *direction -= bend * *height / (1.0 + *height * *height).sqrt();
}
