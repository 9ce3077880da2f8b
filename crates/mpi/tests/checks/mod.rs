//! What must hold among any number of ranks, on any transport: every result is compared with the
//! one that one rank alone computes.

use std::{fs, io::Write, mem, ops::Range, path::PathBuf};
use sumac_mpi::{Communicator, Error, ErrorKind, Operation, Partition};

/// Small lengths: none, fewer than ranks, not divisible, and so on.
const LENGTHS: Range<usize> = 0..71;

/// Runs all of them.
pub(crate) fn all(comm: &Communicator<'_>) -> Result<(), Error> {
    operations(comm)?;
    for len in LENGTHS {
        map_reduces(comm, len)?;
    }
    // Several chunks for each rank, and not equally many.
    map_reduces(comm, 200_003)?;
    files(comm)?;
    words(comm)?;
    parts(comm)
}

/// Each rank adds to words of all; and a lock of words keeps them apart.
fn words(comm: &Communicator<'_>) -> Result<(), Error> {
    const TURNS: u64 = 20;
    let (rank, size) = (comm.rank(), comm.size());
    for round in 0..3 {
        let words = comm.words(3)?;
        // Another, of other lengths, while the first is open.
        let more = comm.words(round)?;
        assert!((0..round).all(|index| more.load(size - 1, index) == Ok(0)));
        for (step, other) in (rank..rank + size).enumerate() {
            let before = words.fetch_add(other % size, 0, rank as u64 + 1)?;
            assert!(before < (size * (size + 1) / 2) as u64, "at step {step}");
        }
        for _ in 0..TURNS {
            while words.compare_and_swap(0, 1, 0, rank as u64 + 1)? != 0 {
                std::thread::yield_now();
            }
            let count = words.load(size - 1, 2)?;
            words.swap(size - 1, 2, count + 1)?;
            assert_eq!(words.swap(0, 1, 0), Ok(rank as u64 + 1));
        }
        comm.barrier()?;
        assert_eq!(words.load(rank, 0), Ok((size * (size + 1) / 2) as u64));
        assert_eq!(words.load(size - 1, 2), Ok(TURNS * size as u64));
    }
    comm.barrier()
}

fn operations(comm: &Communicator<'_>) -> Result<(), Error> {
    point_to_point(comm)?;
    requests(comm)?;
    values(comm)?;
    order(comm)?;
    bulk(comm)?;
    each(comm)?;
    agreement(comm)?;
    map_reduces(comm, 10_007)
}

/// What all ranks do, parts of them do, and parts of parts.
fn parts(comm: &Communicator<'_>) -> Result<(), Error> {
    let (rank, size) = (comm.rank(), comm.size());
    comm.split(rank % 3, |part| {
        assert_eq!(part.rank(), rank / 3);
        assert_eq!(part.words(1).unwrap_err().kind(), ErrorKind::Setup);
        let all = part.all_gather(rank)?;
        assert_eq!(all, (rank % 3..size).step_by(3).collect::<Vec<_>>());
        operations(part)?;
        // All but its first rank.
        part.split(part.rank().min(1), |rest| {
            assert_eq!(rest.rank(), part.rank().saturating_sub(1));
            point_to_point(rest)?;
            values(rest)
        })
    })?;
    comm.barrier()
}

/// Operators that are associative but not commutative: the composition of x ↦ a x + b, modulo 2^64.
type Affine = (u64, u64);

fn then(first: Affine, second: Affine) -> Affine {
    let (a, b) = first;
    let (c, d) = second;
    (c.wrapping_mul(a), c.wrapping_mul(b).wrapping_add(d))
}

fn affine(x: u32) -> Affine {
    (u64::from(x) * 2 + 3, u64::from(x) ^ 0x5bd1)
}

fn compose(part: &[u32]) -> Affine {
    part.iter().fold((1, 0), |all, x| then(all, affine(*x)))
}

fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 7)
        .collect()
}

