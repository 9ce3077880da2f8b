//! One text of loops, many libraries: rayon and sumac have the same interface, so a text is written
//! once and instantiated for each. The plain text with the same name stands beside it.

/// Instantiates the items for rayon and for sumac. In them `lib` is the library, its prelude is
/// imported, and so is everything around.
macro_rules! each_library {
    ($($text:item)*) => {
        mod with_rayon {
            #[allow(unused_imports)]
            use super::*;
            #[allow(unused_imports)]
            use ::rayon::{self as lib, prelude::*};
            $($text)*
        }

        mod with_sumac {
            #[allow(unused_imports)]
            use super::*;
            #[allow(unused_imports)]
            use ::sumac::{self as lib, prelude::*};
            $($text)*
        }
    };
}
pub(crate) use each_library;

/// Calls the instance of a text whose loops the contender runs.
macro_rules! by_library {
    ($contender:ident => $text:ident($($argument:expr),* $(,)?)) => {
        match <$contender as $crate::contender::Contender>::LOOPS {
            $crate::contender::Loops::Plain => $text($($argument),*),
            $crate::contender::Loops::Rayon => with_rayon::$text($($argument),*),
            $crate::contender::Loops::Sumac => with_sumac::$text($($argument),*),
        }
    };
}
pub(crate) use by_library;
