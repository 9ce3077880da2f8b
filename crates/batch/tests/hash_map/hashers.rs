//! Hashers that are no good.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hasher};

/// All hashes are equal.
pub(crate) type Alike = BuildHasherDefault<Zero>;
/// The hash is the key.
pub(crate) type Low = BuildHasherDefault<Identity>;
/// There are a hundred hashes.
pub(crate) type Folding = BuildHasherDefault<Hundred>;

#[derive(Default)]
pub(crate) struct Zero;

impl Hasher for Zero {
    fn write(&mut self, _: &[u8]) {}

    fn finish(&self) -> u64 {
        0
    }
}

#[derive(Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .rev()
            .for_each(|&byte| self.0 = self.0 << 8 | u64::from(byte));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Default)]
pub(crate) struct Hundred(DefaultHasher);

impl Hasher for Hundred {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.finish() % 100
    }
}

/// Hashes a key differently each time.
#[derive(Default)]
pub(crate) struct Fickle(std::sync::atomic::AtomicU64);

impl BuildHasher for Fickle {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) / 3);
        hasher
    }
}
