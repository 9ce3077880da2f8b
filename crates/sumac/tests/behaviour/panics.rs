//! The panic matrix: who panics, where the second half is at that moment, who catches it, and
//! what panics once more on being dropped. Every cell is a child process, so that an abort or a
//! hang is a failure that names its cell; exactly one panic comes out and every drop is counted.

use std::{
    any::Any,
    fmt::Write as _,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
    time::Duration,
};

use sumac_test_support::{
    Cx, LONG, Ledger, Style, assert_usable, caught, child, child_argument, enter, keep_forking,
    pool, run, spin, throw, wait_until,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Panics {
    First,
    Second,
    Both,
}

/// Where the second half is when the first one ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Second {
    /// No thread could take it.
    Queued,
    /// Idle workers ask and the first half ends after 0 to 20 µs: withdrawn or just taken.
    Offered,
    Running,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Catch {
    Inside,
    AtRoot,
    Nowhere,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Bomb {
    None,
    Payload,
    Result,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    style: Style,
    panics: Panics,
    second: Second,
    catch: Catch,
    bomb: Bomb,
}

fn cells(style: Style) -> Vec<Cell> {
    let mut cells = Vec::new();
    for panics in [Panics::First, Panics::Second, Panics::Both] {
        for second in [
            Second::Queued,
            Second::Offered,
            Second::Running,
            Second::Done,
        ] {
            for catch in [Catch::Inside, Catch::AtRoot, Catch::Nowhere] {
                for bomb in [Bomb::None, Bomb::Payload, Bomb::Result] {
                    cells.push(Cell {
                        style,
                        panics,
                        second,
                        catch,
                        bomb,
                    });
                }
            }
        }
    }
    cells
}

static CAPTURES: Ledger = Ledger::new();
static RESULTS: Ledger = Ledger::new();
static PAYLOADS: Ledger = Ledger::new();
/// How often the second half was run.
static SECONDS: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Half {
    First,
    Second,
}

struct Explosive {
    _token: sumac_test_support::Token<'static>,
    explodes: bool,
}

impl Explosive {
    fn new(ledger: &'static Ledger, explodes: bool) -> Explosive {
        Explosive {
            _token: ledger.token(),
            explodes,
        }
    }
}

impl Drop for Explosive {
    fn drop(&mut self) {
        if self.explodes {
            throw("dropped");
        }
    }
}

struct Payload {
    from: Half,
    _explosive: Explosive,
}

impl Cell {
    fn explode(self, from: Half) -> ! {
        // A payload that leaves the process cannot be guarded, so that one is plain.
        let wins = from == Half::First || self.panics == Panics::Second;
        let explodes = self.bomb == Bomb::Payload && !(wins && self.catch == Catch::Nowhere);
        throw(Payload {
            from,
            _explosive: Explosive::new(&PAYLOADS, explodes),
        })
    }

    fn result(self) -> Explosive {
        Explosive::new(&RESULTS, self.bomb == Bomb::Result)
    }

    /// The join under test. `trial` varies the time the first half takes.
    fn join(self, cx: &mut Cx<'_, '_>, trial: u64) {
        let (started, done) = (AtomicBool::new(false), AtomicBool::new(false));
        let first_ends = AtomicBool::new(false);
        let tokens = (CAPTURES.token(), CAPTURES.token());
        let see = |cx: &mut Cx<'_, '_>, flag: &AtomicBool| {
            assert!(
                keep_forking(cx, || flag.load(SeqCst)),
                "the half was not taken"
            );
        };
        cx.join(
            |cx| {
                let _token = tokens.0;
                match self.second {
                    Second::Queued => {}
                    Second::Offered => spin(Duration::from_micros(trial % 20)),
                    Second::Running => see(cx, &started),
                    Second::Done => {
                        see(cx, &done);
                        thread::sleep(Duration::from_millis(1));
                    }
                }
                first_ends.store(true, SeqCst);
                if self.panics == Panics::Second {
                    self.result()
                } else {
                    self.explode(Half::First)
                }
            },
            |_| {
                let _token = tokens.1;
                SECONDS.fetch_add(1, SeqCst);
                assert!(!thread::panicking());
                started.store(true, SeqCst);
                if self.second == Second::Running {
                    wait_until(LONG, || first_ends.load(SeqCst));
                    thread::sleep(Duration::from_millis(2));
                }
                done.store(true, SeqCst);
                if self.panics == Panics::First {
                    self.result()
                } else {
                    self.explode(Half::Second)
                }
            },
        );
    }

    fn assert_payload(self, payload: Box<dyn Any + Send>) {
        let Ok(payload) = payload.downcast::<Payload>() else {
            panic!("a payload that is not the test's");
        };
        let from = if self.panics == Panics::Second {
            Half::Second
        } else {
            Half::First
        };
        assert_eq!(payload.from, from, "whose payload comes out");
        if payload._explosive.explodes {
            caught(|| drop(payload));
        }
    }

    fn trial(self, pool: &sumac::ThreadPool, trial: u64) {
        let after = AtomicBool::new(false);
        let around = |cx: &mut Cx<'_, '_>| {
            cx.join(
                |cx| {
                    if self.catch == Catch::Inside {
                        self.assert_payload(caught(|| self.join(cx, trial)));
                    } else {
                        self.join(cx, trial);
                    }
                },
                |_| after.store(true, SeqCst),
            );
        };
        match self.catch {
            Catch::Inside => {
                enter(self.style, pool, around);
                assert!(after.load(SeqCst), "the outer join went on");
            }
            Catch::AtRoot => self.assert_payload(caught(|| enter(self.style, pool, around))),
            Catch::Nowhere => enter(self.style, pool, around),
        }
    }

    fn threads(self) -> usize {
        match self.second {
            Second::Queued => 1,
            // The half around the join under test takes one worker as well.
            _ => 4,
        }
    }

    fn trials(self) -> u64 {
        if self.second == Second::Offered && self.catch != Catch::Nowhere {
            60
        } else {
            1
        }
    }
}

/// Prints whether the books balance, also on the way out of a process that aborts.
struct Books(Style);

const BALANCED: &str = "the books balance";

impl Drop for Books {
    fn drop(&mut self) {
        let books = [&CAPTURES, &RESULTS, &PAYLOADS].map(Ledger::counts);
        let (joins, seconds) = (books[0].0 / 2, SECONDS.load(SeqCst));
        if books[..2].iter().all(|(made, dropped)| made == dropped)
            && joins >= 1
            && (self.0 == Style::Scope || seconds == joins)
        {
            println!("{BALANCED}");
        } else {
            println!("captures, results, payloads (made, dropped): {books:?}, run: {seconds}");
        }
    }
}

fn run_cell(cell: Cell) {
    let books = Books(cell.style);
    let pool = pool(cell.threads());
    for trial in 0..cell.trials() {
        cell.trial(&pool, trial);
    }
    assert_usable(&pool);
    pool.wait_until_stopped();
    drop(books);
    PAYLOADS.assert_balanced();
}

fn matrix(name: &str, style: Style) {
    let cells = cells(style);
    if let Some(index) = child_argument(name) {
        run_cell(cells[index.parse::<usize>().expect("the index of a cell")]);
        return;
    }
    let (mut failures, mut failed) = (String::new(), 0);
    for (index, cell) in cells.iter().enumerate() {
        let ended = run(child(name, &index.to_string()), LONG);
        let expected = if cell.catch == Catch::Nowhere { 101 } else { 0 };
        if ended.status.code() != Some(expected) || !ended.output.contains(BALANCED) {
            writeln!(failures, "{cell:?}: {}\n{}", ended.status, ended.output).expect("memory");
            failed += 1;
            assert!(failed < 8, "the first cells that failed:\n{failures}");
        }
    }
    assert!(failures.is_empty(), "cells that failed:\n{failures}");
}

#[test]
fn matrix_of_scope_joins() {
    matrix("panics::matrix_of_scope_joins", Style::Scope);
}

#[test]
fn matrix_of_plain_joins() {
    matrix("panics::matrix_of_plain_joins", Style::Join);
}

/// rayon's contract for plain joins, and chili's for those of scopes.
#[test]
fn second_half_after_the_first_panicked() {
    for style in Style::ALL {
        let ran = AtomicBool::new(false);
        let payload = caught(|| {
            enter(style, &pool(1), |cx| {
                cx.join(
                    |_| throw("first"),
                    |cx| {
                        assert!(!thread::panicking());
                        // The pool and the thread's chain of frames are in order.
                        assert_eq!(sumac_test_support::sum(cx, 0, 100), 4_950);
                        ran.store(true, SeqCst);
                        throw("second")
                    },
                )
            });
        });
        assert_eq!(payload.downcast_ref(), Some(&"first"));
        assert_eq!(ran.load(SeqCst), style == Style::Join);
    }
}

#[test]
fn panic_of_a_deep_taken_half_climbs_to_the_root() {
    fn descend(cx: &mut Cx<'_, '_>, depth: u32) {
        let taken = AtomicBool::new(false);
        cx.join(
            |cx| {
                if depth > 0 && depth % 2 == 0 {
                    assert!(keep_forking(cx, || taken.load(SeqCst)), "not taken");
                }
            },
            |cx| {
                taken.store(true, SeqCst);
                if depth == 0 {
                    throw(42_u8)
                } else {
                    descend(cx, depth - 1)
                }
            },
        );
    }
    sumac_test_support::within(LONG, "deep panic", || {
        for style in Style::ALL {
            let payload = caught(|| enter(style, &pool(3), |cx| descend(cx, 8)));
            assert_eq!(payload.downcast_ref(), Some(&42_u8));
        }
    });
}
