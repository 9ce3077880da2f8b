//! Goes wrong on purpose, in the way that its first argument says, at the last rank. The tests
//! watch how it ends.
//!
//!     mpiexec -n 3 fault panic

use std::{
    env,
    path::Path,
    process::{self, Command, ExitCode},
    thread,
    time::Duration,
};
use sumac_mpi::{Communicator, Error, World};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments == ["absent"] && launched_as() == Some(1) {
        return ExitCode::SUCCESS;
    }
    let world = World::new().timeout(Some(Duration::from_secs(3)));
    match world.run(|comm| go_wrong(comm, &arguments)) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fault: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The rank that a launcher means this process to be.
fn launched_as() -> Option<usize> {
    let ranks = ["PMI_RANK", "OMPI_COMM_WORLD_RANK"].map(env::var);
    ranks.into_iter().flatten().next()?.parse().ok()
}

fn go_wrong(comm: &Communicator<'_>, arguments: &[String]) -> Result<(), Error> {
    let last = comm.rank() == comm.size() - 1;
    let sum = |part: &[u8]| part.iter().map(|x| u64::from(*x)).sum::<u64>();
    let add = |a: u64, b| a + b;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["none" | "absent"] => comm.barrier(),
        ["error"] if last => Err(Error::other("the program's own error")),
        ["panic"] if last => panic!("a panic on purpose"),
        ["kill"] if last => {
            let id = process::id().to_string();
            drop(Command::new("kill").args(["-9", &id]).status());
            comm.barrier()
        }
        ["exit"] if last => process::exit(7),
        ["sleep"] if last => {
            thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        ["early"] if last => Ok(()),
        ["unreceived"] if last => comm.send(0, 5, "text"),
        ["unreceived"] => Ok(()),
        ["disagree"] if last => comm.gather(0, 1).map(drop),
        ["error" | "panic" | "kill" | "exit" | "sleep" | "early" | "disagree"] => comm.barrier(),
        // Two ranks that wait for each other, unless messages of that length are kept meanwhile.
        ["swap", len] => {
            let other = 1 - comm.rank();
            let bytes = vec![1_u8; len.parse().map_err(Error::other)?];
            comm.send_slice(other, 7, &bytes)?;
            comm.receive_slice::<u8>(other, 7).map(drop)
        }
        // In the midst of a message: which one is chance.
        ["stall"] => {
            let (root, bytes) = (comm.rank() == 0, vec![1_u8; 64 << 20]);
            if last {
                let stop = format!("sleep 0.3; kill -STOP {}", process::id());
                Command::new("sh").args(["-c", &stop]).spawn()?;
            }
            for _ in 0..200 {
                if last {
                    comm.send_slice(0, 1, &bytes)?;
                } else if root {
                    comm.receive_slice::<u8>(comm.size() - 1, 1)?;
                }
            }
            Ok(())
        }
        // In the midst of computing, with messages under way.
        ["map"] => {
            let data = (comm.rank() == 0).then(|| vec![1; 20_000_000]);
            let map = |part: &[u8]| {
                assert!(!last, "a panic on purpose in a map");
                sum(part)
            };
            comm.map_reduce(data.as_deref(), 0, map, add).map(drop)
        }
        ["type"] => match last {
            true => comm.scatter::<u32>(0, None).map(drop),
            false => comm
                .scatter(0, (comm.rank() == 0).then_some(&[1_u8; 100][..]))
                .map(drop),
        },
        ["sum", path] => report(
            comm,
            comm.map_reduce_file(Path::new(path), None, 0, sum, add)?,
        ),
        ["sum", path, len] => {
            let len = len.parse().map_err(Error::other)?;
            report(
                comm,
                comm.map_reduce_file(Path::new(path), Some(len), 0, sum, add)?,
            )
        }
        // Shorter than it was when its length was looked up.
        ["truncate", path] => {
            let len = std::fs::metadata(path)?.len();
            let part: Vec<u8> = comm.read_part(Path::new(path), Some(len))?;
            comm.barrier()?;
            if last {
                std::fs::File::options()
                    .write(true)
                    .open(path)?
                    .set_len(len / 2)?;
            }
            comm.barrier()?;
            comm.read_part::<u8>(Path::new(path), Some(len))?;
            drop(part);
            Ok(())
        }
        // Memory that is dropped must be given back.
        ["share"] => {
            for _ in 0..40 {
                let shared = comm.share(4 << 20, |part: &mut [u8]| {
                    part.fill(1);
                    Ok(())
                })?;
                shared.part(0).iter().for_each(|x| assert!(*x == 1));
            }
            let status = std::fs::read_to_string("/proc/self/status")?;
            let shared = status
                .lines()
                .find_map(|line| line.strip_prefix("RssShmem:"));
            let shared = shared.and_then(|text| text.split_whitespace().next()?.parse().ok());
            match shared {
                Some(kib @ 81_920_u64..) => Err(Error::other(format_args!("keeps {kib} KiB"))),
                _ => Ok(()),
            }
        }
        _ => Err(Error::other(format_args!("no such fault: {arguments:?}"))),
    }
}

fn report(comm: &Communicator<'_>, sum: Option<u64>) -> Result<(), Error> {
    if let Some(sum) = sum {
        println!("{sum} from {} ranks", comm.size());
    }
    Ok(())
}