fn point_to_point(comm: &Communicator<'_>) -> Result<(), Error> {
    let (rank, size) = (comm.rank(), comm.size());
    // Round the ring, which may be one rank. The text is longer than a small message may be.
    let text = |from: usize| format!("from {from}: {}", "x".repeat(from * 50));
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    assert_eq!(
        comm.send_receive(next, before, 3, &text(rank))?,
        text(before)
    );
    let numbers = comm.send_receive_slice(before, next, 4, &numbers(rank * 400))?;
    assert_eq!(numbers, self::numbers(next * 400));
    let own = vec![rank; 100_000];
    assert_eq!(comm.send_receive(rank, rank, 5, &own)?, own);
    // Round it once more, first rank 0.
    if rank > 0 {
        assert_eq!(comm.receive::<String>(before, 3)?, text(before));
    }
    if size > 1 {
        comm.send(next, 3, &text(rank))?;
    }
    if rank == 0 && size > 1 {
        assert_eq!(comm.receive::<String>(before, 3)?, text(before));
    }
    Ok(())
}

fn requests(comm: &Communicator<'_>) -> Result<(), Error> {
    let (rank, size) = (comm.rank(), comm.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    // More than is kept, little, and nothing.
    let values = |from: usize| [numbers(50_000), numbers(from), Vec::new()];
    let mut receiving = Vec::new();
    for tag in 0..3 {
        receiving.push(comm.start_receive::<Vec<u32>>(before, tag)?);
    }
    let mut sending = Vec::new();
    for (tag, value) in (0..3).zip(values(rank)) {
        sending.push(comm.start_send(next, tag, &value)?);
    }
    // In any order, asked or not.
    let middle = receiving.remove(1);
    while !middle.is_done()? {}
    assert_eq!(middle.wait()?, values(before)[1]);
    let last = receiving.pop().expect("the last");
    assert_eq!(last.wait()?, values(before)[2]);
    assert_eq!(receiving.remove(0).wait()?, values(before)[0]);
    while !sending[1].is_done()? {}
    for request in sending {
        request.wait()?;
    }
    // Dropped and forgotten ones arrive as well, before what is received otherwise.
    // One that is received by request comes before one that is not, and neither waits in vain.
    let first = comm.start_receive::<usize>(before, 11)?;
    let early = comm.start_send(next, 11, &rank)?;
    let second = comm.send_receive(next, before, 11, &(rank + size))?;
    assert_eq!((first.wait()?, second), (before, before + size));
    early.wait()?;
    comm.start_send(next, 5, &rank)?;
    mem::forget(comm.start_receive::<usize>(before, 5)?);
    let dropped = comm.start_receive::<usize>(before, 6)?;
    comm.start_send(next, 6, &rank)?;
    drop(dropped);
    mem::forget(comm.start_receive::<usize>(before, 8)?);
    comm.start_send(next, 8, &rank)?;
    assert_eq!(comm.send_receive(next, before, 7, &rank)?, before);
    Ok(())
}

fn values(comm: &Communicator<'_>) -> Result<(), Error> {
    let (rank, size) = (comm.rank(), comm.size());
    for root in 0..size {
        let value = (rank == root).then(|| vec![root.to_string(); root % 4]);
        assert_eq!(
            comm.broadcast(root, value)?,
            vec![root.to_string(); root % 4]
        );
        let gathered = comm.gather(root, (rank, "y".repeat(rank)))?;
        let all: Vec<_> = (0..size).map(|rank| (rank, "y".repeat(rank))).collect();
        assert_eq!(gathered, (rank == root).then_some(all));
    }
    assert_eq!(
        comm.all_gather(rank * rank)?,
        (0..size).map(|r| r * r).collect::<Vec<_>>()
    );
    comm.barrier()
}

fn order(comm: &Communicator<'_>) -> Result<(), Error> {
    let (rank, size) = (comm.rank(), comm.size());
    let digits = |ranks: Range<usize>| ranks.map(|rank| format!("{rank},")).collect::<String>();
    let own = || digits(rank..rank + 1);
    let op = |a: String, b: String| a + &b;
    for root in 0..size {
        let all = (rank == root).then(|| digits(0..size));
        assert_eq!(comm.reduce(root, own(), op)?, all);
    }
    assert_eq!(comm.all_reduce(own(), op)?, digits(0..size));
    assert_eq!(comm.scan(own(), op)?, digits(0..rank + 1));
    let before = (rank > 0).then(|| digits(0..rank));
    assert_eq!(comm.exclusive_scan(own(), op)?, before);
    let affine = |rank: usize| affine(rank as u32);
    let all = (1..size).fold(affine(0), |all, rank| then(all, affine(rank)));
    assert_eq!(comm.all_reduce(affine(rank), then)?, all);
    Ok(())
}

fn bulk(comm: &Communicator<'_>) -> Result<(), Error> {
    let (rank, size) = (comm.rank(), comm.size());
    for len in LENGTHS.chain([10_007]) {
        let (root, data) = (len % size, numbers(len));
        let range = Partition::new(len as u64, size).range(rank);
        let own = comm.scatter(root, (rank == root).then_some(&data[..]))?;
        assert_eq!(own, &data[range.start as usize..range.end as usize]);
        let gathered = comm.gather_slices(root, &own)?;
        assert_eq!(gathered.as_ref(), (rank == root).then_some(&data));
        assert_eq!(comm.broadcast_slice(root, gathered.as_deref())?, data);
        assert_eq!(comm.all_gather_slices(&own)?, data);
    }
    for to in 1..size {
        if rank == 0 {
            comm.send_slice(to, 9, &numbers(to * 400))?;
        } else if rank == to {
            assert_eq!(comm.receive_slice::<u32>(0, 9)?, numbers(to * 400));
        }
    }
    let sent: Vec<Vec<u32>> = (0..size).map(|to| numbers(rank * 3 + to)).collect();
    let received = comm.all_to_all(&sent)?;
    let expected: Vec<_> = (0..size).map(|from| numbers(from * 3 + rank)).collect();
    assert_eq!(received, expected);
    Ok(())
}

fn each(comm: &Communicator<'_>) -> Result<(), Error> {
    let (rank, size) = (comm.rank() as u64, comm.size() as u64);
    // Short ones, and such as MPI reduces itself.
    for len in [0, 1, 70, 5000] {
        let value = |rank: u64, i: u64| (rank * 7919 + i * 31) % 1009;
        let row = |rank: u64| (0..len).map(move |i| value(rank, i));
        let column = |i: u64| (0..size).map(move |rank| value(rank, i));
        let mut sums: Vec<f64> = row(rank).map(|x| x as f64).collect();
        comm.all_reduce_each(&mut sums, Operation::Sum)?;
        assert!((0..len).map(|i| column(i).sum::<u64>() as f64).eq(sums));
        let mut least: Vec<u64> = row(rank).collect();
        comm.all_reduce_each(&mut least, Operation::Min)?;
        assert!(
            (0..len)
                .map(|i| column(i).min())
                .eq(least.into_iter().map(Some))
        );
        let mut most: Vec<i32> = row(rank).map(|x| x as i32 - 500).collect();
        comm.all_reduce_each(&mut most, Operation::Max)?;
        assert!(
            (0..len)
                .map(|i| column(i).max().map(|x| x as i32 - 500))
                .eq(most.into_iter().map(Some))
        );
    }
    Ok(())
}

fn agreement(comm: &Communicator<'_>) -> Result<(), Error> {
    assert_eq!(comm.agree(Ok(comm.rank()))?, comm.rank());
    let last = comm.size() - 1;
    let own = match comm.rank() {
        rank if rank >= last / 2 => Err(Error::other(format_args!("I am {rank}"))),
        rank => Ok(rank),
    };
    let error = comm.agree(own).expect_err("ranks failed");
    let text = error.to_string();
    assert!(text.ends_with(&format!(": I am {}", last / 2)), "{text}");
    Ok(())
}

fn map_reduces(comm: &Communicator<'_>, len: usize) -> Result<(), Error> {
    let data = numbers(len);
    let (root, all) = (comm.rank() == 0, compose(&data));
    let expected = root.then_some(all);
    let composed = comm.map_reduce(root.then_some(&data[..]), (1, 0), compose, then)?;
    assert_eq!(composed, expected, "data at rank 0, {len}");

    // Windows take their time where ranks share processors.
    if len % 9 < 8 && len > 2 {
        return Ok(());
    }
    // All of it at rank 0.
    let fill = |part: &mut [u32]| {
        part.copy_from_slice(&data[..part.len()]);
        Ok(())
    };
    // On each node, the first rank has the node's share.
    let first = comm.node()[0];
    let mut leaders = comm.all_gather(first)?;
    leaders.sort_unstable();
    leaders.dedup();
    let node = leaders.binary_search(&first).expect("a leader");
    let node = Partition::new(len as u64, leaders.len()).range(node);
    let node = node.start as usize..node.end as usize;
    let leads = comm.rank() == first;
    if comm.node().len() == comm.size() {
        let shared = comm.share(if leads { len } else { 0 }, fill)?;
        let composed = comm.map_reduce_shared(&shared, (1, 0), compose, then)?;
        assert_eq!(composed, expected, "shared from rank 0, {len}");
    }
    let shared = comm.share(if leads { node.len() } else { 0 }, |part: &mut [u32]| {
        part.copy_from_slice(&data[node.start..node.start + part.len()]);
        Ok(())
    })?;
    assert_eq!(shared.len(), node.len());
    let composed = comm.map_reduce_shared(&shared, (1, 0), compose, then)?;
    assert_eq!(composed, expected, "shared by leaders, {len}");

    // Each rank has its own.
    let own = Partition::new(len as u64, comm.size()).range(comm.rank());
    let own = own.start as usize..own.end as usize;
    let shared = comm.share(own.len(), |part: &mut [u32]| {
        part.copy_from_slice(&data[own.clone()]);
        Ok(())
    })?;
    let composed = comm.map_reduce_shared(&shared, (1, 0), compose, then)?;
    assert_eq!(composed, expected, "shared by all, {len}");
    Ok(())
}

fn files(comm: &Communicator<'_>) -> Result<(), Error> {
    // One process may hold all ranks, and many may run at once.
    let id = comm.broadcast(
        0,
        Some((
            std::process::id(),
            format!("{:?}", std::thread::current().id()),
        )),
    )?;
    let name = format!("sumac-mpi-{}-{}", id.0, id.1.replace(['(', ')'], "-"));
    let path: PathBuf = std::env::temp_dir().join(name);
    for len in LENGTHS.chain([200_003]) {
        let data = numbers(len);
        if comm.rank() == 0 {
            let bytes: Vec<u8> = data.iter().flat_map(|x| x.to_ne_bytes()).collect();
            fs::File::create(&path)?.write_all(&bytes)?;
        }
        comm.barrier()?;
        let expected = (comm.rank() == 0).then(|| compose(&data));
        let composed = comm.map_reduce_file(&path, Some(len as u64), (1, 0), compose, then)?;
        assert_eq!(composed, expected, "file, {len}");
        let range = Partition::new(len as u64, comm.size()).range(comm.rank());
        let own = comm.read_part::<u32>(&path, None)?;
        assert_eq!(own, &data[range.start as usize..range.end as usize]);
        let error = comm
            .read_part::<u32>(&path, Some(len as u64 + 1))
            .expect_err("too short");
        assert_eq!(error.kind(), ErrorKind::File);
        comm.barrier()?;
    }
    if comm.rank() == 0 {
        fs::remove_file(&path)?;
    }
    comm.barrier()?;
    let error = comm.read_part::<u32>(&path, None).expect_err("no file");
    assert!(error.rank().is_some() && error.to_string().contains("sumac-mpi-"));
    Ok(())
}
