//! Messages between the referee and a supervisor: the job with the three pipes of an engine, and
//! reports.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use rustix::process::WaitStatus;
use serde::{Deserialize, Serialize};

use super::cgroup::Group;
use crate::process::sandbox::{Enforced, Refusal, Sandbox};
use crate::system::processes::ResourceLimits;

/// What to start, and its limits. Paths are strings of the system: they need not be UTF-8.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub program: OsString,
    pub args: Vec<String>,
    pub limits: ResourceLimits,
    /// How it is restricted.
    pub sandbox: Option<Sandbox>,
    /// Whether the launcher tries to have the engine counted apart, at the level `On`.
    pub tries_apart: bool,
    /// The limit of open files.
    pub open_files: Option<u64>,
    /// Its own control group, if there is one.
    pub group: Option<Group>,
    /// The scratch folder of the process in the sandbox. Empty until the supervisor has made it.
    pub scratch: OsString,
}

impl Job {
    /// The sandbox of the engine itself; `None` also for an adapter, which starts its program in one.
    pub(crate) fn own_sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.as_ref().filter(|sandbox| !sandbox.is_for_adapter)
    }
}

/// The scratch folder of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scratch {
    pub folder: OsString,
    /// The path of the file system in memory that the engine sees there, for others.
    pub mounted: Option<String>,
}

/// A supervisor's report, a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// The engine runs, with this scratch folder.
    Started(Option<Scratch>),
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
    pub(crate) fn of_status(status: WaitStatus) -> Option<Report> {
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

/// Sends the engine's stdin, stdout and stderr, and what to start. The length of the job comes with the pipes.
pub fn send(socket: &mut UnixStream, pipes: [BorrowedFd<'_>; 3], job: &Job) -> io::Result<()> {
    let job = serde_json::to_vec(job)?;
    let length = u32::try_from(job.len()).map_err(|_| io::ErrorKind::ArgumentListTooLong)?;
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&pipes));
    let length = length.to_le_bytes();
    let slices = [IoSlice::new(&length)];
    rustix::net::sendmsg(&*socket, &slices, &mut control, SendFlags::NOSIGNAL)?;
    socket.write_all(&job)
}

/// Receives what [`send`] sends.
pub fn receive(socket: &mut UnixStream) -> io::Result<([OwnedFd; 3], Job)> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut length = [0; 4];
    let mut slices = [IoSliceMut::new(&mut length)];
    rustix::net::recvmsg(&*socket, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut pipes = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            pipes.extend(descriptors);
        }
    }
    let pipes = pipes.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
    let mut job = vec![0; u32::from_le_bytes(length) as usize];
    socket.read_exact(&mut job)?;
    Ok((pipes, serde_json::from_slice(&job)?))
}

/// Reads one report and not a byte more: further bytes signal that the engine has exited.
/// `None` at the end of the socket.
pub fn report(socket: &mut UnixStream) -> io::Result<Option<Report>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") {
        // Unlike `read`, it goes on after a signal.
        match socket.read_exact(&mut byte) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            result => result?,
        }
        line.extend(byte);
    }
    Ok(Report::parse(&String::from_utf8_lossy(&line)))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::os::unix::ffi::OsStringExt;

    use super::*;
    use crate::process::SandboxLevel;
    use crate::process::sandbox::ControlGroups;

    #[test]
    fn job_survives_a_round_trip() {
        for (args, limits) in [
            (vec![], ResourceLimits::default()),
            (
                vec!["-v", "", "two words", "ä\n"],
                ResourceLimits {
                    memory: Some(512),
                    cpu_time: Some(9),
                    ..ResourceLimits::default()
                },
            ),
            (
                vec!["launch", "--each"],
                ResourceLimits {
                    processes: Some(64),
                    ..ResourceLimits::default()
                },
            ),
        ] {
            for sandbox in [None, Some(None), Some(Some("/bots/a".into()))] {
                let sandbox = sandbox.map(|folder: Option<OsString>| Sandbox {
                    level: SandboxLevel::Strict,
                    writable: folder.clone(),
                    is_for_adapter: folder.is_none(),
                    folder,
                    readable: vec!["/bots/a".into(), OsString::from_vec(b"/x y/\xfe".to_vec())],
                });
                let job = Job {
                    program: OsString::from_vec(b"/a b/\xff".to_vec()),
                    args: args.iter().copied().map(String::from).collect(),
                    limits,
                    sandbox,
                    tries_apart: true,
                    open_files: Some(1024),
                    group: None,
                    scratch: "/tmp/scratch".into(),
                };
                let (mut own, mut theirs) = UnixStream::pair().unwrap();
                let (pipe, _) = io::pipe().unwrap();
                send(&mut own, [pipe.as_fd(); 3], &job).unwrap();
                assert_eq!(receive(&mut theirs).unwrap().1, job);
            }
        }
    }

    #[test]
    fn refuses_a_job_without_pipes() {
        let (mut own, mut theirs) = UnixStream::pair().unwrap();
        own.write_all(&[2, 0, 0, 0, b'{', b'}']).unwrap();
        assert_eq!(
            receive(&mut theirs).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
    }

    #[test]
    fn report_survives_a_round_trip() {
        for report in [
            Report::Started(None),
            Report::Started(Some(Scratch {
                folder: OsString::from_vec(b"/tmp/\xff".to_vec()),
                mounted: Some("/proc/7/fd/8".into()),
            })),
            Report::Failed(2),
            Report::Exited(255),
            Report::Signalled(11),
            Report::Leftovers(2),
            Report::Refused(Refusal("no Landlock:\ndo that".into())),
            Report::Enforced(Enforced {
                kernel: "6.18.44-x".into(),
                landlock: 7,
                cgroup: Some(ControlGroups::Counted),
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
