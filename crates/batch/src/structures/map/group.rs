//! The requests of one batch that concern the same key.

use super::op::{MapAnswer, MapOp};
use crate::Request;

/// A request to an ordered map.
pub(crate) type MapRequest<K, V> = Request<MapOp<K, V>, MapAnswer<K, V>>;

/// The key of a request that concerns one key.
#[inline]
pub(crate) fn key_of<K, V>(request: &MapRequest<K, V>) -> &K {
    let key = request.op().key();
    key.expect("it concerns one key")
}
