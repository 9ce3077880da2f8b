//! Requests and parts of the ranks: what fails in them, and what must not wait for what.

use std::time::Duration;
use sumac_mpi::{Communicator, Error, ErrorKind, World};

/// Rank 2 is rank 1 of its part, and errors call it by its number in the world.
#[test]
fn what_fails_in_a_part() {
    type Body = fn(&Communicator<'_>, &Communicator<'_>) -> Result<(), Error>;
    let cases: [(Body, ErrorKind, &str); 3] = [
        (
            |comm, _| comm.barrier(),
            ErrorKind::Panic,
            "a communicator is used inside of `split`",
        ),
        (
            |comm, part| match comm.rank() {
                0 => part.send(1, 7, &5),
                _ => Ok(()),
            },
            ErrorKind::Disagreement,
            "rank 2: has not received all that rank 0 sent",
        ),
        (
            |comm, part| match comm.rank() {
                0 => part.send(1, 7, "no number"),
                2 => part.receive::<[u64; 9]>(0, 7).map(drop),
                _ => Ok(()),
            },
            ErrorKind::Format,
            "rank 2: cannot decode what rank 0 sent",
        ),
    ];
    for (body, kind, words) in cases {
        let world = World::threads(4).timeout(Some(Duration::from_secs(10)));
        let failed = world.run(|comm| comm.split(comm.rank() % 2, |part| body(comm, part)));
        let error = failed.expect_err(words);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

/// What waits for one rank also takes what another sends for a request.
#[test]
fn requests_of_ranks_that_are_not_waited_for() {
    let world = World::threads(3)
        .strict()
        .timeout(Some(Duration::from_secs(10)));
    let values = world.run(|comm| match comm.rank() {
        0 => {
            let request = comm.start_receive::<Vec<u8>>(2, 7)?;
            let other: u8 = comm.receive(1, 7)?;
            Ok(request.wait()?.len() + usize::from(other))
        }
        1 => {
            comm.receive::<u8>(2, 7)?;
            comm.send(0, 7, &5_u8).map(|()| 0)
        }
        _ => {
            comm.send(0, 7, &vec![0_u8; 100])?;
            comm.send(1, 7, &5_u8).map(|()| 0)
        }
    });
    assert_eq!(values, Ok(vec![105, 0, 0]));
}

/// So does a rank that only asks whether a request is done.
#[test]
fn requests_that_are_asked_for() {
    let world = World::threads(3)
        .strict()
        .timeout(Some(Duration::from_secs(10)));
    let values = world.run(|comm| match comm.rank() {
        0 => {
            let (one, two) = (
                comm.start_receive::<u8>(1, 7)?,
                comm.start_receive::<u8>(2, 7)?,
            );
            while !one.is_done()? {}
            let sending = comm.start_send(2, 7, &7_u8)?;
            let three = comm.start_receive::<u8>(2, 7)?;
            while !sending.is_done()? {}
            Ok(one.wait()? + two.wait()? + three.wait()?)
        }
        1 => {
            comm.receive::<u8>(2, 7)?;
            comm.send(0, 7, &1_u8).map(|()| 0)
        }
        _ => {
            comm.send(0, 7, &2_u8)?;
            comm.send(1, 7, &2_u8)?;
            comm.send(0, 7, &3_u8)?;
            comm.receive(0, 7)
        }
    });
    assert_eq!(values, Ok(vec![6, 0, 7]));
}

/// A rank that fails does not wait for what it asked for.
#[test]
fn a_rank_that_fails_with_requests() {
    let world = World::threads(2)
        .strict()
        .timeout(Some(Duration::from_secs(10)));
    let failed = world.run(|comm| match comm.rank() {
        0 => {
            let _coming = comm.start_receive::<u8>(1, 7)?;
            let _going = comm.start_send(1, 8, &5)?;
            Err::<u8, _>(Error::other("no file"))
        }
        _ => comm.receive(0, 7),
    });
    let failed = failed.unwrap_err().to_string();
    // Or the other rank sees first what was sent.
    let first = "rank 1: is at tag 7, but rank 0 at tag 8";
    assert!(failed == "rank 0: no file" || failed == first, "{failed}");
}

#[test]
fn what_is_used_in_the_wrong_place() {
    type Body = fn(&Communicator<'_>) -> Result<(), Error>;
    let used = "a communicator is used inside of `split` or `share`, or after a panic there";
    let cases: [(Body, ErrorKind, &str); 5] = [
        (
            // The part must not get what is the whole's.
            |comm| match comm.rank() {
                0 => {
                    comm.send(1, 7, &1)?;
                    comm.split(0, |part| part.send(1, 7, &2))
                }
                _ => {
                    comm.split(0, |part| part.receive::<i32>(0, 7))?;
                    comm.receive::<i32>(0, 7).map(drop)
                }
            },
            ErrorKind::Disagreement,
            "the ranks are split, but not all values that were sent are received",
        ),
        (
            |comm| {
                let failed = comm.split(0, |_| Err::<(), _>(Error::other("no file")));
                assert!(failed.is_err());
                comm.barrier()
            },
            ErrorKind::Other,
            "no file",
        ),
        (
            |comm| {
                comm.share(1, |_: &mut [u64]| match comm.rank() {
                    0 => comm.agree(Ok(())),
                    _ => Ok(()),
                })
                .map(drop)
            },
            ErrorKind::Panic,
            used,
        ),
        (
            |comm| comm.words((1 << 61) + 1).map(drop),
            ErrorKind::Length,
            "more than memory can hold",
        ),
        (
            |comm| comm.words(comm.rank()).map(drop),
            ErrorKind::Disagreement,
            "numbers of words",
        ),
    ];
    for (body, kind, words) in cases {
        let world = World::threads(2).timeout(Some(Duration::from_secs(10)));
        let error = world.run(body).expect_err(words);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn requests_that_cannot_be_completed() {
    type Body = fn(&Communicator<'_>) -> Result<(), Error>;
    let cases: [(Body, ErrorKind, &str); 5] = [
        (
            |comm| {
                comm.start_receive::<u8>(1 - comm.rank(), 7)?
                    .wait()
                    .map(drop)
            },
            ErrorKind::Deadlock,
            "rank 0 receives tag 7 from rank 1, rank 1 receives tag 7 from rank 0",
        ),
        (
            |comm| comm.start_send(1 - comm.rank(), 7, &5)?.wait(),
            ErrorKind::Deadlock,
            "rank 0 sends tag 7 to rank 1, rank 1 sends tag 7 to rank 0",
        ),
        (
            |comm| match comm.rank() {
                0 => comm.start_receive::<u8>(1, 7).map(std::mem::forget),
                _ => Ok(()),
            },
            ErrorKind::Deadlock,
            "rank 0 receives tag 7 from rank 1, rank 1 receives end #0 from rank 0",
        ),
        (
            |comm| match comm.rank() {
                0 => comm.start_receive::<u8>(1, 7)?.wait().map(drop),
                _ => comm.start_send(0, 8, &5).map(drop),
            },
            ErrorKind::Disagreement,
            "rank 0: is at tag 7, but rank 1 at tag 8",
        ),
        (
            |comm| {
                let _pending = comm.start_receive::<u8>(1 - comm.rank(), 7)?;
                comm.split(0, |_| Ok(()))
            },
            ErrorKind::Panic,
            "a request is pending",
        ),
    ];
    for (body, kind, words) in cases {
        let world = World::threads(2).strict();
        let error = world.timeout(Some(Duration::from_secs(10))).run(body);
        let error = error.expect_err(words);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}
