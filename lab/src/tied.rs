//! Processes that end with the one that started them, however that ends: the kernel kills them
//! (Linux). What they have started in turn they must end themselves, as `mpiexec` does with its
//! ranks.

use std::process::Command;

use clap::Args;

use crate::experiment::Failure;

/// A command whose process ends with this one.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    // A process can ask for this itself only: the lab does, and becomes the program. A test is not
    // the lab.
    if cfg!(all(target_os = "linux", not(test))) {
        if let Ok(lab) = std::env::current_exe() {
            let mut command = Command::new(lab);
            command.args(["tied", &std::process::id().to_string()]);
            command.arg(program);
            return command;
        }
    }
    Command::new(program)
}

/// Whose end is awaited, and what to become.
#[derive(Args, Debug)]
pub(crate) struct TiedArgs {
    parent: u32,
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<std::ffi::OsString>,
}

/// Becomes the command, unless the parent has ended already.
pub(crate) fn run(args: &TiedArgs) -> Result<(), Failure> {
    #[cfg(target_os = "linux")]
    {
        nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL).ok();
        // It may have ended before that.
        if std::os::unix::process::parent_id() != args.parent {
            return Err(Failure::Interrupted);
        }
    }
    let _ = args.parent;
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let error = std::io::Error::other("not on this system");
    Err(Failure::Other(format!(
        "{}: {error}",
        args.command[0].to_string_lossy()
    )))
}
