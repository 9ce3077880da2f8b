//! Batches: requests are dealt out to the shards, which serve theirs beside each other.

use super::{
    HashMap, SHARDS,
    op::{HashMapAnswer, HashMapOp},
    place,
    shard::Shard,
};
use crate::{BatchedStructure, Reads, Request, structures::map::sort};
use std::{
    hash::{BuildHasher, Hash},
    mem, slice,
};
use sumac_core::{Scope, prefetch};
use sumac_par::prelude::*;

/// A request to a hash map.
type HashRequest<K, V> = Request<HashMapOp<K, V>, HashMapAnswer<V>>;

/// A request that concerns one key, with the key's hash, until it is served.
type Dealt<'b, K, V> = Option<(u64, &'b mut HashRequest<K, V>)>;

/// Fewer requests are not worth being dealt out.
const MANY: usize = if cfg!(miri) { 8 } else { 4 * SHARDS };

/// So many requests are dealt out at once, by one thread: what the processor's nearest cache holds.
const PIECE: usize = if cfg!(miri) { 16 } else { 1024 };

impl<K, V, S> BatchedStructure for HashMap<K, V, S>
where
    K: Hash + Eq + Send + Sync,
    V: Clone + Send + Sync,
    S: BuildHasher + Send + Sync,
{
    type Op = HashMapOp<K, V>;
    type Answer = HashMapAnswer<V>;

    const READS: Option<Reads<Self>> =
        Some(Reads::new(HashMapOp::only_looks, |map, op| match op {
            HashMapOp::Get(key) => {
                let value = map.get(&key).cloned();
                drop(key);
                HashMapAnswer::Value(value)
            }
            HashMapOp::Contains(key) => HashMapAnswer::Found(map.get(&key).is_some()),
            HashMapOp::Len => HashMapAnswer::Len(map.len()),
            HashMapOp::Insert(..) | HashMapOp::Remove(_) => unreachable!("it only looks"),
        }));

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [HashRequest<K, V>]) {
        sort::by_arrival(batch);
        let len = self.len();
        let (shards, hasher) = (&mut self.shards, &self.hasher);
        if batch.len() < MANY {
            for (hash, request) in hashed(batch, hasher, len) {
                shards[place(hash)].serve(hasher, hash, request);
            }
            return;
        }
        let pieces = batch.par_chunks_mut(PIECE);
        let mut pieces: Vec<_> = pieces.map(|piece| deal(piece, hasher, len)).collect();
        let mut rests: Vec<_> = pieces
            .iter_mut()
            .map(|(dealt, counts)| (&mut **dealt, counts.iter()))
            .collect();
        let shards = shards.iter_mut().map(|shard| {
            let own = rests.iter_mut().map(|(rest, counts)| {
                let count = *counts.next().expect("each shard has a count");
                let (own, others) = mem::take(rest).split_at_mut(count);
                *rest = others;
                own
            });
            (shard, own.collect::<Vec<_>>())
        });
        let shards: Vec<_> = shards.collect();
        shards.into_par_iter().for_each(|(shard, own)| {
            for dealt in own {
                // They are far apart.
                let requests = dealt.iter().flatten();
                requests.for_each(|(_, request)| prefetch(slice::from_ref(&**request)));
                for (hash, request) in dealt.iter_mut().filter_map(Option::take) {
                    shard.serve(hasher, hash, request);
                }
            }
        });
    }

    #[inline]
    fn run_one(&mut self, op: HashMapOp<K, V>) -> Result<HashMapAnswer<V>, HashMapOp<K, V>> {
        let Some(key) = op.key() else {
            return Ok(HashMapAnswer::Len(self.len()));
        };
        let hash = self.hasher.hash_one(key);
        Ok(self.shards[place(hash)].act(&self.hasher, hash, op))
    }
}

/// The requests that concern one key, with its hash. Those that do not are answered: the map has so
/// many entries.
fn hashed<'b, K: Hash, V>(
    requests: &'b mut [HashRequest<K, V>],
    hasher: &impl BuildHasher,
    len: usize,
) -> impl Iterator<Item = (u64, &'b mut HashRequest<K, V>)> {
    requests.iter_mut().filter_map(move |request| {
        let Some(key) = request.op().key() else {
            request.answer(HashMapAnswer::Len(len));
            return None;
        };
        Some((hasher.hash_one(key), request))
    })
}

/// The requests of a piece, those of each shard together and in their order, and their numbers.
fn deal<'b, K: Hash, V>(
    piece: &'b mut [HashRequest<K, V>],
    hasher: &impl BuildHasher,
    len: usize,
) -> (Vec<Dealt<'b, K, V>>, [usize; SHARDS]) {
    let mut counts = [0; SHARDS];
    let mut requests = Vec::with_capacity(piece.len());
    for (hash, request) in hashed(piece, hasher, len) {
        counts[place(hash)] += 1;
        requests.push((hash, request));
    }
    let mut next = counts;
    let mut before = 0;
    for next in &mut next {
        before += mem::replace(next, before);
    }
    let mut dealt: Vec<_> = (0..requests.len()).map(|_| None).collect();
    for (hash, request) in requests {
        let next = &mut next[place(hash)];
        dealt[*next] = Some((hash, request));
        *next += 1;
    }
    (dealt, counts)
}

impl<K: Hash + Eq, V: Clone> Shard<K, V> {
    #[inline]
    fn serve(&mut self, hasher: &impl BuildHasher, hash: u64, request: &mut HashRequest<K, V>) {
        let answer = self.act(hasher, hash, request.take_op());
        request.answer(answer);
    }
}
