//! The checks, with ranks that are threads: any number of them, with messages of a few bytes at
//! most, on pretended nodes.

mod checks;

use sumac_mpi::World;

#[test]
fn up_to_twenty_ranks() {
    for ranks in (1..=5).chain([7, 8, 13, 20]) {
        World::threads(ranks).run(checks::all).unwrap();
    }
}

#[test]
fn with_two_threads_each() {
    for ranks in [1, 2, 3] {
        let world = World::threads(ranks).threads_per_rank(2).block(64);
        world.run(checks::all).unwrap();
    }
}

#[test]
fn with_short_messages() {
    for (ranks, limit) in [(1, 1), (2, 1000), (3, 1024), (4, 999), (7, 4096)] {
        let world = World::threads(ranks).message_limit(limit).chunk(5000);
        world.run(checks::all).unwrap();
    }
}

#[test]
fn on_several_nodes() {
    for (ranks, per_node) in [(4, 1), (4, 2), (7, 3), (8, 5)] {
        World::threads(ranks)
            .ranks_per_node(per_node)
            .run(checks::all)
            .unwrap();
    }
}

#[test]
fn on_nodes_that_get_ranks_in_turn() {
    for (ranks, nodes) in [(4, 2), (7, 3), (8, 2), (3, 5)] {
        World::threads(ranks)
            .nodes_in_turn(nodes)
            .run(checks::all)
            .unwrap();
    }
}
