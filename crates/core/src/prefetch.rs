//! Memory that is asked for before it is used.

/// So many bytes come at once.
const LINE: usize = 64;

/// More would only push each other out, or wait for each other.
const LINES: usize = 16;

/// Asks the processor to bring a slice into its caches, or the beginning of a long one, and does
/// not wait for it. It pays where the next use is some hundred instructions away and other memory
/// is waited for meanwhile.
///
/// It does nothing on processors other than x86-64 and aarch64.
#[inline]
pub fn prefetch<T>(items: &[T]) {
    let mut place = items.as_ptr().cast::<u8>();
    let mut left = size_of_val(items).min(LINES * LINE);
    while left > LINE {
        line(place);
        place = place.wrapping_add(LINE);
        left -= LINE;
    }
    if left > 0 {
        // What is left may begin in one line and end in the next.
        line(place);
        line(place.wrapping_add(left - 1));
    }
}

/// Asks for one line. Miri knows no processor.
#[inline]
#[allow(unused_variables)] // on other processors
fn line(place: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint: it changes no memory and reads none that a program could notice, and no
        // address makes it fail. No user's code runs here.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) place, options(nostack, preserves_flags, readonly));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Nothing to be seen but that it returns, also for what has no memory.
    #[test]
    fn any_slice() {
        prefetch::<u64>(&[]);
        prefetch(&[(); 3]);
        prefetch(&[1_u8, 2, 3][1..]);
        prefetch(&vec![0_u64; 1000]);
    }
}
