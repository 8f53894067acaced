//! Messages between the referee and a supervisor.

use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::process::WaitStatus;

use crate::process::limits::{ExceededLimit, Limits};
use crate::process::sandbox::{Enforced, Refusal, Sandbox, SandboxLevel};

/// What to start, and its limits.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    pub program: PathBuf,
    pub args: Vec<String>,
    pub limits: Limits,
    /// How it is restricted.
    pub sandbox: Option<SandboxJob>,
}

/// A sandbox, and the scratch folder of the process in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxJob {
    pub sandbox: Sandbox,
    /// Empty until the supervisor has made it.
    pub scratch: PathBuf,
}

impl SandboxJob {
    /// Its paths in a message: the scratch folder, the working folder, the readable paths.
    fn paths(&self) -> Vec<&[u8]> {
        let folder = self.sandbox.folder.as_deref().unwrap_or(Path::new(""));
        let paths = [self.scratch.as_path(), folder].into_iter();
        let paths = paths.chain(self.sandbox.readable.iter().map(PathBuf::as_path));
        paths.map(|path| path.as_os_str().as_bytes()).collect()
    }
}

impl Job {
    /// Encodes the job: fields separated by zero bytes, which no path or argument can
    /// contain.
    pub fn to_bytes(&self) -> Vec<u8> {
        let number = |limit: Option<u64>| limit.map_or(String::new(), |limit| limit.to_string());
        let Limits {
            memory,
            processes,
            cpu_time,
        } = self.limits;
        let mut words: Vec<String> = [memory, processes, cpu_time].map(number).into();
        let sandbox = self.sandbox.as_ref();
        words.push(
            sandbox
                .map_or(SandboxLevel::Off, |job| job.sandbox.level)
                .to_string(),
        );
        let is_for_adapter = sandbox.is_some_and(|job| job.sandbox.is_for_adapter);
        words.push(u8::from(is_for_adapter).to_string());
        let paths = sandbox.map(SandboxJob::paths).unwrap_or_default();
        words.push(paths.len().to_string());
        let mut fields: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
        fields.extend(paths);
        fields.push(self.program.as_os_str().as_bytes());
        fields.extend(self.args.iter().map(String::as_bytes));
        fields.join(&0)
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
            cpu_time: number()?,
        };
        let level: SandboxLevel = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        let is_for_adapter = words.next()? == b"1";
        let count: usize = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        let mut path = || Some(PathBuf::from(OsString::from_vec(words.next()?.to_vec())));
        let mut paths = Vec::new();
        for _ in 0..count {
            paths.push(path()?);
        }
        let program = path()?;
        let mut paths = paths.into_iter();
        let sandbox = match (level, paths.next(), paths.next()) {
            (SandboxLevel::Off, None, None) => None,
            (SandboxLevel::On | SandboxLevel::Strict, Some(scratch), Some(folder)) => Some(SandboxJob {
                sandbox: Sandbox {
                    level,
                    folder: Some(folder).filter(|folder| !folder.as_os_str().is_empty()),
                    readable: paths.collect(),
                    is_for_adapter,
                },
                scratch,
            }),
            _ => return None,
        };
        let args = words.map(|word| String::from_utf8(word.to_vec()).ok());
        Some(Job {
            program,
            args: args.collect::<Option<_>>()?,
            limits,
            sandbox,
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
    /// The kernel cannot restrict it; the reason.
    Refused(Refusal),
    /// What the kernel enforces: the answer to a job without a program.
    Enforced(Enforced),
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
            Report::Refused(why) => writeln!(f, "refused {}", why.to_string().replace('\n', " ")),
            Report::Enforced(enforced) => {
                writeln!(f, "enforced {} {}", enforced.landlock, enforced.kernel)
            }
            Report::Exited(status) => writeln!(f, "exited {status}"),
            Report::Signalled(signal) => writeln!(f, "signalled {signal}"),
            Report::LimitExceeded(ExceededLimit::Memory { used, allowed }) => {
                writeln!(f, "memory {used} {allowed}")
            }
            Report::LimitExceeded(ExceededLimit::Processes { found, allowed }) => {
                writeln!(f, "processes {found} {allowed}")
            }
            Report::LimitExceeded(ExceededLimit::CpuTime { used, allowed }) => {
                writeln!(f, "cpu-time {used} {allowed}")
            }
            Report::LimitExceeded(ExceededLimit::Scratch { used, allowed }) => {
                writeln!(f, "scratch {used} {allowed}")
            }
            Report::LimitExceeded(ExceededLimit::ScratchFiles { found, allowed }) => {
                writeln!(f, "scratch-files {found} {allowed}")
            }
            Report::Leftovers(count) => writeln!(f, "leftovers {count}"),
        }
    }
}

