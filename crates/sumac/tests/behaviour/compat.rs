//! Programs written for chili 0.2 and for rayon's join and pools, with only the crate's name
//! changed: that they compile is half of the test. What sets the global pool is a child process.

use std::{
    error::Error,
    fmt::Debug,
    num::NonZero,
    sync::atomic::{AtomicU8, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use sumac::{Config, Scope, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use sumac_test_support::{LONG, child, child_argument, run_well, within};

struct Node {
    val: u64,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

impl Node {
    fn tree(layers: usize) -> Self {
        let child = || (layers != 1).then(|| Box::new(Self::tree(layers - 1)));
        Self {
            val: 1,
            left: child(),
            right: child(),
        }
    }
}

fn sum(node: &Node, scope: &mut Scope<'_>) -> u64 {
    let (left, right) = scope.join(
        |s| node.left.as_deref().map(|n| sum(n, s)).unwrap_or_default(),
        |s| node.right.as_deref().map(|n| sum(n, s)).unwrap_or_default(),
    );

    node.val + left + right
}

#[test]
fn chili_readme() {
    assert_eq!(sum(&Node::tree(10), &mut Scope::global()), 1023);
}

#[test]
fn chili_scopes_of_every_origin() {
    let tree = Node::tree(8);
    let pools = [
        ThreadPool::new(),
        ThreadPool::default(),
        ThreadPool::with_config(Config::default()),
        ThreadPool::with_config(Config {
            thread_count: Some(NonZero::new(1).unwrap()),
            ..Default::default()
        }),
        ThreadPool::with_config(Config {
            thread_count: NonZero::new(3),
            heartbeat_interval: Duration::from_micros(50),
        }),
        ThreadPool::with_config(Config {
            heartbeat_interval: Duration::MAX,
            ..Config::default()
        }),
    ];
    for pool in &pools {
        let mut scope = pool.scope();
        assert_eq!(sum(&tree, &mut scope), 255);
        assert_eq!(sum(&tree, &mut scope), 255, "a scope can be used again");
        assert_eq!(sum(&tree, &mut pool.scope()), 255, "and beside another one");
    }
    let mut scope = ThreadPool::global().scope();
    let mut vals = [0; 2];
    let (left, right) = vals.split_at_mut(1);
    scope.join(|_| left[0] = 1, |_| right[0] = 2);
    assert_eq!(vals, [1, 2]);
}

#[test]
fn chili_config_is_a_plain_struct() {
    let Config {
        thread_count,
        heartbeat_interval,
    } = Config::default();
    assert_eq!(thread_count, None);
    assert_eq!(heartbeat_interval, Duration::from_micros(100));
}

fn increment(s: &mut Scope<'_>, slice: &mut [u32]) {
    match slice {
        [] => (),
        [one] => *one += 1,
        _ => {
            let (head, tail) = slice.split_at_mut(slice.len() / 2);
            s.join_with_heartbeat_every::<1, _, _, _, _>(
                |s| increment(s, head),
                |s| increment(s, tail),
            );
        }
    }
}

#[test]
fn chili_hints_on_the_heartbeat() {
    within(LONG, "hints", || {
        let pool = ThreadPool::new();
        let mut vals = vec![0; 4_096];
        increment(&mut pool.scope(), &mut vals);
        assert!(vals.iter().all(|&val| val == 1));
        let mut s = pool.scope();
        // chili divides by the first of these.
        let zero = s.join_with_heartbeat_every::<0, _, _, _, _>(|_| 1, |_| 2);
        let most = s.join_with_heartbeat_every::<255, _, _, _, _>(|_| 3, |_| 4);
        assert_eq!((zero, most), ((1, 2), (3, 4)));
    });
}

#[test]
fn chili_concurrent_scopes() {
    const THREADS: u8 = 128;
    let pool = ThreadPool::with_config(Config {
        thread_count: NonZero::new(4),
        ..Config::default()
    });
    let (a, b) = (AtomicU8::new(0), AtomicU8::new(0));
    thread::scope(|s| {
        for _ in 0..THREADS {
            s.spawn(|| {
                pool.scope().join(
                    |_| a.fetch_add(1, Ordering::Relaxed),
                    |_| b.fetch_add(1, Ordering::Relaxed),
                );
            });
        }
    });
    assert_eq!((a.into_inner(), b.into_inner()), (THREADS, THREADS));
}

#[test]
#[should_panic(expected = "panicked across threads")]
fn chili_panic_across_threads() {
    let pool = ThreadPool::new();
    pool.scope()
        .join(|_| (), |_| -> () { panic!("panicked across threads") });
}

#[test]
fn chili_global_pool_can_be_set_once() {
    const NAME: &str = "compat::chili_global_pool_can_be_set_once";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let config = || Config {
        thread_count: NonZero::new(3),
        ..Config::default()
    };
    ThreadPool::with_config(config()).set_global().unwrap();
    assert_eq!(ThreadPool::global().current_num_threads(), 3);
    let back = ThreadPool::with_config(Config {
        thread_count: NonZero::new(2),
        ..config()
    })
    .set_global()
    .expect_err("a second global pool");
    assert_eq!(back.current_num_threads(), 2, "the pool comes back");
    assert_eq!(sum(&Node::tree(6), &mut back.scope()), 63);
    assert_eq!(sum(&Node::tree(6), &mut Scope::global()), 63);
    assert_eq!(ThreadPool::global().current_num_threads(), 3);
}

struct Visitor<'a, 's> {
    scope: &'a mut Scope<'s>,
    visited: &'a AtomicUsize,
}

impl Visitor<'_, '_> {
    fn visit(&mut self, node: &Node) {
        let visited = self.visited;
        visited.fetch_add(1, Ordering::Relaxed);
        let visit = |child: &Option<Box<Node>>, scope: &mut Scope<'_>| {
            if let Some(child) = child {
                Visitor { scope, visited }.visit(child);
            }
        };
        self.scope
            .join(|s| visit(&node.left, s), |s| visit(&node.right, s));
    }
}

struct Session<'p> {
    scope: Scope<'p>,
}

impl<'p> Session<'p> {
    fn new(pool: &'p ThreadPool) -> Self {
        Session {
            scope: pool.scope(),
        }
    }
}

trait Run {
    fn run(&self, scope: &mut Scope<'_>) -> u64;
}

impl<F: Fn(&mut Scope<'_>) -> u64> Run for F {
    fn run(&self, scope: &mut Scope<'_>) -> u64 {
        self(scope)
    }
}

fn both<'s, A: Run + Sync, B: Run + Sync>(scope: &mut Scope<'s>, a: &A, b: &B) -> (u64, u64) {
    scope.join(|s| a.run(s), |s| b.run(s))
}

#[test]
fn scopes_in_structs_generics_and_trait_objects() {
    let (pool, tree, visited) = (ThreadPool::new(), Node::tree(7), AtomicUsize::new(0));
    let mut session = Session::new(&pool);
    Visitor {
        scope: &mut session.scope,
        visited: &visited,
    }
    .visit(&tree);
    assert_eq!(visited.into_inner(), 127);

    let by_tree = |s: &mut Scope<'_>| sum(&tree, s);
    let pointer: fn(&mut Scope<'_>) -> u64 = |s| s.join(|_| 1, |_| 2).1;
    assert_eq!(both(&mut session.scope, &by_tree, &pointer), (127, 2));

    type Boxed = Box<dyn FnOnce(&mut Scope<'_>) -> u64 + Send>;
    let boxed: Vec<Boxed> = vec![Box::new(|s| s.join(|_| 3, |_| 4).0), Box::new(|_| 5)];
    let mut scope: Scope<'static> = Scope::global();
    let mut total = 0;
    for run in boxed {
        total += scope.join(run, |_| ()).0;
    }
    assert_eq!(total, 8);
    let borrowed: Option<&mut Scope<'_>> = Some(&mut scope);
    assert_eq!(borrowed.map(|s| sum(&tree, s)), Some(127));
}

#[test]
fn what_chili_and_rayon_implement_is_implemented() {
    fn thread_safe<T: Send + Sync + 'static>() {}
    fn prints<T: Debug>() {}
    fn error<T: Error + Send + Sync + 'static>() {}
    thread_safe::<ThreadPool>();
    thread_safe::<Config>();
    prints::<ThreadPool>();
    prints::<Config>();
    prints::<Scope<'_>>();
    error::<ThreadPoolBuildError>();
    assert!(!format!("{:?}", ThreadPool::new().scope()).is_empty());
}

fn quick_sort<T: PartialOrd + Send>(v: &mut [T]) {
    if v.len() <= 1 {
        return;
    }
    let (pivot, mut i) = (v.len() - 1, 0);
    for j in 0..pivot {
        if v[j] <= v[pivot] {
            v.swap(i, j);
            i += 1;
        }
    }
    v.swap(i, pivot);
    let (lo, hi) = v.split_at_mut(i);
    sumac::join(|| quick_sort(lo), || quick_sort(hi));
}

#[test]
fn rayon_quick_sort() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut v: Vec<u64> = (0..5_000).map(|_| random.u64(..1_000)).collect();
    let mut expected = v.clone();
    expected.sort();
    quick_sort(&mut v);
    assert_eq!(v, expected);
}

#[test]
fn rayon_pool_from_the_builder() -> Result<(), Box<dyn Error>> {
    let pool = ThreadPoolBuilder::new().num_threads(8).build()?;
    fn fib(n: usize) -> usize {
        if n < 2 {
            return n;
        }
        let (a, b) = sumac::join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    assert_eq!(pool.install(|| fib(15)), 610);
    assert_eq!(pool.join(|| fib(10), || fib(11)), (55, 89));
    assert_eq!(pool.current_num_threads(), 8);
    assert_eq!(pool.install(sumac::current_num_threads), 8);
    let mut text = String::from("borrowed");
    pool.install(|| text.push_str(" and changed"));
    assert_eq!(text, "borrowed and changed");
    Ok(())
}

#[test]
fn rayon_global_pool_is_built_once() {
    const NAME: &str = "compat::rayon_global_pool_is_built_once";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    ThreadPoolBuilder::new()
        .num_threads(5)
        .build_global()
        .unwrap();
    assert_eq!(sumac::current_num_threads(), 5);
    let error = ThreadPoolBuilder::new()
        .num_threads(2)
        .build_global()
        .unwrap_err();
    assert!(!error.to_string().is_empty());
    assert_eq!(sumac::current_num_threads(), 5, "the first one stays");
    assert!(
        ThreadPool::new().set_global().is_err(),
        "in chili's words as well"
    );
    quick_sort(&mut [3, 1, 2]);
}
