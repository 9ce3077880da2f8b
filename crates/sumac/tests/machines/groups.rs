//! Control groups, as containers are made of: a quota of processor time, and sets of processors.
//! They need root, and a system that lets it make groups (`ci/machines.sh`).

use super::{BEGUN, affinity::shrink_and_grow, exercise, keep_busy, run_there, skipped, through};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{self, Command},
    thread,
    time::{Duration, Instant},
};
use sumac::{ThreadPool, ThreadPoolBuilder};
use sumac_test_support::{Cx, LONG, Style, alone, child, child_argument, enter, wait_until};

/// A group of processes of one controller, gone when it is dropped.
struct Group {
    path: PathBuf,
    /// Whether each controller has a tree of its own.
    is_first_version: bool,
}

impl Group {
    fn new(controller: &str) -> io::Result<Group> {
        let root = Path::new("/sys/fs/cgroup");
        let is_first_version = !root.join("cgroup.controllers").exists();
        let parent = if is_first_version {
            root.join(controller)
        } else {
            fs::write(
                root.join("cgroup.subtree_control"),
                format!("+{controller}"),
            )?;
            root.to_owned()
        };
        let path = parent.join(format!("sumac-test-{}", process::id()));
        fs::create_dir(&path)?;
        Ok(Group {
            path,
            is_first_version,
        })
    }

    fn set(&self, first_version: (&str, &str), second_version: (&str, &str)) -> io::Result<()> {
        let (file, value) = if self.is_first_version {
            first_version
        } else {
            second_version
        };
        fs::write(self.path.join(file), value)
    }

