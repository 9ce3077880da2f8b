//! All processes of the system, looked at again and again: this one is always among them.
use sysinfo::{ProcessesToUpdate, System};

fn main() {
    let own = sysinfo::get_current_pid().expect("it has a number");
    let mut system = System::new().expect("it tells");
    let mut seen = 0;
    for _ in 0..150 {
        system.refresh_processes(ProcessesToUpdate::All, true);
        let process = system.process(own).expect("it is there");
        seen += usize::from(process.exists() && process.memory() > 0);
    }
    println!("{seen}");
}
