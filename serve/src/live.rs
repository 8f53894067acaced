//! What clients follow: sends a state to a web socket whenever it changes.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use referee::GameView;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::connections::Connection;

/// The largest message of a client, in bytes. Only control messages are expected.
const MAX_MESSAGE: usize = 1024;

/// The message when there is nothing to follow, or no more.
pub const CLOSED: &str = r#"{"kind":"closed"}"#;

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

/// A game with what identifies it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NamedGame {
    /// The number of the board, or of the game in its match.
    pub id: u64,
    /// The names of the players.
    pub players: [String; 2],
    #[serde(flatten)]
    pub view: GameView,
}

/// Where the texts for a client come from.
pub trait Feed: Send {
    /// The next text; `None` if no more can come. It loses nothing if it is dropped while it waits.
    fn next(&mut self) -> impl Future<Output = Option<Arc<str>>> + Send;
}

/// The newest text, again whenever it changes.
impl Feed for watch::Receiver<Arc<str>> {
    async fn next(&mut self) -> Option<Arc<str>> {
        self.changed().await.ok()?;
        Some(Arc::clone(&self.borrow_and_update()))
    }
}

/// Follows a feed over a new web socket. Without one, the client gets [`CLOSED`].
pub fn answer(
    upgrade: WebSocketUpgrade,
    connection: Connection,
    feed: Option<impl Feed + 'static>,
) -> Response {
    let upgrade = upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE);
    upgrade.on_upgrade(async move |mut socket| match feed {
        Some(feed) => follow(socket, &connection, feed).await,
        None => {
            send(&mut socket, Message::text(CLOSED)).await;
        }
    })
}

/// Sends the texts of a feed to a client; an empty one means that there is none yet. Without news it sends a sign
/// of life. Ends when the client closes the socket, sends a message or reads too slowly, and with the feed.
async fn follow(mut socket: WebSocket, connection: &Connection, mut feed: impl Feed) {
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ping.reset();
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat.reset();
    let mut silent = 0;
    loop {
        let sent = tokio::select! {
            text = feed.next() => {
                let Some(text) = text else { break };
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
            () = connection.ended() => break,
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