    /// The command as a process of this group.
    fn inside(&self, command: &Command) -> Command {
        let enter = format!(
            "echo $$ >'{}/cgroup.procs' && exec \"$@\"",
            self.path.display()
        );
        through("sh", &["-c", &enter, "sh"], command)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its processes have ended, but the system may still be at it.
        for _ in 0..100 {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Runs a child in a group, if there can be one.
fn run_in(what: &str, group: io::Result<Group>, mut command: Command) {
    command.arg("--include-ignored");
    match group {
        Ok(group) => run_there(what, group.inside(&command)),
        Err(why) => skipped(what, &format!("no control group: {why}")),
    }
}

/// How many pieces of work are done in so long: trees with 128 small leaves.
fn pieces(pool: &ThreadPool, time: Duration) -> f64 {
    fn tree(cx: &mut Cx<'_, '_>, depth: u32) {
        if depth == 0 {
            compute();
        } else {
            cx.join(|cx| tree(cx, depth - 1), |cx| tree(cx, depth - 1));
        }
    }
    let begin = Instant::now();
    let mut trees = 0.0;
    while begin.elapsed() < time {
        enter(Style::Scope, pool, |cx| tree(cx, 7));
        trees += 1.0;
    }
    trees * 128.0 / begin.elapsed().as_secs_f64()
}

/// Takes processor time, however long that lasts.
fn compute() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..2_000 {
        std::hint::black_box(random.u64(..));
    }
}

#[test]
#[ignore = "needs control groups: ci/machines.sh"]
fn a_quota_of_processor_time_is_used() {
    let _alone = alone();
    const NAME: &str = "groups::a_quota_of_processor_time_is_used";
    if let Some(expected) = child_argument(NAME) {
        println!("{BEGUN}");
        let default = ThreadPoolBuilder::new().build().expect("a pool");
        println!("  {} threads by default", default.current_num_threads());
        assert_eq!(default.current_num_threads().to_string(), expected);
        exercise(&default);
        let one = ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("a pool");
        for threads in [2, 4] {
            let more = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool");
            exercise(&more);
            let ratio = || {
                let time = Duration::from_secs(1);
                let (alone, together) = (pieces(&one, time), pieces(&more, time));
                println!("  {threads} threads: {together:.0} pieces/s, one thread {alone:.0}");
                together / alone
            };
            let is_sensible = (0..3).any(|_| ratio() > 0.75);
            assert!(is_sensible, "{threads} threads do less than one");
        }
        return;
    }
    // The standard library rounds down, and says 1 at least.
    let machine = thread::available_parallelism().map_or(1, usize::from);
    for (percent, expected) in [(50, 1), (150, 1), (250, 2.min(machine))] {
        let quota = (percent * 1_000).to_string();
        let group = Group::new("cpu").and_then(|group| {
            let max = format!("{quota} 100000");
            group.set(("cpu.cfs_quota_us", &quota), ("cpu.max", &max))?;
            Ok(group)
        });
        let what = format!("a quota of {percent} % of a processor");
        run_in(&what, group, child(NAME, &expected.to_string()));
    }
}

const QUOTA: &str = "SUMAC_TEST_QUOTA";

#[test]
#[ignore = "needs control groups: ci/machines.sh"]
fn a_quota_that_changes_is_followed() {
    let _alone = alone();
    const NAME: &str = "groups::a_quota_that_changes_is_followed";
    if child_argument(NAME).is_some() {
        println!("{BEGUN}");
        let path = std::env::var_os(QUOTA).expect("the folder of the group");
        let default = ThreadPoolBuilder::new().build().expect("a pool");
        let two = ThreadPoolBuilder::new().num_threads(2).build();
        let two = two.expect("a pool");
        assert_eq!(default.current_num_threads(), 2);
        for processors in [1, 2, 1, 2] {
            write_quota(Path::new(&path), processors * 100_000).expect("a quota");
            let begin = Instant::now();
            let follows = wait_until(LONG / 4, || {
                assert_eq!(default.join(|| 1, || 2), (1, 2));
                assert_eq!(default.spawn(|| 3).join(), 3);
                two.join(|| (), || ());
                default.current_num_threads() == processors as usize
            });
            assert!(follows, "{} threads", default.current_num_threads());
            println!("  {processors} after {:?}", begin.elapsed());
            exercise(&default);
            assert_eq!(two.current_num_threads(), 2, "its size was no default");
        }
        default.resize(1).expect("one");
        write_quota(Path::new(&path), 100_000).expect("a quota");
        keep_busy(&default, Duration::from_secs(1));
        write_quota(Path::new(&path), 200_000).expect("a quota");
        keep_busy(&default, Duration::from_secs(1));
        assert_eq!(default.current_num_threads(), 1, "its size is no default");
        for pool in [&default, &two] {
            pool.resize(0).expect("the default");
        }
        write_quota(Path::new(&path), 100_000).expect("a quota");
        let follow = wait_until(LONG / 4, || {
            [&default, &two].into_iter().all(|pool| {
                pool.join(|| (), || ());
                pool.current_num_threads() == 1
            })
        });
        assert!(follow, "their sizes are defaults now");
        return;
    }
    if thread::available_parallelism().is_ok_and(|n| n.get() < 2) {
        return skipped("a quota that changes", "one processor");
    }
    let group = Group::new("cpu").and_then(|group| {
        write_quota(&group.path, 200_000)?;
        Ok(group)
    });
    let mut command = child(NAME, "");
    if let Ok(group) = &group {
        command.env(QUOTA, &group.path);
    }
    run_in("a quota that changes", group, command);
}

/// Microseconds of processor time in a tenth of a second.
fn write_quota(group: &Path, quota: u32) -> io::Result<()> {
    let second_version = group.join("cpu.max");
    if second_version.exists() {
        fs::write(second_version, format!("{quota} 100000"))
    } else {
        fs::write(group.join("cpu.cfs_quota_us"), quota.to_string())
    }
}

const CPUSET: &str = "SUMAC_TEST_CPUSET";

#[test]
#[ignore = "needs control groups: ci/machines.sh"]
fn a_set_of_processors_that_shrinks_and_grows_is_used() {
    let _alone = alone();
    const NAME: &str = "groups::a_set_of_processors_that_shrinks_and_grows_is_used";
    if child_argument(NAME).is_some() {
        println!("{BEGUN}");
        let file = std::env::var_os(CPUSET).expect("the file of the set");
        return shrink_and_grow(|cpus| {
            let cpus: Vec<_> = cpus.iter().map(ToString::to_string).collect();
            fs::write(&file, cpus.join(",")).expect("processors of this machine");
        });
    }
    if thread::available_parallelism().is_ok_and(|n| n.get() < 2) {
        return skipped("a set of processors", "one processor");
    }
    let online = fs::read_to_string("/sys/devices/system/cpu/online").expect("their numbers");
    let group = Group::new("cpuset").and_then(|group| {
        group.set(("cpuset.cpus", &online), ("cpuset.cpus", &online))?;
        group.set(("cpuset.mems", "0"), ("cpuset.mems", "0"))?;
        Ok(group)
    });
    let mut command = child(NAME, "");
    if let Ok(group) = &group {
        command.env(CPUSET, group.path.join("cpuset.cpus"));
    }
    run_in("a set of processors", group, command);
}
