//! A picture of a trace: a lane per thread, with time from left to right.
//!
//! A column of the picture may be longer than many stretches. So each column shows the *shares* of
//! its time, stacked: an activity of a tenth of a column has a tenth of the lane's height there.
//! The size of the picture does not depend on that of the trace.

use super::{Doing, Lane, Trace};
use std::{
    io::{self, Write},
    time::Duration,
};

const COLUMNS: usize = 1000;
const LEFT: usize = 90;
const TOP: usize = 62;
const LANE: usize = 24;
const PITCH: usize = 32;
const WIDTH: usize = LEFT + COLUMNS + 30;

const STYLE: &str = "\
svg{background:#fff;font:13px system-ui,sans-serif}text{fill:#222}.t{font-size:15px;font-weight:600}.s{fill:#666}\
line{stroke:#0002}.own{fill:#3b76b8}.working{fill:#2f9e5f}.searching{fill:#f0b429}.parked{fill:#dfe3e8}\
@media(prefers-color-scheme:dark){svg{background:#16181d}text{fill:#e8e8e8}.s{fill:#9aa0a8}line{stroke:#fff3}\
.own{fill:#5b9be0}.working{fill:#40c07a}.searching{fill:#e0a820}.parked{fill:#343943}}";

impl Doing {
    fn class(self) -> &'static str {
        match self {
            Doing::Own => "own",
            Doing::Working => "working",
            Doing::Searching => "searching",
            Doing::Parked => "parked",
        }
    }
}

impl Trace {
    /// Writes a picture of the threads' activities over time, as SVG for light and dark
    /// backgrounds.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_svg(&self, mut to: impl Write) -> io::Result<()> {
        let bottom = TOP + self.lanes.len() * PITCH;
        let height = bottom + 34;
        writeln!(
            to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\"><style>{STYLE}</style>"
        )?;
        let dropped = match self.dropped() {
            0 => String::new(),
            n => format!("; {n} older events were dropped"),
        };
        writeln!(
            to,
            "<text class=\"t\" x=\"{LEFT}\" y=\"22\">What the threads did in {}{dropped}</text>",
            shown(self.duration, self.duration)
        )?;
        self.legend(&mut to)?;
        self.axis(&mut to, bottom)?;
        for (number, lane) in self.lanes.iter().enumerate() {
            let top = TOP + number * PITCH;
            let middle = top + LANE / 2 + 5;
            writeln!(
                to,
                "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text>",
                LEFT - 8,
                lane.name
            )?;
            self.lane(&mut to, lane, top)?;
        }
        writeln!(to, "</svg>")
    }

    fn legend(&self, to: &mut impl Write) -> io::Result<()> {
        let whole = self.duration.as_secs_f64().max(1e-9) * self.lanes.len().max(1) as f64;
        for (place, doing) in Doing::ALL.into_iter().enumerate() {
            let spent: Duration = self.lanes.iter().map(|lane| lane.spent(doing)).sum();
            let percent = 100.0 * spent.as_secs_f64() / whole;
            let x = LEFT + place * 150;
            writeln!(
                to,
                "<rect class=\"{}\" x=\"{x}\" y=\"34\" width=\"12\" height=\"12\"/><text x=\"{}\" y=\"45\">{} {percent:.1} %</text>",
                doing.class(),
                x + 18,
                doing.name()
            )?;
        }
        Ok(())
    }

    fn axis(&self, to: &mut impl Write, bottom: usize) -> io::Result<()> {
        let whole = self.duration.as_nanos().max(1);
        let step = round_step(whole / 8);
        let mut at = 0;
        while at <= whole {
            let x = LEFT as f64 + COLUMNS as f64 * (at as f64 / whole as f64);
            let time = Duration::from_nanos(u64::try_from(at).unwrap_or(u64::MAX));
            writeln!(
                to,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{bottom}\"/><text class=\"s\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                TOP - 6,
                bottom + 18,
                shown(time, self.duration)
            )?;
            at += step;
        }
        Ok(())
    }

    fn lane(&self, to: &mut impl Write, lane: &Lane, top: usize) -> io::Result<()> {
        let columns = self.columns(lane);
        let mut from = 0;
        while from < COLUMNS {
            let shares = columns[from];
            let alike = columns[from..].iter().take_while(|other| **other == shares);
            let width = alike.count();
            let mut y = top as f64;
            for (doing, share) in Doing::ALL.into_iter().zip(shares) {
                let height = f64::from(share) / 100.0 * LANE as f64;
                if share > 0 {
                    writeln!(
                        to,
                        "<rect class=\"{}\" x=\"{}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height:.1}\"/>",
                        doing.class(),
                        LEFT + from
                    )?;
                }
                y += height;
            }
            from += width;
        }
        Ok(())
    }

    /// What percentage of each column the thread did what.
    fn columns(&self, lane: &Lane) -> Vec<[u8; Doing::ALL.len()]> {
        let scale = COLUMNS as f64 / (self.duration.as_secs_f64()).max(1e-9);
        let mut shares = vec![[0.0; Doing::ALL.len()]; COLUMNS];
        for stretch in &lane.stretches {
            let start = stretch.start.as_secs_f64() * scale;
            let end = (stretch.end.as_secs_f64() * scale).min(COLUMNS as f64);
            let mut at = start;
            while at < end {
                let column = (at as usize).min(COLUMNS - 1);
                let until = end.min((column + 1) as f64);
                shares[column][stretch.doing as usize] += until - at;
                if until <= at {
                    break;
                }
                at = until;
            }
        }
        let percent = |share: f64| (share * 100.0).round().clamp(0.0, 100.0) as u8;
        shares.into_iter().map(|all| all.map(percent)).collect()
    }
}

/// A round number of nanoseconds, about so many.
fn round_step(about: u128) -> u128 {
    let mut step = 1;
    loop {
        for factor in [1, 2, 5] {
            if step * factor >= about {
                return step * factor;
            }
        }
        step *= 10;
    }
}

/// A time in the unit that suits the whole.
fn shown(time: Duration, whole: Duration) -> String {
    let (unit, name) = match whole.as_nanos() {
        0..10_000_000 => (1e6, "µs"),
        10_000_000..10_000_000_000 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    let value = time.as_secs_f64() * unit;
    let digits = usize::from(value.fract() > 0.05 && value < 100.0);
    format!("{value:.digits$} {name}")
}
