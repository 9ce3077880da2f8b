//! A random program: a tree of operations that follows from a seed, and what it comes to.
//!
//! By the rules of fork/join each program ends: an operation waits only for what it has itself
//! started, or for what was started before it by the same parent (a chain).

use fastrand::Rng;
use std::fmt;

use Kind::*;

/// What an operation does with its children; how many it has, from and to; whether rayon has it.
macro_rules! kinds {
    ($($(#[doc = $what:literal])? $kind:ident $least:literal $most:literal $on_rayon:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) enum Kind { $($(#[doc = $what])? $kind,)* }
        const KINDS: &[(Kind, [u64; 2], bool)] = &[$((Kind::$kind, [$least, $most], $on_rayon),)*];
    };
}

kinds! {
    Leaf 0 0 true,
    Join 2 2 true,
    Scope 1 5 true,
    ScopeFifo 1 5 true,
    /// A scope of another pool, opened in place.
    InPlace 1 4 true,
    /// Spawns tasks, and yields until they have ended. (Not in another pool: yield_now says why.)
    Yields 1 5 true,
    Install 1 1 true,
    Broadcast 1 1 true,
    /// Calls each thread of another pool.
    BroadcastIn 1 1 true,
    /// Broadcasts spawned in a scope.
    ScopeBroadcast 1 3 true,
    Loop 1 8 true,
    Join3 3 3 false,
    /// Joins of a handle of another pool.
    Handle 3 3 false,
    /// Joins the promises of tasks.
    Promises 1 5 false,
    /// Tasks each of which joins the one before.
    Chain 2 6 false,
    /// A scope that is cancelled.
    Cancel 1 5 false,
    /// Cancels the promises of tasks.
    CancelTasks 1 4 false,
    /// Joins a future that wakes itself.
    Steps 1 3 false,
    /// A future that awaits tasks; yields until it has ended.
    Awaits 1 4 false,
    /// A future that receives what others send; yields until it has ended.
    Channel 1 4 false,
    /// Operations on a map that all share.
    Batch 0 0 false,
    /// A loop, a sort and a search.
    Sort 0 0 false,
    /// Futures whose pool ends while they wait.
    Ended 0 0 false,
    /// Outside of all pools: a scope whose tasks go on until another task has run.
    EndlessScope 0 0 false,
    /// The same with broadcasts that are spawned.
    EndlessBroadcast 0 0 false,
}

impl Kind {
    pub(crate) fn is_endless(self) -> bool {
        matches!(self, EndlessScope | EndlessBroadcast)
    }

    fn yields(self) -> bool {
        matches!(self, Yields | Awaits | Channel)
    }

    pub(crate) fn broadcasts(self) -> bool {
        matches!(self, Broadcast | BroadcastIn | ScopeBroadcast)
    }

    /// What its children come to does not count: they may run often, or not at all.
    pub(crate) fn ignores_children(self) -> bool {
        self.broadcasts() || matches!(self, Cancel | CancelTasks)
    }

    fn has_pool(self) -> bool {
        matches!(self, InPlace | Install | BroadcastIn | Handle) || self.is_endless()
    }
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) children: Vec<usize>,
    pub(crate) pool: usize,
    pub(crate) panics: bool,
    pub(crate) catches: bool,
    /// Makes choices.
    pub(crate) dice: u64,
    /// What it comes to; nothing if it panics.
    pub(crate) value: Option<u64>,
}

/// A pool to be built.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) threads: usize,
    /// Where the callers of some pools wait.
    pub(crate) waits: bool,
    pub(crate) when_needed: bool,
    pub(crate) newest_first: bool,
}

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) pools: Vec<Plan>,
    /// What outside threads call, all at once.
    pub(crate) roots: Vec<usize>,
    pub(crate) nodes: Vec<Node>,
    /// Whether rayon has all of it.
    pub(crate) for_rayon: bool,
    kinds: Vec<(Kind, [u64; 2], bool)>,
    /// One of so many operations panics.
    danger: Option<u64>,
}

impl Program {
    /// The program of this seed, without these kinds of operations, and with leaves in the place
    /// of these.
    pub(crate) fn new(seed: u64, without: &[String], dropped: &[usize]) -> Program {
        let mut random = Rng::with_seed(seed);
        let for_rayon = random.bool();
        // Some kinds only: so these meet often.
        let share = 1 + random.u64(..4);
        let is_in = |kind: Kind| !without.contains(&format!("{kind:?}"));
        let mut kinds: Vec<_> = KINDS
            .iter()
            .copied()
            .filter(|&(kind, _, on_rayon)| {
                random.u64(..4) < share && (on_rayon || !for_rayon) && is_in(kind)
            })
            .collect();
        let has = |kind: Kind| kinds.iter().any(|k| k.0 == kind);
        // What a yield runs, or a broadcast's closure that yields, may wait for what is below it.
        if has(Chain) || has(Batch) && kinds.iter().any(|k| k.0.broadcasts()) {
            kinds.retain(|k| !k.0.yields());
        }
        let pools = (0..1 + random.u64(..4)).map(|_| Plan {
            threads: 1 + [random.u64(..2), random.u64(..4), random.u64(..8)][random.usize(..3)]
                as usize,
            waits: random.bool(),
            when_needed: random.u64(..4) == 0,
            newest_first: random.u64(..4) == 0,
        });
        let mut program = Program {
            pools: pools.collect(),
            roots: Vec::new(),
            nodes: Vec::new(),
            for_rayon,
            kinds,
            danger: (random.u64(..4) == 0).then(|| 10 + random.u64(..30)),
        };
        let most = 4 << random.u64(..5);
        let size = 2 + random.u64(..most);
        for _ in 0..1 + random.u64(..4) {
            let root = program.grow(&mut random, size, 0, 0);
            program.roots.push(root);
        }
        dropped.iter().for_each(|&node| program.drop(node));
        for node in (0..program.nodes.len()).rev() {
            program.nodes[node].value = program.value(node);
        }
        program
    }

