//! How a process ended, in words.

use std::fmt;

/// How a process ended. Shown as a clause that follows its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// On its own, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// The system does not tell how.
    Unknown,
    /// It has closed its output, and may still run.
    ClosedOutput,
    /// Its supervisor ended like this.
    LostSupervisor(Box<Exit>),
    /// It was ended, or its bridge was, as this clause says.
    Told(String),
}

impl Exit {
    /// The signal that no process can refuse, and the status of a shell whose program it has ended.
    const KILL: [Exit; 2] = [Exit::Signal(9), Exit::Status(128 + 9)];

    /// Whether SIGKILL ended it, or what it has started.
    pub fn is_by_kill(&self) -> bool {
        match self {
            Exit::LostSupervisor(how) => how.is_by_kill(),
            how => Exit::KILL.contains(how),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Status(status) => f.write_str(&describe_status(*status)),
            Exit::Signal(number) => f.write_str(&describe_signal(*number)),
            Exit::Unknown => f.write_str("ended"),
            Exit::ClosedOutput => f.write_str("closed its output"),
            Exit::LostSupervisor(how) => write!(f, "lost its supervisor, which {how}"),
            Exit::Told(how) => f.write_str(how),
        }
    }
}

/// How a process with this exit status ended.
#[cfg(unix)]
fn describe_status(status: i32) -> String {
    format!("ended with exit status {status}")
}

/// How a process ended that this signal killed.
#[cfg(unix)]
fn describe_signal(number: i32) -> String {
    match signal_hook::low_level::signal_name(number) {
        Some(name) => format!("was ended by signal {number} ({name})"),
        None => format!("was ended by signal {number}"),
    }
}

/// How a process with this exit status ended. Windows uses the codes of errors (`NTSTATUS`) as the
/// status of a process that crashed.
#[cfg(windows)]
fn describe_status(code: i32) -> String {
    let name = match code as u32 {
        0x8000_0003 => "breakpoint",
        0xC000_0005 => "access violation",
        0xC000_001D => "illegal instruction",
        0xC000_0094 => "integer division by zero",
        0xC000_00FD => "stack overflow",
        0xC000_0135 => "a DLL was not found",
        0xC000_013A => "Ctrl-C",
        0xC000_0142 => "a DLL failed",
        0xC000_0409 => "abort",
        0xC000_0000..=0xCFFF_FFFF => "a system error",
        _ => return format!("ended with exit status {code}"),
    };
    format!("ended with exit status {:#X} ({name})", code as u32)
}

/// There are no signals.
#[cfg(windows)]
fn describe_signal(_: i32) -> String {
    Exit::Unknown.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_system_tells_of_a_kill() {
        let lost = |how| Exit::LostSupervisor(Box::new(how));
        let kills = [Exit::Signal(9), Exit::Status(137), lost(Exit::Signal(9))];
        assert!(kills.iter().all(Exit::is_by_kill));
        let told = Exit::Told("was ended by signal 9 (SIGKILL)".into());
        for other in [told, Exit::Signal(15), Exit::Status(9), lost(Exit::Unknown)] {
            assert!(!other.is_by_kill(), "{other}");
        }
    }
}
