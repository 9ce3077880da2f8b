//! Says what to install where the feature `mpi` finds no MPI, before the bindings' build fails.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "mpi")]
    for variable in ["PATH", "MPICC", "MPI_PKG_CONFIG", "CRAY_MPICH_DIR"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    #[cfg(feature = "mpi")]
    if build_probe_mpi::probe().is_err() {
        println!(
            "cargo::error=The feature `mpi` needs an MPI and libclang: install libmpich-dev or \
             libopenmpi-dev, and libclang-dev (Debian's names), load your cluster's modules, or \
             prefix the command with `<sumac's repository>/ci/setup-mpi.sh mpich`."
        );
    }
}
