//! Sends a state to a web socket whenever it changes.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use tokio::sync::watch;
use tokio::time::{interval, timeout};

/// How long a client may take to read a message.
const SEND_TIME: Duration = Duration::from_secs(10);

/// The time between two pings.
const PING: Duration = Duration::from_secs(30);

/// Sends the state at once and after each change, until the client leaves, sends anything, or is
/// too slow.
pub async fn follow(mut socket: WebSocket, mut updates: watch::Receiver<Arc<str>>) {
    let mut ping = interval(PING);
    updates.mark_changed();
    loop {
        let message = tokio::select! {
            changed = updates.changed() => match changed {
                Ok(()) => Message::Text(updates.borrow_and_update().as_ref().into()),
                Err(_) => break,
            },
            _ = ping.tick() => Message::Ping(Vec::new().into()),
            received = socket.recv() => match received {
                Some(Ok(Message::Pong(_) | Message::Ping(_))) => continue,
                _ => break,
            },
        };
        if !matches!(timeout(SEND_TIME, socket.send(message)).await, Ok(Ok(()))) {
            break;
        }
    }
}
