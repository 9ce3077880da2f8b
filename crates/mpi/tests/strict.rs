//! Worlds in which every send waits for its receive: what needs messages to be kept meanwhile gets
//! an error that says who waits for what, at once. And messages to oneself.

mod checks;

use std::time::Duration;
use sumac_mpi::{Communicator, Error, ErrorKind, World};

/// Nothing here is to wait for the time-out.
fn kept(ranks: usize) -> World {
    World::threads(ranks).timeout(Some(Duration::from_secs(60)))
}

fn strict(ranks: usize) -> World {
    kept(ranks).strict()
}

/// Runs it in both kinds of worlds: where messages are kept it ends, in the strict one with this
/// error at one of the ranks.
fn needs_keeping(ranks: usize, deadlock: &str, main: fn(&Communicator<'_>) -> Result<(), Error>) {
    kept(ranks).run(main).unwrap();
    let error = strict(ranks).run(main).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deadlock, "{error}");
    let text = error.to_string();
    let (_, text) = text.split_once(": ").expect("a rank");
    assert_eq!(text, deadlock);
}

#[test]
fn all_operations() {
    for ranks in [1, 2, 3, 4, 7, 17] {
        strict(ranks).run(checks::all).unwrap();
    }
    for (ranks, limit) in [(2, 1000), (3, 999), (7, 4096)] {
        let world = strict(ranks).message_limit(limit).chunk(5000);
        world.run(checks::all).unwrap();
    }
    strict(7).ranks_per_node(3).run(checks::all).unwrap();
    strict(5).nodes_in_turn(2).run(checks::all).unwrap();
}

#[test]
fn both_send_first() {
    let deadlock = "no rank can go on: rank 0 sends tag 7 to rank 1, rank 1 sends tag 7 to rank 0";
    needs_keeping(2, deadlock, |comm| {
        let other = 1 - comm.rank();
        comm.send(other, 7, "text")?;
        assert_eq!(comm.receive::<String>(other, 7)?, "text");
        Ok(())
    });
    needs_keeping(2, deadlock, |comm| {
        let other = 1 - comm.rank();
        comm.send_slice(other, 7, &[1_u64; 100])?;
        assert_eq!(comm.receive_slice::<u64>(other, 7)?, [1; 100]);
        Ok(())
    });
}

#[test]
fn a_ring_that_sends_first() {
    let ring = |comm: &Communicator<'_>| {
        let (rank, size) = (comm.rank(), comm.size());
        comm.send((rank + 1) % size, rank as u16, &rank)?;
        let before = (rank + size - 1) % size;
        assert_eq!(comm.receive::<usize>(before, before as u16)?, before);
        Ok(())
    };
    let three = "no rank can go on: rank 0 sends tag 0 to rank 1, rank 1 sends tag 1 to rank 2, \
                 rank 2 sends tag 2 to rank 0";
    needs_keeping(3, three, ring);
    needs_keeping(1, "no rank can go on: rank 0 sends tag 0 to rank 0", ring);
    let error = strict(20).run(ring).unwrap_err();
    let text = error.to_string();
    assert!(
        text.ends_with("rank 7 sends tag 7 to rank 8, and 12 more"),
        "{text}"
    );
}

#[test]
fn others_that_wait_are_named_too() {
    let deadlock = "no rank can go on: rank 0 sends tag 1 to rank 1, rank 1 sends tag 2 to rank 0, \
                    rank 2 receives barrier #0 from rank 0";
    needs_keeping(3, deadlock, |comm| {
        match comm.rank() {
            0 => {
                comm.send(1, 1, &1)?;
                comm.receive::<i32>(1, 2)?;
            }
            1 => {
                comm.send(0, 2, &1)?;
                comm.receive::<i32>(0, 1)?;
            }
            _ => {}
        }
        comm.barrier()
    });
}

#[test]
fn a_value_that_is_not_received() {
    let error = strict(2).run(|comm| match comm.rank() {
        0 => comm.send(1, 5, "text"),
        _ => Ok(()),
    });
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deadlock);
    let text = error.to_string();
    assert!(text.contains("rank 0 sends tag 5 to rank 1"), "{text}");
}

#[test]
fn rings_that_send_and_receive_at_once() {
    for world in [kept, strict] {
        for ranks in [1, 2, 3, 8] {
            let run = world(ranks).message_limit(1000).run(|comm| {
                let (rank, size) = (comm.rank(), comm.size());
                let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
                assert_eq!(comm.send_receive(next, before, 3, &rank)?, before);
                let numbers = vec![rank as u32; 250 * rank];
                let received = comm.send_receive_slice(next, before, 4, &numbers)?;
                assert_eq!(received, vec![before as u32; 250 * before]);
                Ok(())
            });
            run.unwrap();
        }
    }
}

#[test]
fn messages_to_oneself() {
    let run = kept(2).run(|comm| {
        let rank = comm.rank();
        comm.send(rank, 1, "first")?;
        comm.send_slice(rank, 2, &[2.5; 3])?;
        assert_eq!(comm.receive::<String>(rank, 1)?, "first");
        comm.receive_slice::<f64>(rank, 2)
    });
    assert_eq!(run.unwrap(), [[2.5; 3]; 2]);
    let error = kept(1).run(|comm| comm.receive::<u8>(0, 3)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deadlock);
    assert_eq!(
        error.to_string(),
        "rank 0: no rank can go on: rank 0 receives tag 3 from rank 0"
    );
    let error = kept(1).run(|comm| comm.send(0, 3, "text")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "rank 0: has not received all that rank 0 sent"
    );
}
