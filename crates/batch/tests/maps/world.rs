//! Keys and values that are counted, one of which panics at a time that can be chosen.

use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
    panic,
    sync::{
        Arc,
        atomic::{AtomicIsize, Ordering::Relaxed},
    },
    thread,
};

/// Counts what lives, and lets something panic.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) alive: AtomicIsize,
    /// The comparison, hash, clone or drop that counts it down to nothing panics.
    pub(crate) fuse: AtomicIsize,
}

impl World {
    fn part(self: &Arc<Self>, key: u32) -> Part {
        self.alive.fetch_add(1, Relaxed);
        Part {
            key,
            world: self.clone(),
        }
    }

    pub(crate) fn key(self: &Arc<Self>, key: u32) -> Key {
        Key(self.part(key))
    }

    pub(crate) fn entry(self: &Arc<Self>, key: u32) -> (Key, Value) {
        (self.key(key), Value(self.part(key)))
    }

    fn burn(&self) {
        if self.fuse.fetch_sub(1, Relaxed) == 1 {
            // Without the hook's message.
            panic::resume_unwind(Box::new("burnt"));
        }
    }
}

pub(crate) struct Part {
    pub(crate) key: u32,
    world: Arc<World>,
}

impl Clone for Part {
    fn clone(&self) -> Self {
        self.world.burn();
        self.world.part(self.key)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.world.alive.fetch_sub(1, Relaxed);
        if !thread::panicking() {
            self.world.burn();
        }
    }
}

#[derive(Clone)]
pub(crate) struct Key(pub(crate) Part);

#[derive(Clone)]
pub(crate) struct Value(pub(crate) Part);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.world.burn();
        self.0.key.cmp(&other.0.key)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.world.burn();
        self.0.key.hash(state);
    }
}
