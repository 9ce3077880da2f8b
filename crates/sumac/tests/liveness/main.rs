//! What must end does, and whatever waits has its turn: broadcasts, yields, pools that call each
//! other, pools that end, pools that are dropped, endless scopes, long chains.

mod broadcasts;
mod chains;
mod dropped_pools;
mod ended_pools;
mod pools;
mod scope_calls;
mod through_yields;
mod turns;
mod yields;
