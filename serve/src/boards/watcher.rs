//! Shows what a program reports while it thinks, and notices what is asked meanwhile.

use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use lodestone_game::protocol::Info;
use referee_core::failure::Stop;
use referee_core::game::{Game, Observer};

use super::state::Advice;

/// The shortest time between two reports that are shown.
const REPORTING: Duration = Duration::from_millis(200);

/// An observer of one search.
pub struct Watcher<'a, T, S> {
    /// Where requests come from.
    pub requests: &'a Receiver<T>,
    /// Answers a request that does not end the search, or gives it back.
    pub filter: fn(T) -> Option<T>,
    /// The request that ended the search.
    pub request: Option<T>,
    /// Whether the answer is not wanted any more, which is asked ten times a second.
    pub is_unwanted: &'a dyn Fn() -> bool,
    /// What the program has reported so far.
    pub advice: Advice,
    /// Shows the advice.
    pub show: S,
    /// When the last one was shown.
    pub shown: Instant,
}

impl<T, S: Fn(Advice)> Observer for Watcher<'_, T, S> {
    fn asks(&mut self, _: &Game) -> bool {
        true
    }

    fn thinking(&mut self, elapsed: Duration, info: &Info) -> Result<(), Stop> {
        match self.requests.try_recv().map(self.filter) {
            Err(TryRecvError::Empty) | Ok(None) => {}
            request => {
                self.request = request.ok().flatten();
                return Err(Stop::Quit);
            }
        }
        if (self.is_unwanted)() {
            return Err(Stop::Quit);
        }
        self.advice.elapsed = elapsed.as_millis() as u64;
        (self.advice.depth, self.advice.nodes) = (info.depth, info.nodes);
        self.advice.score = info.score.map(|score| score.to_string());
        self.advice.pv.clone_from(&info.pv);
        if self.shown.elapsed() >= REPORTING && info.score.is_some() {
            self.shown = Instant::now();
            (self.show)(self.advice.clone());
        }
        Ok(())
    }
}
