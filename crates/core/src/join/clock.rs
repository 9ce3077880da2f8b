//! A cheap clock for loops, which read it after every block.

/// Returns a time in approximately nanoseconds: differences on one thread are accurate to within a
/// factor of two.
///
/// # Examples
///
/// ```
/// let start = sumac_core::coarse_nanos();
/// let took = sumac_core::coarse_nanos().saturating_sub(start);
/// # let _ = took;
/// ```
///
/// # Cost
/// About 8 ns on x86-64 and AArch64, where it is the processor's own counter; elsewhere that of
/// [`Instant::now`](std::time::Instant::now).
#[inline(always)]
pub fn coarse_nanos() -> u64 {
    if let Some(now) = crate::testing::clock() {
        return now;
    }
    counter::nanos()
}

#[cfg(all(target_arch = "x86_64", not(any(miri, explore))))]
mod counter {
    /// The time stamp counter runs at 2 to 4 GHz.
    #[inline(always)]
    pub(super) fn nanos() -> u64 {
        // SAFETY: every x86-64 processor has this instruction, and systems do not forbid it to
        // programs.
        let ticks = unsafe { std::arch::x86_64::_rdtsc() };
        (ticks >> 3) * 3
    }
}

#[cfg(all(target_arch = "aarch64", not(any(miri, explore))))]
mod counter {
    /// The virtual counter runs at the frequency in the register beside it.
    #[inline(always)]
    pub(super) fn nanos() -> u64 {
        let ticks: u64;
        // SAFETY: reads a register that programs may read.
        unsafe {
            std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
        }
        let frequency: u64;
        // SAFETY: as above.
        unsafe {
            std::arch::asm!("mrs {}, cntfrq_el0", out(reg) frequency, options(nomem, nostack, preserves_flags));
        }
        ticks.wrapping_mul(1_000_000_000 / frequency.max(1))
    }
}

#[cfg(any(
    miri,
    explore,
    not(any(target_arch = "x86_64", target_arch = "aarch64"))
))]
mod counter {
    use crate::protocol::primitive::Instant;
    use std::sync::OnceLock;

    static START: OnceLock<Instant> = OnceLock::new();

    pub(super) fn nanos() -> u64 {
        let start = *START.get_or_init(Instant::now);
        u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
