//! The adder on MPI's C interface, as `mpi-sys` binds it or by the standard ABI (`rust-mpi-abi`),
//! call by call as in `adders/c/adder.c`, over the halving tree (`tree.rs`). With
//! `ADDER_MODE=first` call by call as in `adders/c/first.c`, by the first comparison's method
//! (`first.rs`).
//!
//! Why it is sound: MPI writes only to memory that a receive was given, and reads only what a send
//! was given, until the request is completed. Here (**P1**) that memory outlives the requests,
//! because a pass returns only when all of them are completed, and any failure, panics included,
//! ends the process without unwinding; (**P2**) no Rust code touches a cell between the
//! beginning and the end of its receive, or writes to one that is being sent; (**P3**) MPI is
//! called between `MPI_Init_thread` and `MPI_Finalize` and by the main thread only.

#![allow(unsafe_code)]

use crate::{
    NAMES,
    ffi::{self, MPI_Comm, MPI_Request, MPI_Status},
};
use std::{
    collections::VecDeque,
    ffi::{c_int, c_void},
    mem::MaybeUninit,
    ops::Range,
    panic,
    process::{self, ExitCode},
    ptr, thread,
    time::Instant,
};
use sumac_adders::{
    Bytes, Failure, First, Job, Method, Node, cells, complain, microseconds, sum, sum_one_by_one,
};

const BYTES: c_int = 1;
const SUM: c_int = 2;
/// Bytes that are added between two looks at the messages.
const STEP: usize = 1 << 18;

pub(crate) fn main() -> ExitCode {
    let mut provided = 0;
    // SAFETY: A constant of MPI's, which no code writes.
    let funneled = unsafe { ffi::MPI_THREAD_FUNNELED };
    let (argc, argv) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: The first call of MPI (P3); it may be given no arguments, and writes to a local.
    let code = unsafe { ffi::MPI_Init_thread(argc, argv, funneled, &mut provided) };
    check(code, "MPI_Init_thread");
    panic::set_hook(Box::new(|panic| fail(&panic.to_string())));
    if let Err(failure) = run() {
        fail(&failure.0);
    }
    // SAFETY: The last call of MPI (P3); all requests are completed (P1).
    check(unsafe { ffi::MPI_Finalize() }, "MPI_Finalize");
    ExitCode::SUCCESS
}

/// Says what happened and ends all ranks.
fn fail(what: &str) -> ! {
    complain(NAMES[0], &what);
    // SAFETY: MPI is initialised (P3), else the call fails and the process ends all the same.
    unsafe { ffi::MPI_Abort(world(), 1) };
    process::exit(1)
}

fn check(code: c_int, what: &str) {
    if code != 0 {
        fail(&format!("{what}: error {code}"));
    }
}

fn world() -> MPI_Comm {
    // SAFETY: A constant of MPI's, which no code writes.
    unsafe { ffi::MPI_COMM_WORLD }
}

fn run() -> Result<(), Failure> {
    // SAFETY: A constant of MPI's, which no code writes.
    let returns = unsafe { ffi::MPI_ERRORS_RETURN };
    // SAFETY: P3, and valid handles.
    check(
        unsafe { ffi::MPI_Comm_set_errhandler(world(), returns) },
        "MPI_Comm_set_errhandler",
    );
    let (mut rank, mut ranks) = (0, 0);
    // SAFETY: P3; writes to a local.
    check(
        unsafe { ffi::MPI_Comm_rank(world(), &mut rank) },
        "MPI_Comm_rank",
    );
    // SAFETY: P3; writes to a local.
    check(
        unsafe { ffi::MPI_Comm_size(world(), &mut ranks) },
        "MPI_Comm_size",
    );
    let (rank, ranks) = (rank as usize, ranks as usize);
    let job = Job::new()?;
    match Method::new()? {
        Method::Tree => tree(&job, rank, ranks),
        Method::First => first(&job, rank, ranks),
    }
}

/// All passes over the halving tree.
fn tree(job: &Job, rank: usize, ranks: usize) -> Result<(), Failure> {
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
        meet();
        let start = Instant::now();
        bytes.provide((node.all.end - node.all.start) as usize)?;
        let sum = pass(&node, job.chunk, &mut bytes);
        Ok::<_, Failure>((sum, microseconds(start)))
    };
    let report = job.passes(NAMES[0], (ranks, 1), load_us, pass)?;
    if rank == 0 { report.print() } else { Ok(()) }
}

