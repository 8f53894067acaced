//! Sends a state to a web socket whenever it changes.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// The largest message of a client, in bytes. Only control messages are expected.
pub const MAX_MESSAGE: usize = 1024;

/// How long one message to a client may take.
const SEND_TIME: Duration = Duration::from_secs(10);

/// The longest time without a message. After several of these the page gives the connection up (`serve/page/api.js`):
/// its script sees no pings.
const BEAT: Duration = Duration::from_secs(2);

/// The message when there is no news: empty, and binary, because states are texts.
const ALIVE: &[u8] = b"{}";

/// The interval between pings, which show whether the client is still there.
const PING: Duration = Duration::from_secs(30);

/// Number of pings without an answer after which the client has gone.
const MAX_SILENT: u32 = 3;

/// Sends each text that is published to a client, or the newest if it is slow; an empty one means that there is
/// none yet. Without news it sends a sign of life. Ends when the client closes the socket, sends a message or reads too slowly, and when no more
/// texts can come.
pub async fn follow(mut socket: WebSocket, mut updates: watch::Receiver<Arc<str>>) {
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ping.reset();
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat.reset();
    let mut silent = 0;
    updates.mark_changed();
    loop {
        let sent = tokio::select! {
            changed = updates.changed() => {
                if changed.is_err() {
                    break;
                }
                let text = Arc::clone(&updates.borrow_and_update());
                beat.reset();
                text.is_empty() || send(&mut socket, Message::text(&*text)).await
            }
            message = socket.recv() => match message {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {
                    silent = 0;
                    true
                }
                _ => break,
            },
            _ = beat.tick() => send(&mut socket, Message::Binary(Bytes::from_static(ALIVE))).await,
            _ = ping.tick() => {
                silent += 1;
                silent <= MAX_SILENT && send(&mut socket, Message::Ping(Bytes::new())).await
            }
        };
        if !sent {
            return;
        }
    }
    send(&mut socket, Message::Close(None)).await;
}

/// Sends a message; `false` if the client did not take it.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    let sent = timeout(SEND_TIME, socket.send(message)).await;
    matches!(sent, Ok(Ok(())))
}
