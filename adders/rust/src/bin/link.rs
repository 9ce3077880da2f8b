//! What no adder between hosts can beat: how fast bytes come from one host to another over TCP,
//! when nothing is done with them.
//!
//! ```text
//! link serve ADDRESS            takes what one caller sends, says after each pass that
//!                               it has come, and ends with the caller
//! link ADDRESS BYTES PASSES     sends so many bytes so often, and prints a line of JSON:
//!                               the microseconds of each pass
//! ```

#![forbid(unsafe_code)]

use std::{
    env, io,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};
use sumac_adders::{Failure, complain, microseconds};

/// Bytes of a write, and of a read at most. It fits in the processor's cache.
const BUFFER: usize = 1 << 18;

/// A connection waits so long for its listener.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["serve", address] => serve(address),
        [address, bytes, passes] => match (bytes.parse(), passes.parse()) {
            (Ok(bytes), Ok(passes)) => call(address, bytes, passes),
            _ => Err(Failure("BYTES or PASSES is not a number".into())),
        },
        _ => Err(Failure(
            "expected serve ADDRESS, or ADDRESS BYTES PASSES".into(),
        )),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            complain("link", &failure);
            ExitCode::FAILURE
        }
    }
}

fn serve(address: &str) -> Result<(), Failure> {
    let failed = |error| Failure(format!("{address}: {error}"));
    let (mut caller, _) = TcpListener::bind(address)
        .and_then(|listener| listener.accept())
        .map_err(failed)?;
    let mut buffer = vec![0; BUFFER];
    loop {
        // A pass begins with its length.
        let mut length = [0; 8];
        match caller.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            other => other.map_err(failed)?,
        }
        take(&mut caller, u64::from_le_bytes(length), &mut buffer).map_err(failed)?;
    }
}

fn take(caller: &mut TcpStream, mut left: u64, buffer: &mut [u8]) -> io::Result<()> {
    while left > 0 {
        let most = left.min(BUFFER as u64) as usize;
        match caller.read(&mut buffer[..most])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            some => left -= some as u64,
        }
    }
    caller.write_all(&[1])
}

fn call(address: &str, bytes: u64, passes: usize) -> Result<(), Failure> {
    let failed = |error| Failure(format!("{address}: {error}"));
    let mut server = connect(address).map_err(failed)?;
    server.set_nodelay(true).map_err(failed)?;
    let buffer = vec![7; BUFFER];
    let passes = (0..passes).map(|_| {
        let start = Instant::now();
        give(&mut server, bytes, &buffer)?;
        Ok(microseconds(start))
    });
    let passes: Vec<f64> = passes.collect::<io::Result<_>>().map_err(failed)?;
    println!("{{\"link\":\"{address}\",\"bytes\":{bytes},\"warm_us\":{passes:?}}}");
    Ok(())
}

fn give(server: &mut TcpStream, bytes: u64, buffer: &[u8]) -> io::Result<()> {
    server.write_all(&bytes.to_le_bytes())?;
    let mut left = bytes;
    while left > 0 {
        let most = left.min(BUFFER as u64);
        server.write_all(&buffer[..most as usize])?;
        left -= most;
    }
    server.read_exact(&mut [0])
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let start = Instant::now();
    loop {
        match TcpStream::connect(address) {
            Err(_) if start.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(20)),
            other => return other,
        }
    }
}
