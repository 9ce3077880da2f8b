//! Bodies that attract each other, all pairs, some steps: a parallel loop over the bodies computes
//! their accelerations, another one moves them. From domainslib's test programs.

use super::random::{digest_f64, fraction};
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// Steps.
const STEPS: usize = 10;
/// The length of a step.
const DT: f64 = 1e-3;

/// A body.
#[derive(Clone, Copy)]
struct Body {
    place: [f64; 3],
    speed: [f64; 3],
    mass: f64,
}

impl Body {
    fn pull(&self, bodies: &[Body]) -> [f64; 3] {
        bodies.iter().fold([0.0; 3], |pull, other| {
            let [x, y, z] = std::array::from_fn(|axis| other.place[axis] - self.place[axis]);
            let square = x * x + y * y + z * z + 1e-4;
            let strength = other.mass / (square * square.sqrt());
            [
                pull[0] + x * strength,
                pull[1] + y * strength,
                pull[2] + z * strength,
            ]
        })
    }

    fn move_on(&mut self, pull: &[f64; 3]) {
        let axes = self.place.iter_mut().zip(&mut self.speed).zip(pull);
        for ((place, speed), pull) in axes {
            *speed += pull * DT;
            *place += *speed * DT;
        }
    }
}

/// Bodies in a cube.
pub(crate) struct Nbody {
    work: Work<Vec<Body>>,
    expected: u64,
}

impl Nbody {
    /// So many of them.
    pub(crate) fn new(size: usize) -> Nbody {
        let body = |n: u64| Body {
            place: std::array::from_fn(|axis| fraction(n * 4 + axis as u64)),
            speed: [0.0; 3],
            mass: fraction(n * 4 + 3),
        };
        let work = Work::new((0..size as u64).map(body).collect::<Vec<_>>());
        let mut bodies = work.initial().clone();
        simulate(&mut bodies);
        Nbody {
            work,
            expected: places(&bodies),
        }
    }
}

fn places(bodies: &[Body]) -> u64 {
    digest_f64(
        bodies
            .iter()
            .map(|body| body.place)
            .collect::<Vec<_>>()
            .as_flattened(),
    )
}

fn simulate(bodies: &mut [Body]) {
    for _ in 0..STEPS {
        let pulls: Vec<_> = bodies.iter().map(|body| body.pull(bodies)).collect();
        let all = bodies.iter_mut().zip(&pulls);
        all.for_each(|(body, pull)| body.move_on(pull));
    }
}

each_library! {
    pub(super) fn simulate(bodies: &mut [Body]) {
        for _ in 0..STEPS {
            let pulls: Vec<_> = bodies.par_iter().map(|body| body.pull(bodies)).collect();
            let all = bodies.par_iter_mut().zip(&pulls);
            all.for_each(|(body, pull)| body.move_on(pull));
        }
    }
}

impl Problem for Nbody {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => simulate(&mut self.work.lock()));
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn in_place(&self) -> bool {
        true
    }

    fn reset(&self) {
        self.work.reset();
    }

    fn answer(&self, _returned: u64) -> u64 {
        places(&self.work.lock())
    }
}
