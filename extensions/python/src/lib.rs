//! The Python module `walk_python`.

#![forbid(unsafe_code)]

use pyo3::{exceptions::PyValueError, prelude::*};

/// Counts a name in an expression. Other Python threads run meanwhile; a panic becomes a
/// `PanicException`.
#[pyfunction]
fn count(py: Python<'_>, text: &str, name: &str) -> PyResult<usize> {
    py.detach(|| walk::count(text, name))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A syntax tree walked by joins.
#[pymodule]
fn walk_python(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(count, module)?)
}
