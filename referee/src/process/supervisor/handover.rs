//! Passes a job and the three pipes of an engine over a socket, and reports back.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};

use super::message::{Job, Report};

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
    let job = job.to_bytes();
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
