//! A person who types moves.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::{Answer, Miss, Player, Turn};
use crate::arbiter::Thought;
use crate::console::{Console, Leave};

/// The name that stands for a person where an engine could stand.
pub const HUMAN: &str = "human";

/// A person at the console, which both players may share.
pub struct Human {
    name: String,
    question: String,
    console: Arc<Mutex<Console>>,
}

impl Human {
    /// The person at `console` who is called `name` and asked `question`.
    pub const fn new(name: String, question: String, console: Arc<Mutex<Console>>) -> Human {
        Human {
            name,
            question,
            console,
        }
    }
}

impl Player for Human {
    fn name(&self) -> &str {
        &self.name
    }

    /// Asks until the answer is a move that can be played.
    fn think(&mut self, turn: &mut Turn<'_>) -> Result<Answer, Miss> {
        let asked = Instant::now();
        let mut console = self.console.lock().unwrap_or_else(PoisonError::into_inner);
        let position = turn.position;
        let answer = console.ask(&self.question, |line| match position.parse_move(line) {
            Ok(_) => Ok(line.to_string()),
            Err(error) => Err(error.to_string()),
        });
        match answer {
            Ok(text) => Ok(Answer {
                text,
                thought: Thought {
                    time: asked.elapsed(),
                    ..Thought::default()
                },
            }),
            Err(Leave::Quit) => Err(Miss::Quit),
            Err(Leave::Interrupted(signal)) => Err(Miss::Interrupted(signal)),
            Err(Leave::Broken(error)) => Err(Miss::Broken(error)),
        }
    }
}
