//! A file as the body of an answer, which is read in pieces as the client takes them.

use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::Frame;
use tokio::sync::mpsc;

/// The length of a piece in bytes.
const PIECE: usize = 64 * 1024;

/// The number of pieces that are read ahead.
const AHEAD: usize = 4;

/// The pieces of a file.
struct Pieces(mpsc::Receiver<io::Result<Bytes>>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Pieces>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = self.0.poll_recv(context);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

/// The content of a file.
pub fn body(mut file: File) -> Body {
    let (sender, pieces) = mpsc::channel(AHEAD);
    tokio::task::spawn_blocking(move || {
        loop {
            let mut piece = vec![0; PIECE];
            let read = file.read(&mut piece).map(|length| {
                piece.truncate(length);
                Bytes::from(piece)
            });
            let is_last = read.as_ref().map_or(true, Bytes::is_empty);
            // The client has gone.
            if read.as_ref().is_ok_and(Bytes::is_empty) || sender.blocking_send(read).is_err() || is_last {
                return;
            }
        }
    });
    Body::new(Pieces(pieces))
}
