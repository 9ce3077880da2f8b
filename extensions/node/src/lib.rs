//! The Node add-on `walk_node`.

#![deny(unsafe_code)]

use std::panic::catch_unwind;

use napi::{Env, Error, Result, Task, bindgen_prelude::AsyncTask};
use napi_derive::napi;

/// Counts a name in an expression, on this thread and its helpers. A panic becomes an exception.
#[napi(catch_unwind)]
pub fn count(text: String, name: String) -> Result<u32> {
    let count = walk::count(&text, &name).map_err(|error| Error::from_reason(error.to_string()))?;
    Ok(count as u32)
}

/// The same as a promise: a thread of Node's waits, the event loop goes on.
#[napi]
pub fn count_later(text: String, name: String) -> AsyncTask<Counting> {
    AsyncTask::new(Counting { text, name })
}

/// What [`count_later`] does.
#[derive(Debug)]
pub struct Counting {
    text: String,
    name: String,
}

impl Task for Counting {
    type Output = u32;
    type JsValue = u32;

    /// A panic here would leave a function of C, which ends the process.
    fn compute(&mut self) -> Result<u32> {
        let (text, name) = (self.text.clone(), self.name.clone());
        catch_unwind(|| count(text, name))
            .unwrap_or_else(|_| Err(Error::from_reason("the walk has panicked")))
    }

    fn resolve(&mut self, _: Env, count: u32) -> Result<u32> {
        Ok(count)
    }
}
