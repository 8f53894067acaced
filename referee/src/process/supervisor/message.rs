//! Messages between the referee and a supervisor: the job with the three pipes of an engine, and
//! reports.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use rustix::process::WaitStatus;
use serde::{Deserialize, Serialize};

use crate::process::sandbox::{Enforced, Refusal, Sandbox, SandboxLevel};
use crate::system::processes::Limits;

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

impl Job {
    /// Encodes the job. Paths need not be UTF-8, so they are encoded as strings of the system: the
    /// program, and with a sandbox the scratch folder, the working folder and the readable paths.
    fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut paths = vec![self.program.as_path()];
        let (mut level, mut is_for_adapter) = (SandboxLevel::Off, false);
        if let Some(SandboxJob { sandbox, scratch }) = &self.sandbox {
            (level, is_for_adapter) = (sandbox.level, sandbox.is_for_adapter);
            paths.extend([scratch, sandbox.folder.as_deref().unwrap_or(Path::new(""))]);
            paths.extend(sandbox.readable.iter().map(PathBuf::as_path));
        }
        let paths: Vec<&OsStr> = paths.into_iter().map(Path::as_os_str).collect();
        serde_json::to_vec(&(&self.args, self.limits, level, is_for_adapter, paths))
    }

    /// Decodes a job; `None` if it is malformed.
    fn from_bytes(bytes: &[u8]) -> Option<Job> {
        type Parts = (Vec<String>, Limits, SandboxLevel, bool, Vec<OsString>);
        let (args, limits, level, is_for_adapter, paths): Parts = serde_json::from_slice(bytes).ok()?;
        let mut paths = paths.into_iter().map(PathBuf::from);
        let program = paths.next()?;
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
        Some(Job {
            program,
            args,
            limits,
            sandbox,
        })
    }
}

/// A supervisor's report, a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// It was killed for exceeding a limit; a clause that follows its name.
    LimitExceeded(String),
    /// The number of its descendants that outlived it. Follows the report of its end.
    Leftovers(u64),
}

impl From<Refusal> for Report {
    fn from(refusal: Refusal) -> Report {
        Report::Refused(refusal)
    }
}

impl From<io::Error> for Report {
    /// The engine could not be started.
    fn from(error: io::Error) -> Report {
        Report::Failed(error.raw_os_error().unwrap_or(0))
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
        if let Ok(mut line) = serde_json::to_string(self) {
            line.push('\n');
            let _ = socket.write_all(line.as_bytes());
        }
    }

    /// Parses a line; `None` if it is no report.
    pub fn parse(line: &str) -> Option<Report> {
        serde_json::from_str(line).ok()
    }
}

/// The byte sent along with the pipes.
const HELLO: u8 = b'!';

/// Sends the engine's stdin, stdout and stderr, and what to start.
pub fn send(socket: &mut UnixStream, pipes: [BorrowedFd<'_>; 3], job: &Job) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&pipes));
    let hello = [HELLO];
    rustix::net::sendmsg(
        &*socket,
        &[IoSlice::new(&hello)],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    let job = job.to_bytes()?;
    let length = u32::try_from(job.len()).map_err(|_| io::ErrorKind::ArgumentListTooLong)?;
    socket.write_all(&length.to_le_bytes())?;
    socket.write_all(&job)
}

/// Receives what [`send`] sends.
pub fn receive(socket: &mut UnixStream) -> io::Result<([OwnedFd; 3], Job)> {
    let pipes = receive_pipes(socket)?;
    let mut length = [0; 4];
    socket.read_exact(&mut length)?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    socket.read_exact(&mut bytes)?;
    let job = Job::from_bytes(&bytes).ok_or(io::ErrorKind::InvalidData)?;
    Ok((pipes, job))
}

/// Reads one report and not a byte more: further bytes signal that the engine has exited.
/// `None` at the end of the socket.
pub fn report(socket: &mut UnixStream) -> io::Result<Option<Report>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") {
        if socket.read(&mut byte)? == 0 {
            return Ok(None);
        }
        line.extend(byte);
    }
    Ok(Report::parse(&String::from_utf8_lossy(&line)))
}

fn receive_pipes(socket: &UnixStream) -> io::Result<[OwnedFd; 3]> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut hello = [0];
    let mut slices = [IoSliceMut::new(&mut hello)];
    rustix::net::recvmsg(socket, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut pipes = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            pipes.extend(descriptors);
        }
    }
    pipes
        .try_into()
        .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

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
                assert_eq!(Job::from_bytes(&job.to_bytes().unwrap()), Some(job));
            }
        }
        for broken in [
            "",
            "[]",
            r#"[[], {}, "on", false, [{"Unix": [47]}]]"#,
            r#"[[], {}, "off", false, [{"Unix": [47]}, {"Unix": [47]}]]"#,
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
            Report::Refused(Refusal("no Landlock:\ndo that".into())),
            Report::Enforced(Enforced {
                kernel: "6.18.44-x".into(),
                landlock: 7,
            }),
            Report::LimitExceeded("used 2 s of processor time, 1 s is allowed".into()),
        ] {
            let (mut own, mut theirs) = UnixStream::pair().unwrap();
            report.send(&mut own);
            assert_eq!(super::report(&mut theirs).unwrap(), Some(report));
        }
        assert_eq!(Report::parse("exited"), None);
    }
}
