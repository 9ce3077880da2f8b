//! A trace in the format of Chrome's `about:tracing`, which Perfetto reads, too. All names are ours
//! and need no escapes.

use super::Trace;
use std::{
    io::{self, Write},
    time::Duration,
};

impl Trace {
    /// Writes the trace as JSON for `chrome://tracing` or [Perfetto](https://ui.perfetto.dev).
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_chrome(&self, mut to: impl Write) -> io::Result<()> {
        let dropped = self.dropped();
        write!(
            to,
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"dropped\":{dropped}}},\"traceEvents\":["
        )?;
        write!(
            to,
            "\n{{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{{\"name\":\"sumac\"}}}}"
        )?;
        for (tid, lane) in self.lanes.iter().enumerate() {
            let name = &lane.name;
            write!(
                to,
                ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{tid},\"name\":\"thread_name\",\"args\":{{\"name\":\"{name}\",\"dropped\":{}}}}}",
                lane.dropped
            )?;
            write!(
                to,
                ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{tid},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{tid}}}}}"
            )?;
            for stretch in &lane.stretches {
                write!(
                    to,
                    ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"cat\":\"thread\",\"name\":\"{}\",\"ts\":{},\"dur\":{}}}",
                    stretch.doing.name(),
                    micros(stretch.start),
                    micros(stretch.end - stretch.start)
                )?;
            }
            for (at, what) in &lane.moments {
                write!(
                    to,
                    ",\n{{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":{tid},\"cat\":\"scheduler\",\"name\":\"{}\",\"ts\":{}}}",
                    what.name(),
                    micros(*at)
                )?;
            }
        }
        writeln!(to, "\n]}}")
    }
}

/// Microseconds with three decimals.
fn micros(time: Duration) -> String {
    let nanos = time.as_nanos();
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}
