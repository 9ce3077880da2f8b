//! What the table of contenders (`contender.rs`) becomes: their names, and the one `match` from a
//! name to a type.

/// The contenders, in the order in which tables show them, and last the one that no table shows. A
/// row has the name on the command line and in records, the type, and the name in tables.
macro_rules! contenders {
    ($(
        $(#[doc = $about:literal])* $(#[value($value:meta)])? $(#[cfg($when:meta)])?
        $id:ident, $type:ty, $name:literal;
    )*) => {
        /// The name of a contender, as written on the command line and in records.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum Id {
            $($(#[doc = $about])* $(#[value($value)])? $(#[cfg($when)])? $id,)*
        }

        const ALL: &[Id] = &[$($(#[cfg($when)])? Id::$id,)*];

        impl fmt::Display for Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $($(#[cfg($when)])? Id::$id => $name,)*
                })
            }
        }

        /// Does `what` with the contender called `id`.
        pub(crate) fn visit<V: Visit>(id: Id, what: V) -> V::Out {
            match id {
                $($(#[cfg($when)])? Id::$id => what.visit::<$type>(),)*
            }
        }
    };
}

pub(super) use contenders;
