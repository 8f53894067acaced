//! The open connections and how many there may be. One that has not shown the key is a stranger. The oldest stranger makes
//! room for a new connection, so strangers keep out nobody who has the key. Among those who have it the oldest makes room,
//! too, and its page connects again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The most connections with the key. A page has one web socket and up to six others.
const MAX_KNOWN: usize = 512;

/// The most connections without the key.
const MAX_STRANGERS: usize = 128;

/// How long a stranger has at least to show the key.
const GRACE: Duration = Duration::from_millis(250);

/// All open connections.
#[derive(Debug, Default)]
pub struct Connections {
    open: Mutex<Open>,
    /// A stranger has gone, or has shown the key.
    has_room: Notify,
}

/// The connections by their numbers, which grow.
#[derive(Debug, Default)]
struct Open {
    last: u64,
    strangers: BTreeMap<u64, (Instant, CancellationToken)>,
    known: BTreeMap<u64, CancellationToken>,
}

/// An open connection. It counts as long as something holds it: the connection itself, or its web socket.
#[derive(Clone, Debug)]
pub struct Connection(Arc<Place>);

#[derive(Debug)]
struct Place {
    number: u64,
    all: Arc<Connections>,
    ended: CancellationToken,
}

impl Connections {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new connection, which waits for room.
    pub async fn add(self: &Arc<Connections>) -> Connection {
        loop {
            let (until, room) = (self.make_room(), self.has_room.notified());
            let Some(until) = until else { break };
            tokio::select! {
                () = sleep_until(until) => {}
                () = room => {}
            }
        }
        let mut open = self.open();
        open.last += 1;
        let (number, ended) = (open.last, CancellationToken::new());
        open.strangers.insert(number, (Instant::now(), ended.clone()));
        Connection(Arc::new(Place {
            number,
            all: Arc::clone(self),
            ended,
        }))
    }

    /// Ends the oldest stranger if there are too many. Returns when that can be done, if not yet.
    fn make_room(&self) -> Option<Instant> {
        let mut open = self.open();
        if open.strangers.len() < MAX_STRANGERS {
            return None;
        }
        let oldest = open.strangers.first_entry()?;
        let until = oldest.get().0 + GRACE;
        if until > Instant::now() {
            return Some(until);
        }
        oldest.remove().1.cancel();
        None
    }
}

impl Connection {
    /// Whether it has shown the key.
    pub fn is_known(&self) -> bool {
        self.0.all.open().known.contains_key(&self.0.number)
    }

    /// It has shown the key.
    pub fn show_key(&self) {
        let Place { number, all, ended } = &*self.0;
        let mut open = all.open();
        if open.strangers.remove(number).is_none() {
            return;
        }
        if open.known.len() >= MAX_KNOWN
            && let Some((_, oldest)) = open.known.pop_first()
        {
            oldest.cancel();
        }
        open.known.insert(*number, ended.clone());
        drop(open);
        all.has_room.notify_one();
    }

    /// Waits until it has to make room.
    pub async fn ended(&self) {
        self.0.ended.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.all.open();
        open.known.remove(&self.number);
        open.strangers.remove(&self.number);
        drop(open);
        self.all.has_room.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a connection had to make room.
    fn has_ended(connection: &Connection) -> bool {
        connection.0.ended.is_cancelled()
    }

    #[tokio::test]
    async fn the_oldest_stranger_makes_room() {
        let all = Arc::new(Connections::default());
        let friend = all.add().await;
        friend.show_key();
        let mut strangers = Vec::new();
        for _ in 0..2 * MAX_STRANGERS {
            strangers.push(all.add().await);
        }
        let (old, new) = strangers.split_at(MAX_STRANGERS);
        assert!(old.iter().all(has_ended) && !new.iter().any(has_ended));
        assert!(friend.is_known() && !has_ended(&friend) && !new[0].is_known());
        // One that has gone or has shown the key leaves its place to another one.
        strangers[MAX_STRANGERS].show_key();
        strangers.pop();
        for _ in 0..2 {
            strangers.push(all.add().await);
        }
        assert_eq!(
            strangers.iter().filter(|one| has_ended(one)).count(),
            MAX_STRANGERS
        );
        // It has ended before it showed the key.
        strangers[0].show_key();
        assert!(!strangers[0].is_known());
    }

    #[tokio::test]
    async fn the_oldest_with_the_key_makes_room_for_another_with_the_key_only() {
        let all = Arc::new(Connections::default());
        let mut known = Vec::new();
        for _ in 0..MAX_KNOWN {
            known.push(all.add().await);
            known[known.len() - 1].show_key();
        }
        let new = all.add().await;
        assert!(!known.iter().any(has_ended));
        new.show_key();
        assert!(new.is_known() && has_ended(&known[0]) && !has_ended(&known[1]));
    }
}