/// One pass: the sum of this rank's bytes and of those below it.
fn pass(node: &Node, chunk: u64, bytes: &mut [u8]) -> u64 {
    let mut sums = vec![0_u64; node.children.len()];
    let results = node.children.iter().zip(&mut sums);
    let results = results.map(|((child, _), sum)| receive_sum(sum, *child));
    let results: Vec<_> = results.collect();

    // The memory of each cell by itself, so that no borrow of one is one of another (P2).
    let mut rest = bytes;
    let mut parts = Vec::new();
    for cell in cells(&node.all, chunk) {
        let part;
        (rest, part) = rest.split_at_mut((cell.start - node.all.start) as usize);
        let request = node.parent.map(|parent| receive(part, parent));
        parts.push((cell, part, request));
    }
    let mut sends = VecDeque::new();
    let mut total = 0;
    for (cell, part, request) in parts {
        request.into_iter().for_each(finish);
        let cut = |range: &Range<u64>| {
            let low = cell.start.max(range.start);
            let high = cell.end.min(range.end).max(low);
            part.get((low - cell.start) as usize..(high - cell.start) as usize)
                .unwrap_or_default()
        };
        for (child, given) in &node.children {
            let bytes = cut(given);
            if !bytes.is_empty() {
                sends.push_back(send(bytes, *child));
            }
        }
        for step in cut(&node.own).chunks(STEP) {
            total += sum(step);
            // A look at the oldest message that is under way moves all of them.
            while sends.front_mut().is_some_and(done) {
                sends.pop_front();
            }
        }
    }
    sends.into_iter().for_each(finish);
    results.into_iter().for_each(finish);
    total += sums.iter().sum::<u64>();
    if let Some(parent) = node.parent {
        finish(send_sum(&total, parent));
    }
    total
}

/// All passes by the first comparison's method.
fn first(job: &Job, rank: usize, ranks: usize) -> Result<(), Failure> {
    let place = First::new(rank, ranks, job)?;
    let start = Instant::now();
    let bytes = match rank {
        0 => job.load_plainly()?,
        _ => Vec::new(),
    };
    let load_us = microseconds(start);
    let pass = || {
        // SAFETY: P3, and a valid handle.
        check(unsafe { ffi::MPI_Barrier(world()) }, "MPI_Barrier");
        let start = Instant::now();
        let sum = first_pass(&place, &bytes);
        Ok::<_, Failure>((sum, microseconds(start)))
    };
    let report = job.passes(NAMES[1], (ranks, 1), load_us, pass)?;
    if rank == 0 { report.print() } else { Ok(()) }
}

/// One pass of it. `bytes` are rank 0's.
fn first_pass(place: &First, bytes: &[u8]) -> u64 {
    let received = place.parent.map(receive_all);
    let bytes = received.as_deref().unwrap_or(bytes);
    let (given, kept) = place.halves(bytes.len());
    let sends = given.into_iter();
    let mut sends: Vec<_> = sends.map(|(to, part)| send(&bytes[part], to)).collect();
    let mut total = sum_one_by_one(&bytes[..kept]);
    for _ in &sends {
        total += sum_of_any();
    }
    // SAFETY: A constant of MPI's, which no code writes.
    let ignore = unsafe { ffi::MPI_STATUSES_IGNORE };
    // SAFETY: P3; as many requests as there are, which were begun; no status is written.
    let code = unsafe { ffi::MPI_Waitall(sends.len() as c_int, sends.as_mut_ptr(), ignore) };
    check(code, "MPI_Waitall");
    if let Some(parent) = place.parent {
        // SAFETY: A constant of MPI's, which no code writes.
        let kind = unsafe { ffi::MPI_UINT64_T };
        let memory = ptr::from_ref(&total).cast::<c_void>();
        // SAFETY: P3; a single number, which the call reads before it returns.
        let code = unsafe { ffi::MPI_Send(memory, 1, kind, parent as c_int, SUM, world()) };
        check(code, "MPI_Send");
    }
    total
}

/// What `from` sends next, in memory of its own.
fn receive_all(from: usize) -> Vec<u8> {
    // SAFETY: A constant of MPI's, which no code writes.
    let kind = unsafe { ffi::MPI_UINT8_T };
    // SAFETY: A constant of MPI's, which no code writes.
    let any = unsafe { ffi::MPI_ANY_TAG };
    // SAFETY: A constant of MPI's, which no code writes.
    let mut message = unsafe { ffi::MPI_MESSAGE_NULL };
    let mut status = MaybeUninit::<MPI_Status>::uninit();
    let place = status.as_mut_ptr();
    // SAFETY: P3; writes to locals.
    let code = unsafe { ffi::MPI_Mprobe(from as c_int, any, world(), &mut message, place) };
    check(code, "MPI_Mprobe");
    let mut count = 0;
    // SAFETY: P3; `status` is what MPI_Mprobe wrote; writes to a local.
    let code = unsafe { ffi::MPI_Get_count(place, kind, &mut count) };
    check(code, "MPI_Get_count");
    let mut bytes = vec![0; count as usize];
    let memory = bytes.as_mut_ptr().cast::<c_void>();
    // SAFETY: P3; `memory` has `count` bytes, as many as the message, and is written to before the
    // call returns; so is the status.
    let code = unsafe { ffi::MPI_Mrecv(memory, count, kind, &mut message, place) };
    check(code, "MPI_Mrecv");
    bytes
}

