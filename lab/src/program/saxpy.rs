//! saxpy: `y += a * x` in place, two streams in and one out. The numbers are whole and small, so
//! nothing is rounded.

use super::library::{InPlace, each_library, texts};
use super::random::{digest, scatter};

const A: f32 = 3.0;

/// x and y.
type Vectors = [Vec<f32>; 2];

/// Vectors of this length.
pub(super) fn vectors(size: usize) -> InPlace<Vectors> {
    let vector = |from: u64| -> Vec<f32> {
        let numbers = (0..size as u64).map(|n| scatter(n + from) % 64);
        numbers.map(|n| n as f32).collect()
    };
    let [x, y] = [vector(0), vector(1 << 40)];
    let expected = bits(x.iter().zip(&y).map(|(x, y)| y + A * x));
    let digest_of = |[_, y]: &Vectors| bits(y.iter().copied());
    InPlace::new([x, y], texts!(saxpy), digest_of, expected)
}

fn bits(values: impl Iterator<Item = f32>) -> u64 {
    digest(values.map(|value| u64::from(value.to_bits())))
}

fn saxpy([x, y]: &mut Vectors) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += A * *x);
}

each_library! {
    pub(super) fn saxpy([x, y]: &mut Vectors) {
        y.par_iter_mut().zip(&*x).for_each(|(y, x)| *y += A * x);
    }
}
