//! Loom models of the protocols between threads, each in every interleaving that loom knows.
//!
//! Every model has twins: the same model with one mistake of fault.rs planted, which must fail with
//! the symptom that the twin names. A twin runs in a process of its own, since loom may abort when
//! it finds a deadlock.
//!
//! Parts of a protocol that live in files loom cannot build are written again here, as short as
//! they go; the head of each model says which functions it mirrors, and has to change with them.
//! Loom's time stands still: a sleep with a time limit never ends by itself, which is the harder
//! case; where the limit matters the model sleeps zero times.

mod attention;
mod dormancy;
mod harness;
mod idle;
mod latch;
mod nap;
mod parker;
mod pools;
mod registration;
mod slot;
mod stage;
mod times;
mod waits;
mod watch;

use harness::{DEADLOCK, RACE, caught, explore, explore_all, spawn};
