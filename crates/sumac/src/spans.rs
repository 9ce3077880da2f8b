//! Tracing spans that go with forked work.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
};
use sumac_core::{Moment, Within, carry_by, swallow};
use tracing_core::{
    Dispatch, Subscriber,
    dispatcher::{self, DefaultGuard},
    span::Id,
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

/// A layer for the subscribers of the crate `tracing`: work that another thread takes runs in the
/// span in which it was forked, and with that span's subscriber.
///
/// * **Joins, loops and iterators**: each half or part that is stolen enters the span that was
///   current at its fork. Halves of [`Scope::join`](crate::Scope::join), and parts of loops on a
///   scope, enter the span that was current at the promotion, which may be a span further inside.
/// * **Tasks, broadcasts** and closures that are handed over to a pool's threads enter the span
///   that was current when they were spawned. Futures enter none, as in other executors: use
///   `tracing::Instrument`.
///
/// Work that stays on its thread is already in its span: a join enters no span.
///
/// # Examples
///
/// ```
/// use tracing_subscriber::prelude::*;
///
/// let subscriber = tracing_subscriber::registry().with(sumac::SpanCarrier::new());
/// tracing::subscriber::with_default(subscriber, || {
///     let span = tracing::info_span!("request");
///     let (a, b) = span.in_scope(|| {
///         // Wherever the second closure runs, it runs in `request`.
///         sumac::join(tracing::Span::current, tracing::Span::current)
///     });
///     assert_eq!((a.id(), b.id()), (span.id(), span.id()));
/// });
/// ```
///
/// # Cost
/// None for a join. If a span is current, a clone of the span and allocations for each fork that
/// is promoted and each task that is spawned; some nanoseconds for each span that is entered, and
/// for each join around it that no earlier span was inside of.
///
/// # Panics
/// Never. Where the subscriber panics, work runs without its span.
pub struct SpanCarrier {
    number: usize,
}

/// A span that a thread has entered.
struct Entered {
    /// The layer that recorded it.
    layer: usize,
    moment: Moment,
    span: Id,
}

thread_local! {
    static ENTERED: RefCell<Vec<Entered>> = const { RefCell::new(Vec::new()) };
    /// Whether this thread notifies a subscriber of a carried span, or runs a part of that. Forks
    /// of the subscriber then carry only this flag: if they carried a span, each steal would notify
    /// the subscriber, which would fork again, without end.
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

/// Restores the flag `TELLING` when it is dropped.
struct Before(bool);

impl Before {
    fn set(telling: bool) -> Before {
        Before(TELLING.replace(telling))
    }

    /// Sets the flag until the result is dropped. No allocation where it is so already.
    fn carry(telling: bool) -> Box<dyn Any> {
        if TELLING.get() == telling {
            return Box::new(());
        }
        Box::new(Before::set(telling))
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        TELLING.set(self.0);
    }
}

/// Calls `f`, which notifies a subscriber of a carried span.
fn telling<R>(f: impl FnOnce() -> R) -> R {
    let _before = Before::set(true);
    f()
}

/// The same; a panic goes no further, nor does one of its payload. Whether there was none.
fn tell(f: impl FnOnce()) -> bool {
    let mut returned = false;
    swallow(|| {
        telling(f);
        returned = true;
    });
    returned
}

impl SpanCarrier {
    /// Creates a layer, which takes effect at once, in all pools.
    #[must_use]
    pub fn new() -> Self {
        static LAYERS: AtomicUsize = AtomicUsize::new(0);
        carry_by(pick_up);
        SpanCarrier {
            number: LAYERS.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Returns the span of this layer's subscriber that was current in this moment.
    fn span_at(&self, moment: Moment) -> Option<Id> {
        let entered = ENTERED.try_with(|entered| {
            let entered = entered.try_borrow().ok()?;
            let before = &entered[..entered.partition_point(|e| e.moment <= moment)];
            let newest = before.iter().rfind(|e| e.layer == self.number);
            newest.map(|entered| entered.span.clone())
        });
        entered.ok().flatten()
    }
}

impl Default for SpanCarrier {
    fn default() -> Self {
        SpanCarrier::new()
    }
}

impl fmt::Debug for SpanCarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpanCarrier").finish_non_exhaustive()
    }
}

impl<S> Layer<S> for SpanCarrier
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn on_enter(&self, span: &Id, _: Context<'_, S>) {
        let now = Entered {
            layer: self.number,
            moment: Moment::begin(),
            span: span.clone(),
        };
        // A thread that is ending forks nothing.
        let _ = ENTERED.try_with(|entered| entered.borrow_mut().push(now));
    }

    fn on_exit(&self, span: &Id, _: Context<'_, S>) {
        let _ = ENTERED.try_with(|entered| {
            let mut entered = entered.borrow_mut();
            let is_it = |e: &Entered| e.layer == self.number && e.span == *span;
            if let Some(at) = entered.iter().rposition(is_it) {
                entered.remove(at);
            }
        });
    }
}

/// A span that is kept open for the work that will run in it.
struct Carried {
    subscriber: Dispatch,
    span: Id,
}

impl Carried {
    /// Enters the span, until the result is dropped, unless the subscriber panics.
    fn enter(self) -> Box<dyn Any> {
        let default = dispatcher::set_default(&self.subscriber);
        let entered = tell(|| self.subscriber.enter(&self.span));
        let inside = Inside {
            _before: Before::set(false),
            carried: self,
            _default: default,
        };
        // If a part of the subscriber has panicked, others have entered it: it is left at once.
        if entered {
            Box::new(inside)
        } else {
            Box::new(())
        }
    }
}

/// Leaves a span when it is dropped.
struct Inside {
    _before: Before,
    carried: Carried,
    _default: DefaultGuard,
}

impl Drop for Inside {
    fn drop(&mut self) {
        tell(|| self.carried.subscriber.exit(&self.carried.span));
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        // A registry closes a span's parents with the current subscriber.
        dispatcher::with_default(&self.subscriber, || {
            tell(|| {
                self.subscriber.try_close(self.span.clone());
            })
        });
    }
}

/// Picks up the span of a fork of this thread in this moment.
fn pick_up(moment: Moment) -> Option<Within> {
    if TELLING.get() {
        return Some(Box::new(|| Before::carry(true)));
    }
    let carried = dispatcher::get_default(|subscriber| {
        let layer = subscriber.downcast_ref::<SpanCarrier>()?;
        let span = layer.span_at(moment)?;
        Some(Carried {
            span: telling(|| subscriber.clone_span(&span)),
            subscriber: subscriber.clone(),
        })
    });
    let Some(carried) = carried else {
        // The thread that runs it may be waiting while it notifies a subscriber.
        return Some(Box::new(|| Before::carry(false)));
    };
    Some(Box::new(move || carried.enter()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic;
    use tracing_core::{
        Event, Metadata,
        span::{Attributes, Record},
    };

    /// Panics where it is told that a span is left or closed.
    struct Panics;

    impl Subscriber for Panics {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, _: &Event<'_>) {}

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {
            panic::resume_unwind(Box::new("left"));
        }

        fn try_close(&self, _: Id) -> bool {
            panic::resume_unwind(Box::new("closed"));
        }
    }

    /// The second panic comes while the span is dropped: in the course of the first, it would end
    /// the process.
    #[test]
    fn a_subscriber_panics_where_a_span_is_left_and_where_it_is_closed() {
        let carried = Carried {
            subscriber: Dispatch::new(Panics),
            span: Id::from_u64(1),
        };
        drop(carried.enter());
        assert!(!TELLING.get());
    }
}
