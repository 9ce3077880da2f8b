//! How worlds of threads end that do not end well: soon, for all ranks, and with the error of the
//! rank where it began.

use std::time::{Duration, Instant};
use sumac_mpi::{Error, ErrorKind, Operation, World};

fn soon(begin: Instant) {
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "it took {:?}",
        begin.elapsed()
    );
}

#[test]
fn ranks_that_wait_for_each_other() {
    let begin = Instant::now();
    let world = World::threads(3).timeout(None);
    let error = world
        .run(|comm| comm.receive::<u8>((comm.rank() + 1) % 3, 0))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deadlock);
    soon(begin);
}

#[test]
fn a_rank_that_waits_for_one_that_has_ended() {
    let begin = Instant::now();
    let world = World::threads(2).timeout(None);
    let error = world.run(|comm| match comm.rank() {
        0 => comm.receive::<u8>(1, 0),
        _ => Ok(0),
    });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Deadlock);
    soon(begin);
}

#[test]
fn a_rank_that_takes_too_long() {
    let world = World::threads(2).timeout(Some(Duration::from_millis(50)));
    let error = world.run(|comm| {
        if comm.rank() == 0 {
            std::thread::sleep(Duration::from_millis(500));
        }
        comm.barrier()
    });
    let error = error.unwrap_err();
    assert_eq!((error.kind(), error.rank()), (ErrorKind::TimedOut, Some(1)));
    assert_eq!(error.to_string(), "rank 1: waited 50ms for rank 0");
}

#[test]
fn a_panic_in_any_operation() {
    for ranks in [1, 2, 5] {
        for at in 0..ranks {
            let begin = Instant::now();
            let run = World::threads(ranks).timeout(None).run(|comm| {
                comm.all_reduce(comm.rank(), |a, b| {
                    assert!(comm.rank() != at || at % 2 == 1, "in the operator");
                    a.max(b)
                })?;
                assert!(comm.rank() != at, "on purpose");
                comm.barrier()
            });
            let error = run.unwrap_err();
            assert_eq!((error.kind(), error.rank()), (ErrorKind::Panic, Some(at)));
            soon(begin);
        }
    }
}

#[test]
fn a_tag_that_is_not_expected() {
    let run = World::threads(2).run(|comm| match comm.rank() {
        0 => comm.send(1, 5, "text"),
        _ => comm.receive::<String>(0, 6).map(drop),
    });
    let error = run.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Disagreement);
    assert_eq!(
        error.to_string(),
        "rank 1: is at tag 6, but rank 0 at tag 5"
    );
}

#[test]
fn a_value_of_another_type() {
    let run = World::threads(2).run(|comm| match comm.rank() {
        0 => comm.send(1, 5, &(1_u64 << 40)),
        _ => comm.receive::<u8>(0, 5).map(drop),
    });
    assert_eq!(run.unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn a_root_without_data() {
    let run = World::threads(3).run(|comm| comm.scatter::<u8>(1, None).map(drop));
    let error = run.unwrap_err();
    assert_eq!(error.to_string(), "rank 1: is the root, 1, but gave `None`");
}

#[test]
fn a_part_that_cannot_be_filled() {
    let errors = World::threads(3).run(|comm| {
        let filled = comm.share(10, |_: &mut [u8]| match comm.rank() {
            2 => Err(Error::other("no data")),
            _ => Ok(()),
        });
        Ok(filled.map(drop).unwrap_err().to_string())
    });
    assert_eq!(errors.unwrap(), ["rank 2: no data"; 3]);
}

#[test]
fn settings_that_make_no_sense() {
    let worlds = [
        World::threads(0),
        World::threads(1).message_limit(0),
        World::threads(1).message_limit(usize::MAX),
        World::threads(1).chunk(0),
        World::threads(1).threads_per_rank(0),
        World::threads(1).timeout(Some(Duration::ZERO)),
    ];
    for world in worlds {
        assert_eq!(world.run(|_| Ok(())).unwrap_err().kind(), ErrorKind::Setup);
    }
}

#[test]
fn a_mailbox_that_is_full() {
    // More than mailboxes hold, received only after much else has been sent.
    let bytes = vec![1_u8; 30 << 20];
    let received = World::threads(3).run(|comm| comm.all_to_all(&[&bytes, &bytes, &bytes]));
    for parts in received.unwrap() {
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 90 << 20);
    }
    let sums = World::threads(2).message_limit(1 << 20).run(|comm| {
        let data = (comm.rank() == 0).then(|| vec![1_u8; 300 << 20]);
        comm.scatter(0, data.as_deref()).map(|part| part.len())
    });
    assert_eq!(sums.unwrap(), [150 << 20; 2]);
}

#[test]
fn ranks_that_mean_other_numbers_or_operations() {
    for len in [3, 30_000] {
        let operations = World::threads(3).run(|comm| {
            let operation = match comm.rank() {
                2 => Operation::Max,
                _ => Operation::Sum,
            };
            comm.all_reduce_each(&mut vec![1_u64; len], operation)
        });
        let error = operations.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Disagreement);
        let text = error.to_string();
        assert!(
            text.contains("sum of u64 #0") && text.contains("max of u64 #0"),
            "{text}"
        );
        let types = World::threads(3).run(|comm| match comm.rank() {
            2 => comm.all_reduce_each(&mut vec![1.0; len], Operation::Sum),
            _ => comm.all_reduce_each(&mut vec![1_i64; len], Operation::Sum),
        });
        let text = types.unwrap_err().to_string();
        assert!(
            text.contains("sum of i64 #0") && text.contains("sum of f64 #0"),
            "{text}"
        );
    }
}

