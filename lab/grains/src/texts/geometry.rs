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
    };
}