    /// Takes a node out, or makes it a leaf where there must be one.
    fn drop(&mut self, id: usize) {
        let least = |kind| {
            KINDS
                .iter()
                .find(|k| k.0 == kind)
                .map_or(0, |k| k.1[0] as usize)
        };
        let has_it = |node: &&mut Node| node.children.contains(&id);
        match self.nodes.iter_mut().find(has_it) {
            Some(node) if node.children.len() > least(node.kind) => {
                node.children.retain(|&child| child != id);
            }
            None if self.roots.len() > 1 => self.roots.retain(|&root| root != id),
            _ => (self.nodes[id].kind, self.nodes[id].children) = (Leaf, Vec::new()),
        }
    }

    /// Adds a tree of about so many operations, inside so many broadcasts; children come after
    /// their parents.
    fn grow(&mut self, random: &mut Rng, size: u64, depth: u32, calls: u32) -> usize {
        let id = self.nodes.len();
        let fits = |kind: Kind| {
            let outside = depth == 0 || !kind.is_endless();
            outside && (calls == 0 || kind != Batch) && (calls < 2 || !kind.broadcasts())
        };
        let fitting: Vec<_> = self.kinds.iter().copied().filter(|k| fits(k.0)).collect();
        let (kind, [least, most], _) = match fitting.len() as u64 {
            some @ 1.. if size > 1 && depth < 12 => fitting[random.usize(..some as usize)],
            _ => (Leaf, [0, 0], true),
        };
        let count = least + random.u64(..most - least + 1);
        let ignored = kind.ignores_children();
        self.nodes.push(Node {
            kind,
            children: Vec::new(),
            pool: random.usize(..self.pools.len()),
            panics: self.danger.is_some_and(|danger| random.u64(..danger) == 0),
            catches: random.u64(..8) == 0,
            dice: random.u64(..),
            value: None,
        });
        let calls = calls + u32::from(kind.broadcasts());
        for _ in 0..count {
            let share = if calls > 0 { 4 } else { u64::MAX };
            let child = self.grow(random, ((size - 1) / count).min(share), depth + 1, calls);
            self.nodes[child].catches |= ignored;
            self.nodes[id].children.push(child);
        }
        id
    }

    /// The value of a node whose children have theirs.
    fn value(&self, id: usize) -> Option<u64> {
        let node = &self.nodes[id];
        let below = node.children.iter().map(|&child| self.nodes[child].value);
        let below = match node.kind {
            kind if kind.ignores_children() => Some(0),
            _ => below.sum::<Option<u64>>(),
        };
        let value = below.filter(|_| !node.panics).map(|below| below + own(id));
        value.or(node.catches.then_some(own(id)))
    }

    pub(crate) fn may_panic(&self) -> bool {
        self.nodes.iter().any(|node| node.panics)
    }

    /// Whether it is part of the program, that is, not below a node that was dropped.
    pub(crate) fn is_reached(&self, id: usize) -> bool {
        self.roots.contains(&id) || {
            let mut nodes = self.nodes.iter().enumerate();
            let parent = nodes.find(|(_, node)| node.children.contains(&id));
            parent.is_some_and(|(parent, _)| self.is_reached(parent))
        }
    }

    fn text(&self, id: usize, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = &self.nodes[id];
        write!(f, "{:1$}{id} {2:?}", "", 4 + 2 * depth, node.kind)?;
        if node.kind.has_pool() || depth == 0 {
            write!(f, " in pool {}", node.pool)?;
        }
        let notes = [(node.catches, ", catches"), (node.panics, ", panics")];
        let notes = notes.iter().filter(|note| note.0).map(|note| note.1);
        writeln!(f, "{}", notes.collect::<String>())?;
        let mut children = node.children.iter();
        children.try_for_each(|&child| self.text(child, depth + 1, f))
    }
}

/// What a node adds to the sum.
pub(crate) fn own(id: usize) -> u64 {
    Rng::with_seed(id as u64).u64(..) >> 24
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, pool) in self.pools.iter().enumerate() {
            writeln!(f, "  pool {index}: {pool:?}")?;
        }
        writeln!(f, "  outside threads call:")?;
        self.roots
            .iter()
            .try_for_each(|&root| self.text(root, 0, f))
    }
}
