//! How a crate's models declare their faults. The crate of batches has this file, too.

/// Declares the faults of the models, the list of them, and how one is planted. The caller has
/// `faulty::Step` and `loom_atomics` in scope.
macro_rules! faults {
    ($($(#[$doc:meta])* $fault:ident,)*) => {
        /// A bug that a model can switch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            /// A step that goes wrong.
            Step(Step),
            $($(#[$doc])* $fault,)*
        }

        impl Fault {
            pub(super) const ALL: &[Fault] = &[$(Fault::$fault,)*];
        }

        static PLANTED: std::sync::OnceLock<Fault> = std::sync::OnceLock::new();

        pub(crate) fn planted(fault: Fault) -> bool {
            PLANTED.get() == Some(&fault)
        }

        /// Plants a fault for as long as the process lives.
        pub(super) fn plant(fault: Fault) {
            match fault {
                Fault::Step(step) => loom_atomics::plant(step),
                own => PLANTED.set(own).expect("one fault at a time"),
            }
        }
    };
}
