//! Random worlds and random data: every way to map and reduce gives what a plain loop gives, with
//! an operator that does not commute.

use proptest::prelude::*;
use sumac_mpi::{Error, World};

/// 2×2 matrices of numbers that wrap around.
type Matrix = [u32; 4];

fn product([a, b, c, d]: Matrix, [e, f, g, h]: Matrix) -> Matrix {
    let row = |x: u32, y: u32, z: u32, w: u32| x.wrapping_mul(z).wrapping_add(y.wrapping_mul(w));
    [
        row(a, b, e, g),
        row(a, b, f, h),
        row(c, d, e, g),
        row(c, d, f, h),
    ]
}

const ONE: Matrix = [1, 0, 0, 1];

fn map(part: &[u16]) -> Matrix {
    let matrix = |x: &u16| [u32::from(*x), 1, 3, u32::from(*x) ^ 0x55];
    part.iter().map(matrix).fold(ONE, product)
}

fn numbers(len: usize, seed: u64) -> Vec<u16> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..len).map(|_| random.u16(..)).collect()
}

fn world(ranks: usize, limit: usize, chunk: usize, block: usize) -> World {
    World::threads(ranks)
        .message_limit(limit)
        .chunk(chunk)
        .block(block)
}

/// What rank 0 has at the end, in each of the ways.
fn all_ways(world: World, data: &[u16]) -> Result<Vec<Matrix>, Error> {
    let file = tempfile::NamedTempFile::new()?;
    let bytes: Vec<u8> = data.iter().flat_map(|x| x.to_ne_bytes()).collect();
    std::fs::write(&file, bytes)?;
    let results = world.run(|comm| {
        let root = comm.rank() == 0;
        let given = root.then_some(data);
        let scattered = comm.scatter(0, given)?;
        let shared = comm.share(scattered.len(), |part: &mut [u16]| {
            part.copy_from_slice(&scattered);
            Ok(())
        })?;
        let ways = [
            comm.map_reduce(given, ONE, map, product)?,
            comm.map_reduce_file(file.path(), Some(data.len() as u64), ONE, map, product)?,
            comm.map_reduce_shared(&shared, ONE, map, product)?,
            comm.reduce(0, map(&scattered), product)?,
        ];
        Ok(ways)
    })?;
    Ok(results.into_iter().flatten().flatten().collect())
}

#[test]
fn small() {
    for ranks in 1..=20 {
        for len in 0..=70 {
            let data = numbers(len, len as u64);
            let sums = World::threads(ranks)
                .threads_per_rank(1)
                .block(7)
                .run(|comm| {
                    let given = (comm.rank() == 0).then_some(&data[..]);
                    comm.map_reduce(given, ONE, map, product)
                });
            assert_eq!(
                sums.unwrap()[0],
                Some(map(&data)),
                "{len} numbers on {ranks} ranks"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any(
        ranks in 1_usize..21, len in 0_usize..60_000, seed: u64,
        limit in 40_usize..100_000, chunk in 1_usize..100_000, block in 1_usize..10_000,
    ) {
        let data = numbers(len, seed);
        let ways = all_ways(world(ranks, limit, chunk, block), &data).unwrap();
        prop_assert_eq!(ways, vec![map(&data); 4]);
    }

    #[test]
    fn shortest_messages(ranks in 1_usize..8, len in 0_usize..100, seed: u64, limit in 1_usize..20) {
        let data = numbers(len, seed);
        let ways = all_ways(world(ranks, limit, 16, 4), &data).unwrap();
        prop_assert_eq!(ways, vec![map(&data); 4]);
    }
}

#[test]
fn large() {
    let data = numbers(3_000_000, 1);
    let ways = all_ways(World::threads(3).threads_per_rank(2), &data).unwrap();
    assert_eq!(ways, [map(&data); 4]);
}
