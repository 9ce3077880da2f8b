//! `Debug` for iterators with closures: prints all but the closures, as rayon does.

/// `debug! { Name [parameters] [those of them that are printed] name = field, … }`
macro_rules! debug {
    ($Name:ident [$($param:ident),*] [$($shown:ident),*] $($label:ident = $($field:tt).+),+) => {
        impl<$($param),*> std::fmt::Debug for $Name<$($param),*>
        where
            $($shown: std::fmt::Debug,)*
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($Name))
                    $(.field(stringify!($label), &self.$($field).+))+
                    .finish()
            }
        }
    };
}
pub(crate) use debug;