impl Report {
    /// How an engine ended; `None` if it was only stopped.
    pub fn of_status(status: WaitStatus) -> Option<Report> {
        let exited = status.exit_status().map(Report::Exited);
        exited.or_else(|| status.terminating_signal().map(Report::Signalled))
    }

    /// Sends the report; a failure shows elsewhere as the end of the socket.
    pub fn send(&self, socket: &mut UnixStream) {
        let _ = socket.write_all(self.to_string().as_bytes());
    }

    /// Parses a line; `None` if it is no report.
    pub fn parse(line: &str) -> Option<Report> {
        if let Some(why) = line.strip_prefix("refused ") {
            return Some(Report::Refused(Refusal(why.trim_end().to_string())));
        }
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
            ["cpu-time", used, allowed] => Report::LimitExceeded(ExceededLimit::CpuTime {
                used: used.parse().ok()?,
                allowed: allowed.parse().ok()?,
            }),
            ["scratch", used, allowed] => Report::LimitExceeded(ExceededLimit::Scratch {
                used: used.parse().ok()?,
                allowed: allowed.parse().ok()?,
            }),
            ["scratch-files", found, allowed] => Report::LimitExceeded(ExceededLimit::ScratchFiles {
                found: found.parse().ok()?,
                allowed: allowed.parse().ok()?,
            }),
            ["enforced", landlock, kernel] => Report::Enforced(Enforced {
                landlock: landlock.parse().ok()?,
                kernel: kernel.to_string(),
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
                    cpu_time: Some(9),
                },
            ),
            (
                vec!["launch", "--each"],
                Limits {
                    memory: None,
                    processes: Some(64),
                    cpu_time: None,
                },
            ),
        ] {
            for sandbox in [None, Some(None), Some(Some(PathBuf::from("/bots/a")))] {
                let sandbox = sandbox.map(|folder| SandboxJob {
                    sandbox: Sandbox {
                        level: SandboxLevel::Strict,
                        is_for_adapter: folder.is_none(),
                        folder,
                        readable: vec!["/bots/a".into(), "/x y".into()],
                    },
                    scratch: "/tmp/scratch".into(),
                });
                let job = Job {
                    program: OsString::from_vec(b"/a b/\xff".to_vec()).into(),
                    args: args.iter().copied().map(String::from).collect(),
                    limits,
                    sandbox,
                };
                assert_eq!(Job::from_bytes(&job.to_bytes()), Some(job));
            }
        }
        for broken in [
            "",
            "512",
            "512\0",
            "x\0\0a",
            "\0\0\0on\x000\x000\0/a",
            "\0\0\0off\x000\x009\0/a",
        ] {
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
            Report::Refused(Refusal("no Landlock: do that".into())),
            Report::Enforced(Enforced {
                kernel: "6.18.44-x".into(),
                landlock: 7,
            }),
            Report::LimitExceeded(ExceededLimit::CpuTime { used: 2, allowed: 1 }),
            Report::LimitExceeded(ExceededLimit::Scratch {
                used: 70,
                allowed: 64,
            }),
            Report::LimitExceeded(ExceededLimit::ScratchFiles { found: 9, allowed: 8 }),
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