/// The sum that comes next, whichever rank sends it.
fn sum_of_any() -> u64 {
    // SAFETY: A constant of MPI's, which no code writes.
    let kind = unsafe { ffi::MPI_UINT64_T };
    // SAFETY: A constant of MPI's, which no code writes.
    let any = unsafe { ffi::MPI_ANY_SOURCE };
    // SAFETY: A constant of MPI's, which no code writes.
    let ignore = unsafe { ffi::MPI_STATUS_IGNORE };
    let mut sum = 0_u64;
    let memory = ptr::from_mut(&mut sum).cast::<c_void>();
    // SAFETY: P3; a single number, written to before the call returns.
    let code = unsafe { ffi::MPI_Recv(memory, 1, kind, any, SUM, world(), ignore) };
    check(code, "MPI_Recv");
    sum
}

/// Begins to receive bytes; the request must be completed before they are touched.
fn receive(into: &mut [u8], from: usize) -> MPI_Request {
    // SAFETY: A constant of MPI's, which no code writes.
    let kind = unsafe { ffi::MPI_UINT8_T };
    let (memory, count) = (into.as_mut_ptr().cast::<c_void>(), into.len() as c_int);
    begun("MPI_Irecv", |request| {
        // SAFETY: `memory` has `count` bytes, and is MPI's until the request is completed (P1, P2,
        // P3).
        unsafe { ffi::MPI_Irecv(memory, count, kind, from as c_int, BYTES, world(), request) }
    })
}

/// Begins to send bytes; the request must be completed before they are written to.
fn send(bytes: &[u8], to: usize) -> MPI_Request {
    // SAFETY: A constant of MPI's, which no code writes.
    let kind = unsafe { ffi::MPI_UINT8_T };
    let (memory, count) = (bytes.as_ptr().cast::<c_void>(), bytes.len() as c_int);
    begun("MPI_Isend", |request| {
        // SAFETY: `memory` has `count` bytes, which no code writes to until the request is
        // completed (P1, P2, P3).
        unsafe { ffi::MPI_Isend(memory, count, kind, to as c_int, BYTES, world(), request) }
    })
}

fn receive_sum(into: &mut u64, from: usize) -> MPI_Request {
    // SAFETY: A constant of MPI's, which no code writes.
    let kind = unsafe { ffi::MPI_UINT64_T };
    let memory = ptr::from_mut(into).cast::<c_void>();
    begun("MPI_Irecv", |request| {
        // SAFETY: A single number, MPI's until the request is completed (P1, P2, P3).
        unsafe { ffi::MPI_Irecv(memory, 1, kind, from as c_int, SUM, world(), request) }
    })
}

fn send_sum(sum: &u64, to: usize) -> MPI_Request {
    // SAFETY: A constant of MPI's, which no code writes.
    let kind = unsafe { ffi::MPI_UINT64_T };
    let memory = ptr::from_ref(sum).cast::<c_void>();
    begun("MPI_Isend", |request| {
        // SAFETY: A single number, which no code writes to until the request is completed (P1, P2,
        // P3).
        unsafe { ffi::MPI_Isend(memory, 1, kind, to as c_int, SUM, world(), request) }
    })
}

/// Waits until all ranks are here.
fn meet() {
    finish(begun("MPI_Ibarrier", |request| {
        // SAFETY: P3, and a valid handle; writes to a local.
        unsafe { ffi::MPI_Ibarrier(world(), request) }
    }));
}

fn begun(what: &str, begin: impl FnOnce(&mut MPI_Request) -> c_int) -> MPI_Request {
    // SAFETY: A constant of MPI's, which no code writes.
    let mut request = unsafe { ffi::MPI_REQUEST_NULL };
    check(begin(&mut request), what);
    request
}

/// Whether a request is completed now.
fn done(request: &mut MPI_Request) -> bool {
    let mut flag = 0;
    // SAFETY: A constant of MPI's, which no code writes.
    let ignore = unsafe { ffi::MPI_STATUS_IGNORE };
    // SAFETY: P3; a request that was begun, or is null, which counts as completed; writes to a
    // local.
    check(
        unsafe { ffi::MPI_Test(request, &mut flag, ignore) },
        "MPI_Test",
    );
    flag != 0
}

/// Waits for a request, and lets others have the processor meanwhile.
fn finish(mut request: MPI_Request) {
    while !done(&mut request) {
        thread::yield_now();
    }
}
