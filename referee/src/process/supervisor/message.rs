//! Messages between the referee and a supervisor.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::process::limits::{ExceededLimit, Limits};

/// What to start, and its limits.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    pub program: PathBuf,
    pub args: Vec<String>,
    pub limits: Limits,
}

impl Job {
    /// Encodes the job: fields separated by zero bytes, which no path or argument can
    /// contain.
    pub fn to_bytes(&self) -> Vec<u8> {
        let number = |limit: Option<u64>| limit.map_or(String::new(), |limit| limit.to_string());
        let limits = [self.limits.memory, self.limits.processes].map(number);
        let mut bytes = format!("{}\0", limits.join("\0")).into_bytes();
        bytes.extend_from_slice(self.program.as_os_str().as_bytes());
        for arg in &self.args {
            bytes.push(0);
            bytes.extend_from_slice(arg.as_bytes());
        }
        bytes
    }

    /// Decodes a job; `None` if it is malformed.
    pub fn from_bytes(bytes: &[u8]) -> Option<Job> {
        let mut words = bytes.split(|byte| *byte == 0);
        let mut number = || match std::str::from_utf8(words.next()?).ok()? {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        let limits = Limits {
            memory: number()?,
            processes: number()?,
        };
        let program = PathBuf::from(OsString::from_vec(words.next()?.to_vec()));
        let args = words.map(|word| String::from_utf8(word.to_vec()).ok());
        Some(Job {
            program,
            args: args.collect::<Option<_>>()?,
            limits,
        })
    }
}

/// A supervisor's report, one per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The engine runs.
    Started,
    /// It could not be started; the system's error number.
    Failed(i32),
    /// It exited with this status.
    Exited(i32),
    /// It was killed by this signal.
    Signalled(i32),
    /// It was killed for exceeding a limit.
    LimitExceeded(ExceededLimit),
    /// The number of its descendants that outlived it. Follows the report of its end.
    Leftovers(u64),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::Started => writeln!(f, "started"),
            Report::Failed(error) => writeln!(f, "failed {error}"),
            Report::Exited(status) => writeln!(f, "exited {status}"),
            Report::Signalled(signal) => writeln!(f, "signalled {signal}"),
            Report::LimitExceeded(ExceededLimit::Memory { used, allowed }) => {
                writeln!(f, "memory {used} {allowed}")
            }
            Report::LimitExceeded(ExceededLimit::Processes { found, allowed }) => {
                writeln!(f, "processes {found} {allowed}")
            }
            Report::Leftovers(count) => writeln!(f, "leftovers {count}"),
        }
    }
}

impl Report {
    /// Parses a line; `None` if it is no report.
    pub fn parse(line: &str) -> Option<Report> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some(match *words.as_slice() {
            ["started"] => Report::Started,
            ["failed", error] => Report::Failed(error.parse().ok()?),
            ["exited", status] => Report::Exited(status.parse().ok()?),
            ["signalled", signal] => Report::Signalled(signal.parse().ok()?),
            ["memory", used, allowed] => Report::LimitExceeded(ExceededLimit::Memory {
                used: used.parse().ok()?,
                allowed: allowed.parse().ok()?,
            }),
            ["processes", found, allowed] => Report::LimitExceeded(ExceededLimit::Processes {
                found: found.parse().ok()?,
                allowed: allowed.parse().ok()?,
            }),
            ["leftovers", count] => Report::Leftovers(count.parse().ok()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_survives_a_round_trip() {
        for (args, limits) in [
            (vec![], Limits::default()),
            (
                vec!["-v", "", "two words", "ä\n"],
                Limits {
                    memory: Some(512),
                    processes: None,
                },
            ),
            (
                vec!["launch", "--each"],
                Limits {
                    memory: None,
                    processes: Some(64),
                },
            ),
        ] {
            let job = Job {
                program: OsString::from_vec(b"/a b/\xff".to_vec()).into(),
                args: args.into_iter().map(String::from).collect(),
                limits,
            };
            assert_eq!(Job::from_bytes(&job.to_bytes()), Some(job));
        }
        for broken in ["", "512", "512\0", "x\0\0a"] {
            assert_eq!(Job::from_bytes(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn report_survives_a_round_trip() {
        for report in [
            Report::Started,
            Report::Failed(2),
            Report::Exited(255),
            Report::Signalled(11),
            Report::Leftovers(2),
            Report::LimitExceeded(ExceededLimit::Memory {
                used: 812,
                allowed: 512,
            }),
            Report::LimitExceeded(ExceededLimit::Processes {
                found: 65,
                allowed: 64,
            }),
        ] {
            assert_eq!(Report::parse(&report.to_string()), Some(report));
        }
        assert_eq!(Report::parse("exited"), None);
        assert_eq!(Report::parse("exited x"), None);
    }
}