#[test]
fn a_rank_that_does_not_share() {
    let run = World::threads(3).run(|comm| match comm.rank() {
        2 => comm.agree(Ok(())),
        _ => comm.share(4, |_: &mut [u8]| Ok(())).map(drop),
    });
    let text = run.unwrap_err().to_string();
    assert!(text.contains("share #0"), "{text}");
}

#[test]
fn more_than_memory() {
    let errors = World::threads(2).run(|comm| {
        let len = [1, isize::MAX as usize][comm.rank()];
        let shared = comm.share(len, |_: &mut [u8]| Ok(()));
        Ok(shared.unwrap_err().to_string())
    });
    let expected = format!(
        "rank 1: {} elements are more than memory can hold",
        isize::MAX
    );
    assert_eq!(errors.unwrap(), [expected.clone(), expected]);
}

#[test]
fn the_largest_chunks_and_blocks() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, [1; 1000]).unwrap();
    let world = World::threads(3).chunk(usize::MAX).block(usize::MAX);
    let sums = world.run(|comm| {
        let data = (comm.rank() == 0).then_some(&[1_u8; 1000][..]);
        let count = |part: &[u8]| part.len();
        Ok((
            comm.map_reduce(data, 0, count, |a, b| a + b)?,
            comm.map_reduce_file(file.path(), None, 0, count, |a, b| a + b)?,
        ))
    });
    assert_eq!(sums.unwrap()[0], (Some(1000), Some(1000)));
}

#[test]
#[cfg(unix)]
fn a_file_that_is_a_pipe() {
    let begin = Instant::now();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    // What hangs must not hang the tests.
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let run = World::threads(2).run(|comm| comm.read_part::<u8>(&path, None));
        tell.send(run.unwrap_err()).unwrap();
    });
    let error = told.recv_timeout(Duration::from_secs(5)).unwrap();
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(
        error.to_string().ends_with("pipe: not a regular file"),
        "{error}"
    );
    soon(begin);
}

#[test]
fn a_value_that_nobody_receives() {
    let run = World::threads(3).run(|comm| match comm.rank() {
        1 => comm.send(2, 5, "text"),
        _ => Ok(()),
    });
    let error = run.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Disagreement);
    assert_eq!(
        error.to_string(),
        "rank 2: has not received all that rank 1 sent"
    );
}

#[test]
fn elements_of_no_size() {
    let nothing: &[[u8; 0]] = &[[], []];
    let runs = [
        World::threads(2).run(|comm| comm.all_gather_slices(nothing).map(drop)),
        World::threads(2).run(|comm| comm.all_to_all(&[nothing, nothing]).map(drop)),
        World::threads(2).run(|comm| comm.broadcast_slice(0, Some(nothing)).map(drop)),
    ];
    for run in runs {
        let text = run.unwrap_err().to_string();
        assert!(
            text.ends_with("panicked: elements must have a size above zero"),
            "{text}"
        );
    }
}

#[test]
fn a_value_that_is_not_understood_names_its_sender() {
    let run = World::threads(3).run(|comm| match comm.rank() {
        0 => comm.gather(0, 1_u8).map(drop),
        1 => comm.gather(0, 1_u8).map(drop),
        _ => comm.gather(0, 1_000_000_u64).map(drop),
    });
    let error = run.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(
        error
            .to_string()
            .starts_with("rank 0: cannot decode what rank 2 sent as u8: "),
        "{error}"
    );
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("a panic of a panic");
        }
    }
}

#[test]
fn a_panic_that_panics() {
    let world = World::threads(2).timeout(Some(Duration::from_secs(5)));
    let begin = Instant::now();
    let error = world.run(|comm| match comm.rank() {
        0 => std::panic::panic_any(Bomb),
        _ => comm.barrier(),
    });
    let error = error.unwrap_err();
    assert_eq!((error.kind(), error.rank()), (ErrorKind::Panic, Some(0)));
    assert!(
        begin.elapsed() < Duration::from_secs(4),
        "it took {:?}",
        begin.elapsed()
    );
}
