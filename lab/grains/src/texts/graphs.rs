//! Searches and trees.

macro_rules! graphs {
    () => {
        use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

        /// Breadth-first search from vertex 0: how far all vertices are.
        pub(crate) fn search<const MODE: u8>(input: &Input) -> Vec<u64> {
            let graph = &input.graph;
            let far = collect::<MODE, _>(graph.len(), 4096, |_| AtomicU64::new(u64::MAX));
            let mut front = Vec::new();
            if let Some(first) = far.first() {
                first.store(0, Relaxed);
                front.push(0_u32);
            }
            for depth in 1.. {
                if front.is_empty() {
                    break;
                }
                let claim = |to: &u32| {
                    let far = &far[*to as usize];
                    far.load(Relaxed) == u64::MAX
                        && far
                            .compare_exchange(u64::MAX, depth, Relaxed, Relaxed)
                            .is_ok()
                };
                front = match MODE {
                    SEQUENTIAL | CALLS => {
                        let all = front.iter().flat_map(|v| graph.of(*v));
                        all.copied().filter(claim).collect()
                    }
                    TUNED => {
                        let all = front.par_iter().with_min_len(128);
                        all.flat_map_iter(|v| graph.of(*v).iter().copied().filter(claim))
                            .collect()
                    }
                    _ => {
                        let all = front.par_iter().flat_map(|v| graph.of(*v));
                        all.copied().filter(claim).collect()
                    }
                };
            }
            collect::<MODE, _>(far.len(), 4096, |i| far[i].load(Relaxed))
        }

        /// The root of a vertex; halves the path to it.
        fn root(parents: &[AtomicU32], mut v: u32) -> u32 {
            loop {
                let parent = parents[v as usize].load(Relaxed);
                if parent == v {
                    return v;
                }
                let above = parents[parent as usize].load(Relaxed);
                if above != parent {
                    let at = &parents[v as usize];
                    let _ = at.compare_exchange(parent, above, Relaxed, Relaxed);
                }
                v = above;
            }
        }

        /// A spanning forest by linking roots: of how many edges it consists.
        pub(crate) fn forest<const MODE: u8>(input: &Input) -> Vec<u64> {
            let graph = &input.graph;
            let parents = collect::<MODE, _>(graph.len(), 4096, |i| AtomicU32::new(i as u32));
            let taken = pack::<MODE, _>(graph.edges.len(), 1024, |i| {
                let (a, b) = graph.edges[i];
                loop {
                    let (a, b) = (root(&parents, a), root(&parents, b));
                    if a == b {
                        return None;
                    }
                    let at = &parents[a.max(b) as usize];
                    if at
                        .compare_exchange(a.max(b), a.min(b), Relaxed, Relaxed)
                        .is_ok()
                    {
                        return Some(i as u32);
                    }
                }
            });
            vec![taken.len() as u64]
        }
    };
}
