//! How large tests are.

/// Lengths worth a test.
pub const LENS: [usize; 7] = [0, 1, 2, 3, 17, 300, 20_000];

/// `whole`, and `few` under Miri, which takes hundreds of times as long.
pub const fn sized<T: Copy>(whole: T, few: T) -> T {
    if cfg!(miri) { few } else { whole }
}

/// In so many cases is a property tried; in two under Miri.
pub const fn cases(whole: u32) -> u32 {
    sized(whole, 2)
}
