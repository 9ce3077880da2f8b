//! What the table of contenders (`contender.rs`) becomes: their names, and the one `match` from a
//! name to a type.

/// The contenders, in the order in which tables show them: those that do not join, the runtimes,
/// and one that no table shows. A row has the name on the command line and in records, the type,
/// and the name in tables.
macro_rules! contenders {
    (
        $($(#[$own:meta])* $id:ident, $type:ty, $name:literal;)* ---
        $($(#[doc = $about:literal])* $(#[value($alias:meta)])? $(#[cfg($when:meta)])?
            $runtime:ident, $of:ty, $called:literal;)* ---
        $(#[$test:meta])* $planted:ident, $fault:ty, $named:literal;
    ) => {
        /// The name of a contender, as written on the command line and in records.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum Id {
            $($(#[$own])* $id,)*
            $($(#[doc = $about])* $(#[value($alias)])? $(#[cfg($when)])? $runtime,)*
            $(#[$test])* $planted,
        }

        impl Id {
            /// All that tables show.
            pub(crate) const EVERYBODY: &[Id] =
                &[$(Id::$id,)* $($(#[cfg($when)])? Id::$runtime,)*];

            /// Those that really join, which is what a command without `--contenders` compares.
            pub(crate) const RUNTIMES: &[Id] = &[$($(#[cfg($when)])? Id::$runtime,)*];
        }

        impl fmt::Display for Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $(Id::$id => $name,)*
                    $($(#[cfg($when)])? Id::$runtime => $called,)*
                    Id::$planted => $named,
                })
            }
        }

        /// Does `what` with the contender called `id`.
        pub(crate) fn visit<V: Visit>(id: Id, what: V) -> V::Out {
            match id {
                $(Id::$id => what.visit::<$type>(),)*
                $($(#[cfg($when)])? Id::$runtime => what.visit::<$of>(),)*
                Id::$planted => what.visit::<$fault>(),
            }
        }
    };
}

pub(super) use contenders;
