//! Hulls and neighbours in the plane.

macro_rules! geometry {
    () => {
        use crate::input::Point;

        /// Twice the area of a triangle, positive if `p` is left of the way from `a` to `b`.
        fn area(a: Point, b: Point, p: Point) -> i64 {
            (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)
        }

        fn packed(p: Point) -> u64 {
            (p.x as u64) << 32 | p.y as u64
        }

        /// Quickhull: the corners of the convex hull, from the leftmost one clockwise.
        pub(crate) fn hull<const MODE: u8>(input: &Input) -> Vec<u64> {
            let all = &input.points;
            let last = most::<MODE, _>(all.len(), 2048, |i| all[i]);
            let first = most::<MODE, _>(all.len(), 2048, |i| std::cmp::Reverse(all[i]));
            let (Some(std::cmp::Reverse(first)), Some(last)) = (first, last) else {
                return Vec::new();
            };
            if first == last {
                return vec![packed(first)];
            }
            let (above, below) = both::<MODE, _, _>(
                || outside::<MODE>(all, first, last),
                || outside::<MODE>(all, last, first),
            );
            [vec![packed(first)], above, vec![packed(last)], below].concat()
        }

        /// The corners strictly left of the way from `a` to `b`.
        fn outside<const MODE: u8>(all: &[Point], a: Point, b: Point) -> Vec<u64> {
            if MODE == TUNED && all.len() <= 2048 {
                return outside::<SEQUENTIAL>(all, a, b);
            }
            let left = pack::<MODE, _>(all.len(), 2048, |i| {
                Some(all[i]).filter(|p| area(a, b, *p) > 0)
            });
            let far = most::<MODE, _>(left.len(), 2048, |i| (area(a, b, left[i]), left[i]));
            let Some((_, far)) = far else {
                return Vec::new();
            };
            let (before, after) = both::<MODE, _, _>(
                || outside::<MODE>(&left, a, far),
                || outside::<MODE>(&left, far, b),
            );
            [before, vec![packed(far)], after].concat()
        }

        /// The square of the distance of each point to the next one, by a k-d tree.
        pub(crate) fn neighbours<const MODE: u8>(input: &Input) -> Vec<u64> {
            let of = &input.points;
            let mut tree = collect::<MODE, _>(of.len(), 4096, |i| (of[i], i as u32));
            divide::<MODE>(&mut tree, true);
            collect::<MODE, _>(of.len(), 128, |i| {
                let mut least = u64::MAX;
                nearest(&tree, true, of[i], i as u32, &mut least);
                least
            })
        }

        fn divide<const MODE: u8>(tree: &mut [(Point, u32)], by_x: bool) {
            if tree.len() <= 1 {
                return;
            }
            if MODE == TUNED && tree.len() <= 1024 {
                return divide::<SEQUENTIAL>(tree, by_x);
            }
            let middle = tree.len() / 2;
            let (low, _, high) =
                tree.select_nth_unstable_by_key(middle, |(p, _)| if by_x { p.x } else { p.y });
            both::<MODE, _, _>(
                || divide::<MODE>(low, !by_x),
                || divide::<MODE>(high, !by_x),
            );
        }

        fn nearest(tree: &[(Point, u32)], by_x: bool, p: Point, this: u32, least: &mut u64) {
            if tree.is_empty() {
                return;
            }
            let middle = tree.len() / 2;
            let (at, id) = tree[middle];
            let (dx, dy) = (p.x - at.x, p.y - at.y);
            if id != this {
                *least = (*least).min((dx * dx + dy * dy) as u64);
            }
            let across = if by_x { dx } else { dy };
            let (low, high) = (&tree[..middle], &tree[middle + 1..]);
            let (near, far) = if across < 0 { (low, high) } else { (high, low) };
            nearest(near, !by_x, p, this, least);
            if ((across * across) as u64) < *least {
                nearest(far, !by_x, p, this, least);
            }
        }

        /// Bodies of one square, and where their centre is.
        enum Cell {
            Empty,
            One(Point),
            Many {
                mass: f64,
                at: (f64, f64),
                /// How long its sides are.
                side: f64,
                quarters: Box<[Cell; 4]>,
            },
        }

        impl Cell {
            /// Mass and centre.
            fn centre(&self) -> (f64, (f64, f64)) {
                match self {
                    Cell::Empty => (0.0, (0.0, 0.0)),
                    Cell::One(p) => (1.0, (p.x as f64, p.y as f64)),
                    Cell::Many { mass, at, .. } => (*mass, *at),
                }
            }

            /// The force on a body, with squares that are far away taken as one.
            fn force(&self, p: Point) -> (f64, f64) {
                let (mass, at) = self.centre();
                let (dx, dy) = (at.0 - p.x as f64, at.1 - p.y as f64);
                let square = dx * dx + dy * dy;
                match self {
                    Cell::Many { side, quarters, .. } if side * side > 0.25 * square => {
                        quarters.iter().fold((0.0, 0.0), |sum, quarter| {
                            let force = quarter.force(p);
                            (sum.0 + force.0, sum.1 + force.1)
                        })
                    }
                    _ if mass == 0.0 || square == 0.0 => (0.0, 0.0),
                    _ => {
                        let strength = mass / (square * square.sqrt());
                        (dx * strength, dy * strength)
                    }
                }
            }
        }

        /// Barnes and Hut: the force on each body, as the bits of its two parts.
        pub(crate) fn bodies<const MODE: u8>(input: &Input) -> Vec<u64> {
            let bodies = &input.bodies;
            let tree = quarters::<MODE>(&mut bodies.clone(), Point { x: 0, y: 0 }, 1 << 20);
            let forces = collect::<MODE, _>(bodies.len(), 32, |i| tree.force(bodies[i]));
            forces
                .iter()
                .flat_map(|(x, y)| [x.to_bits(), y.to_bits()])
                .collect()
        }

        /// The tree of what lies in a square, no two at one place.
        fn quarters<const MODE: u8>(all: &mut [Point], corner: Point, side: i64) -> Cell {
            match all {
                [] => return Cell::Empty,
                [one] => return Cell::One(*one),
                _ if MODE == TUNED && all.len() <= 512 => {
                    return quarters::<SEQUENTIAL>(all, corner, side);
                }
                _ => {}
            }
            let half = side / 2;
            let (x, y) = (corner.x + half, corner.y + half);
            let (left, right) = divided(all, |p| p.x < x);
            let ((a, b), (c, d)) = (divided(left, |p| p.y < y), divided(right, |p| p.y < y));
            let of = |all, x, y| quarters::<MODE>(all, Point { x, y }, half);
            let ((a, b), (c, d)) = both::<MODE, _, _>(
                || both::<MODE, _, _>(|| of(a, corner.x, corner.y), || of(b, corner.x, y)),
                || both::<MODE, _, _>(|| of(c, x, corner.y), || of(d, x, y)),
            );
            let quarters = Box::new([a, b, c, d]);
            let (mut mass, mut at) = (0.0, (0.0, 0.0));
            for (of, (x, y)) in quarters.iter().map(Cell::centre) {
                mass += of;
                at = (at.0 + of * x, at.1 + of * y);
            }
            Cell::Many {
                mass,
                at: (at.0 / mass, at.1 / mass),
                side: side as f64,
                quarters,
            }
        }

        /// Those for which `first` holds, and the others.
        fn divided(
            all: &mut [Point],
            first: impl Fn(&Point) -> bool,
        ) -> (&mut [Point], &mut [Point]) {
            let mut count = 0;
            for i in 0..all.len() {
                if first(&all[i]) {
                    all.swap(i, count);
                    count += 1;
                }
            }
            all.split_at_mut(count)
        }

        /// A box around discs, with what lies in it.
        struct Bound {
            low: Point,
            high: Point,
            inside: Option<Box<(Bound, Bound)>>,
        }

        /// How large discs are.
        const RADIUS: i64 = 400;

        /// Casts a ray to the right from each of a fourth as many places: the centre of the first
        /// disc on its way, by a tree of boxes.
        pub(crate) fn rays<const MODE: u8>(input: &Input) -> Vec<u64> {
            let mut discs = input.points.clone();
            let tree = (!discs.is_empty()).then(|| bound::<MODE>(&mut discs, true));
            collect::<MODE, _>(input.points.len() / 4, 128, |i| {
                let from = hash(i as u64);
                let from = Point {
                    x: (from % (1 << 20)) as i64,
                    y: ((from >> 32) % (1 << 20)) as i64,
                };
                let mut first = i64::MAX;
                if let Some(tree) = &tree {
                    cast(tree, from, &mut first);
                }
                first as u64
            })
        }

        fn bound<const MODE: u8>(discs: &mut [Point], by_x: bool) -> Bound {
            if let [only] = *discs {
                return Bound {
                    low: only,
                    high: only,
                    inside: None,
                };
            }
            if MODE == TUNED && discs.len() <= 1024 {
                return bound::<SEQUENTIAL>(discs, by_x);
            }
            let middle = discs.len() / 2;
            discs.select_nth_unstable_by_key(middle, |p| if by_x { p.x } else { p.y });
            let (low, high) = discs.split_at_mut(middle);
            let (a, b) =
                both::<MODE, _, _>(|| bound::<MODE>(low, !by_x), || bound::<MODE>(high, !by_x));
            let corner = |a: Point, b: Point, of: fn(i64, i64) -> i64| Point {
                x: of(a.x, b.x),
                y: of(a.y, b.y),
            };
            Bound {
                low: corner(a.low, b.low, i64::min),
                high: corner(a.high, b.high, i64::max),
                inside: Some(Box::new((a, b))),
            }
        }

        /// Discs count that lie right of where the ray begins.
        fn cast(tree: &Bound, from: Point, first: &mut i64) {
            let beside = from.y < tree.low.y - RADIUS || from.y > tree.high.y + RADIUS;
            if beside || tree.high.x < from.x || tree.low.x >= *first {
                return;
            }
            match &tree.inside {
                Some(both) => {
                    cast(&both.0, from, first);
                    cast(&both.1, from, first);
                }
                None => *first = (*first).min(tree.low.x),
            }
        }
    };
}
