//! What differs between systems: child processes that this program starts as `referee`.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};

use referee_core::system::processes::own_program;

/// Begins the name under which this program starts itself; the number of its process follows.
#[cfg(target_os = "linux")]
const OF_SERVER: &str = "referee-of-";

/// This program as a command. Signals of the terminal do not reach it. On Linux it ends like at Ctrl-C when the
/// thread that starts it ends, and so when the server is killed.
pub fn own_command() -> io::Result<Command> {
    let program: PathBuf = own_program().map_or_else(std::env::current_exe, Ok)?;
    let command = Command::new(program);
    #[cfg(unix)]
    let command = detached(command);
    Ok(command)
}

#[cfg(unix)]
fn detached(mut command: Command) -> Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    #[cfg(target_os = "linux")]
    command.arg0(format!("{OF_SERVER}{}", std::process::id()));
    command
}

/// Prepares a process that [`own_command`] started, which has these arguments. Returns the arguments of the
/// program that it is.
pub fn prepare(arguments: impl Iterator<Item = OsString>) -> io::Result<Vec<OsString>> {
    #[allow(unused_mut)]
    let mut words: Vec<OsString> = arguments.collect();
    #[cfg(target_os = "linux")]
    if let Some(name) = words.first_mut()
        && let Some(server) = name.to_str().and_then(|name| name.strip_prefix(OF_SERVER))
    {
        use rustix::process::{Signal, getppid, set_parent_process_death_signal};
        set_parent_process_death_signal(Some(Signal::INT))?;
        let parent = getppid().map(|id| id.as_raw_nonzero().to_string());
        if parent.as_deref() != Some(server) {
            return Err(io::Error::other("the server has gone"));
        }
        *name = "referee".into();
    }
    Ok(words)
}

/// Asks a child to end, as Ctrl-C does; for a child that was not waited for. Elsewhere than on Unix it is killed: what
/// it has saved stays.
pub fn interrupt(child: &mut Child) {
    #[cfg(unix)]
    signal(child, rustix::process::Signal::INT);
    #[cfg(not(unix))]
    let _ = child.kill();
}

/// Asks a child to end at once, games included.
pub fn terminate(child: &mut Child) {
    #[cfg(unix)]
    signal(child, rustix::process::Signal::TERM);
    #[cfg(not(unix))]
    let _ = child.kill();
}

#[cfg(unix)]
fn signal(child: &Child, signal: rustix::process::Signal) {
    if let Some(id) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        // A child that has ended is the goal.
        let _ = rustix::process::kill_process(id, signal);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn a_child_is_ended_by_a_signal() {
        for (end, signal) in [(interrupt as fn(&mut Child), 2), (terminate, 15)] {
            let mut child = Command::new("sleep").arg("60").spawn().unwrap();
            end(&mut child);
            assert_eq!(child.wait().unwrap().signal(), Some(signal));
        }
    }
}
