//! Joins of three to eight closures, with one flat tuple of results.
//!
//! Each is a balanced tree of two-way joins, so that the closures run from left to right when no
//! worker is idle, and can be given away from the right, halves first. The leftmost panic is
//! resumed.

use super::scope::Scope;

macro_rules! nary {
    ($(
        $name:ident, $count:literal:
        ($($fl:ident: $tl:ident -> $rl:ident),+) via $left:ident,
        ($($fr:ident: $tr:ident -> $rr:ident),+) via $right:ident;
    )+) => {
        $(
            #[doc = concat!("Runs ", $count, " closures, possibly in parallel, and returns all results.")]
            ///
            /// Runs all closures, possibly in parallel, as nested [`join`](crate::join)s would.
            ///
            /// # Panics
            /// If a closure panics; the leftmost panic wins.
            #[allow(clippy::too_many_arguments)]
            #[inline]
            pub fn $name<$($tl,)+ $($tr,)+ $($rl,)+ $($rr),+>(
                $($fl: $tl,)+ $($fr: $tr),+
            ) -> ($($rl,)+ $($rr),+)
            where
                $($tl: FnOnce() -> $rl + Send, $rl: Send,)+
                $($tr: FnOnce() -> $rr + Send, $rr: Send,)+
            {
                let (left, right) = super::hot_path::join(
                    move || nary!(@plain $left, $($fl),+),
                    move || nary!(@plain $right, $($fr),+),
                );
                nary!(@flat left, right, ($($fl),+), ($($fr),+))
            }
        )+

        /// Joins of more than two closures.
        impl Scope<'_> {
            $(
                #[doc = concat!("Runs ", $count, " closures, possibly in parallel, and returns all results.")]
                ///
                /// Runs all closures, possibly in parallel, as nested [`join`](Scope::join)s would.
                ///
                /// # Panics
                /// If a closure panics; the leftmost panic wins.
                #[allow(clippy::too_many_arguments)]
                #[inline]
                pub fn $name<$($tl,)+ $($tr,)+ $($rl,)+ $($rr),+>(
                    &mut self, $($fl: $tl,)+ $($fr: $tr),+
                ) -> ($($rl,)+ $($rr),+)
                where
                    $($tl: FnOnce(&mut Scope<'_>) -> $rl + Send, $rl: Send,)+
                    $($tr: FnOnce(&mut Scope<'_>) -> $rr + Send, $rr: Send,)+
                {
                    let (left, right) = self.join(
                        move |s| nary!(@scoped s, $left, $($fl),+),
                        move |s| nary!(@scoped s, $right, $($fr),+),
                    );
                    nary!(@flat left, right, ($($fl),+), ($($fr),+))
                }
            )+
        }
    };
    (@plain call, $f:ident) => { $f() };
    (@plain $join:ident, $($f:ident),+) => { crate::$join($($f),+) };
    (@scoped $s:ident, call, $f:ident) => { $f($s) };
    (@scoped $s:ident, $join:ident, $($f:ident),+) => { $s.$join($($f),+) };
    (@flat $left:ident, $right:ident, ($($fl:ident),+), ($($fr:ident),+)) => {{
        let nary!(@pattern $($fl),+) = $left;
        let nary!(@pattern $($fr),+) = $right;
        ($($fl,)+ $($fr),+)
    }};
    (@pattern $one:ident) => { $one };
    (@pattern $($many:ident),+) => { ($($many),+) };
}

nary! {
    join3, "three": (a: A -> RA, b: B -> RB) via join, (c: C -> RC) via call;
    join4, "four": (a: A -> RA, b: B -> RB) via join, (c: C -> RC, d: D -> RD) via join;
    join5, "five":
        (a: A -> RA, b: B -> RB, c: C -> RC) via join3, (d: D -> RD, e: E -> RE) via join;
    join6, "six":
        (a: A -> RA, b: B -> RB, c: C -> RC) via join3, (d: D -> RD, e: E -> RE, f: F -> RF) via join3;
    join7, "seven":
        (a: A -> RA, b: B -> RB, c: C -> RC, d: D -> RD) via join4,
        (e: E -> RE, f: F -> RF, g: G -> RG) via join3;
    join8, "eight":
        (a: A -> RA, b: B -> RB, c: C -> RC, d: D -> RD) via join4,
        (e: E -> RE, f: F -> RF, g: G -> RG, h: H -> RH) via join4;
}
