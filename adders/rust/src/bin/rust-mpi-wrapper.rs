//! The adder on the `mpi` crate's safe interface, over the halving tree (`tree.rs`). As in C,
//! messages are cells of a grid, all requests are completed, and who waits gives its processor
//! away. With `ADDER_MODE=first` by the first comparison's method (`first.rs`) instead.

#![forbid(unsafe_code)]

use mpi::{
    Threading,
    request::{Request, Scope, scope},
    topology::SimpleCommunicator,
    traits::*,
};
use std::{collections::VecDeque, ops::Range, process::ExitCode, thread, time::Instant};
use sumac_adders::{
    Bytes, Failure, First, Job, Method, Node, cells, complain, microseconds, sum, sum_one_by_one,
};

const BYTES: i32 = 1;
const SUM: i32 = 2;
/// Bytes that are added between two looks at the messages.
const STEP: usize = 1 << 18;

fn main() -> ExitCode {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("rust-mpi-wrapper: MPI does not start");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    let ended = Method::new().and_then(|method| match method {
        Method::Tree => run(&world),
        Method::First => first(&world),
    });
    if let Err(failure) = ended {
        complain(
            "rust-mpi-wrapper",
            &format_args!("rank {}: {failure}", world.rank()),
        );
        world.abort(1);
    }
    ExitCode::SUCCESS
}

fn run(world: &SimpleCommunicator) -> Result<(), Failure> {
    let job = Job::new()?;
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let node = Node::new(rank, ranks, job.size);
    let start = Instant::now();
    // Rank 0's bytes are all there; the others' room is made in the first pass.
    let mut bytes = if rank == 0 {
        job.load()?
    } else {
        Bytes::default()
    };
    let load_us = microseconds(start);
    let pass = || {
        finish(world.immediate_barrier());
        let start = Instant::now();
        bytes.provide((node.all.end - node.all.start) as usize)?;
        let sum = pass(world, &node, job.chunk, &mut bytes);
        Ok::<_, Failure>((sum, microseconds(start)))
    };
    let report = job.passes("rust-mpi-wrapper", (ranks, 1), load_us, pass)?;
    if rank == 0 { report.print() } else { Ok(()) }
}

/// Waits for a request, and lets others have the processor meanwhile.
fn finish<'a, D: ?Sized, S: Scope<'a>>(mut request: Request<'a, D, S>) -> &'a D {
    loop {
        match request.test_with_data() {
            Ok((_, data)) => return data,
            Err(unfinished) => request = unfinished,
        }
        thread::yield_now();
    }
}

/// One pass: the sum of this rank's bytes and of those below it.
fn pass(world: &SimpleCommunicator, node: &Node, chunk: u64, bytes: &mut [u8]) -> u64 {
    let peer = |rank: usize| world.process_at_rank(rank as i32);
    let mut sums = vec![0_u64; node.children.len()];
    let mut total = 0;
    scope(|scope| {
        let results = node
            .children
            .iter()
            .zip(&mut sums)
            .map(|((child, _), sum)| peer(*child).immediate_receive_into_with_tag(scope, sum, SUM));
        let results: Vec<_> = results.collect();
        // The memory of each cell, the last one first, as the sender sends them; and its request,
        // where it is to be received.
        let mut rest = bytes;
        let mut coming = Vec::new();
        for cell in cells(&node.all, chunk) {
            let memory;
            (rest, memory) = rest.split_at_mut((cell.start - node.all.start) as usize);
            let part = match node.parent {
                Some(parent) => {
                    let request =
                        peer(parent).immediate_receive_into_with_tag(scope, memory, BYTES);
                    Part::Coming(request)
                }
                None => Part::Here(&*memory),
            };
            coming.push((cell, part));
        }
        let mut sends = VecDeque::new();
        for (cell, part) in coming {
            let memory: &[u8] = match part {
                Part::Coming(request) => finish(request),
                Part::Here(memory) => memory,
            };
            let cut = |range: &Range<u64>| {
                let (low, high) = (cell.start.max(range.start), cell.end.min(range.end));
                let (low, high) = (low - cell.start, high.max(low) - cell.start);
                memory
                    .get(low as usize..high as usize)
                    .filter(|bytes| !bytes.is_empty())
            };
            for (child, given) in &node.children {
                if let Some(bytes) = cut(given) {
                    sends.push_back(peer(*child).immediate_send_with_tag(scope, bytes, BYTES));
                }
            }
            for step in cut(&node.own).unwrap_or_default().chunks(STEP) {
                total += sum(step);
                // A look at the oldest message that is under way moves all of them.
                while let Some(send) = sends.pop_front() {
                    if let Err(unfinished) = send.test() {
                        sends.push_front(unfinished);
                        break;
                    }
                }
            }
        }
        for send in sends {
            finish(send);
        }
        for result in results {
            total += finish(result);
        }
    });
    if let Some(parent) = node.parent {
        scope(|scope| {
            finish(peer(parent).immediate_send_with_tag(scope, &total, SUM));
        });
    }
    total
}

/// All passes by the first comparison's method.
fn first(world: &SimpleCommunicator) -> Result<(), Failure> {
    let job = Job::new()?;
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let place = First::new(rank, ranks, &job)?;
    let start = Instant::now();
    let bytes = match rank {
        0 => job.load_plainly()?,
        _ => Vec::new(),
    };
    let load_us = microseconds(start);
    let pass = || {
        world.barrier();
        let start = Instant::now();
        let sum = first_pass(world, &place, &bytes);
        Ok::<_, Failure>((sum, microseconds(start)))
    };
    let report = job.passes("rust-mpi-wrapper-first", (ranks, 1), load_us, pass)?;
    if rank == 0 { report.print() } else { Ok(()) }
}

/// One pass of it. `bytes` are rank 0's.
fn first_pass(world: &SimpleCommunicator, place: &First, bytes: &[u8]) -> u64 {
    let peer = |rank: usize| world.process_at_rank(rank as i32);
    let received = place.parent.map(|parent| {
        let (message, status) = peer(parent).matched_probe();
        let mut memory = vec![0_u8; status.count(u8::equivalent_datatype()) as usize];
        message.matched_receive_into(&mut memory[..]);
        memory
    });
    let bytes = received.as_deref().unwrap_or(bytes);
    let (given, kept) = place.halves(bytes.len());
    let mut total = 0;
    scope(|scope| {
        let send = |(child, part): (usize, Range<usize>)| {
            peer(child).immediate_send_with_tag(scope, &bytes[part], BYTES)
        };
        let sends: Vec<_> = given.into_iter().map(send).collect();
        total = sum_one_by_one(&bytes[..kept]);
        for _ in &sends {
            total += world.any_process().receive_with_tag::<u64>(SUM).0;
        }
        for send in sends {
            send.wait_without_status();
        }
    });
    if let Some(parent) = place.parent {
        peer(parent).send_with_tag(&total, SUM);
    }
    total
}

/// A cell of bytes.
enum Part<'a, S: Scope<'a>> {
    Coming(Request<'a, [u8], S>),
    Here(&'a [u8]),
}
