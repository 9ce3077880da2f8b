//! The iterators over pieces of slices that a closure finds: what they have in common.

/// `pieces! { /// docs … Name [T: bound] Slice, Fn(arguments), |slice, f| producer }`.
macro_rules! pieces {
    (
        $(#[$attr:meta])*
        $Name:ident [$T:ident: $bound:path] $Slice:ty, Fn($($Arg:ty),+), |$slice:ident, $f:ident| $producer:expr
    ) => {
        $(#[$attr])*
        #[must_use = "iterators are lazy"]
        pub struct $Name<'data, $T, F> {
            slice: $Slice,
            f: F,
        }

        impl<'data, $T, F> $Name<'data, $T, F> {
            pub(crate) fn new(slice: $Slice, f: F) -> Self {
                $Name { slice, f }
            }
        }

        impl<$T: std::fmt::Debug, F> std::fmt::Debug for $Name<'_, $T, F> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($Name))
                    .field("slice", &self.slice)
                    .finish()
            }
        }

        impl<'data, $T, F> $crate::iter::ParallelIterator for $Name<'data, $T, F>
        where
            $T: $bound,
            F: Fn($($Arg),+) -> bool + Sync + Send,
        {
            type Item = $Slice;

            fn drive<S: $crate::shape::Sink<$Slice>>(self, sink: &S) -> S::Output {
                let ($slice, $f) = (self.slice, &self.f);
                $crate::kernel::drive($producer, sink)
            }
        }
    };
}
pub(super) use pieces;

/// Clones iterators over pieces of shared slices.
macro_rules! clone_pieces {
    ($($Name:ident)+) => {$(
        impl<T, F: Clone> Clone for $Name<'_, T, F> {
            fn clone(&self) -> Self {
                $Name::new(self.slice, self.f.clone())
            }
        }
    )+};
}
pub(super) use clone_pieces;
