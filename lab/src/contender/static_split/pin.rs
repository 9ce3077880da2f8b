//! A core of its own for each thread of a static split, for as long as the split lasts. Without it
//! the kernel often wakes a helper on its caller's core, where the two take turns.
//! Where the system is not Linux, or has fewer cores than threads, nothing is pinned.

/// The cores that the process may use.
pub(super) struct Cores(Vec<usize>);

impl Cores {
    /// The cores for so many threads, none if there are too few.
    pub(super) fn for_threads(threads: usize) -> Cores {
        let cores = system::allowed();
        Cores(if cores.len() < threads {
            Vec::new()
        } else {
            cores
        })
    }

    /// Pins the calling thread to the core with this number among them, until the answer is
    /// dropped.
    pub(super) fn pin(&self, number: usize) -> Pinned<'_> {
        if let Some(&core) = self.0.get(number) {
            system::confine(&[core]);
        }
        Pinned(self)
    }
}

/// A thread that was perhaps pinned.
pub(super) struct Pinned<'c>(&'c Cores);

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        if !self.0.0.is_empty() {
            system::confine(&self.0.0);
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;

    /// The calling thread.
    const SELF: Pid = Pid::from_raw(0);

    pub(super) fn allowed() -> Vec<usize> {
        let set = sched_getaffinity(SELF).unwrap_or_default();
        (0..CpuSet::count())
            .filter(|&core| set.is_set(core).unwrap_or(false))
            .collect()
    }

    /// Does nothing where the system refuses: an unpinned thread is slower, not wrong.
    pub(super) fn confine(cores: &[usize]) {
        let mut set = CpuSet::new();
        let in_range = cores.iter().all(|&core| set.set(core).is_ok());
        if in_range {
            sched_setaffinity(SELF, &set).ok();
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn allowed() -> Vec<usize> {
        Vec::new()
    }

    pub(super) fn confine(_cores: &[usize]) {}
}
