//! What must end does, and whatever waits has its turn: broadcasts, yields, pools that call each
//! other, pools that end, pools that are dropped, endless scopes, long chains, tasks beside callers
//! that never rest.

mod broadcasts;
mod busy_callers;
mod chains;
mod dropped_pools;
mod ended_pools;
mod pools;
mod scope_calls;
mod silent_halves;
mod stuck_pools;
mod through_yields;
mod turns;
mod yields;
