//! Workers: their life, and their roles while idle.
//!
//! Uses all of `policy/`, `protocol/`, `join/` and `pool/`.

mod cycle;

pub(crate) use self::cycle::work;
