//! A person as a player like any other, which is all that a match knows of one.

use std::time::{Duration, Instant};

use lodestone::game::Variant;

use super::commands::PromptCommand;
use super::messages::Messages;
use super::prompt::{Entered, PositionView, SharedPrompt};
use crate::arbiter::Seat;
use crate::interactive::console::Leave;
use crate::player::Thought;
use crate::player::clock::Control;
use crate::player::verdict::Fault;
use crate::player::{Answer, Engine, GRACE, NoMove, Player, Turn};

/// Who sits at a place.
pub enum Sitter {
    /// A person.
    Human(Human),
    /// A running engine.
    Engine(Box<Engine>),
}

impl Sitter {
    /// Whoever it is, as the arbiter knows players.
    pub fn player(&mut self) -> &mut dyn Player {
        match self {
            Sitter::Human(human) => human,
            Sitter::Engine(engine) => engine.as_mut(),
        }
    }

    /// The engine, if it is one.
    #[must_use]
    pub const fn engine(&self) -> Option<&Engine> {
        match self {
            Sitter::Human(_) => None,
            Sitter::Engine(engine) => Some(engine),
        }
    }

    /// The engine itself, if it is one.
    #[must_use]
    pub fn into_engine(self) -> Option<Engine> {
        match self {
            Sitter::Human(_) => None,
            Sitter::Engine(engine) => Some(*engine),
        }
    }
}

/// The places of a game, as the arbiter knows them.
pub fn seats<'a>(sitters: &'a mut [Sitter; 2], controls: &'a [Control; 2]) -> [Seat<'a>; 2] {
    let [first, second] = sitters;
    let [first_control, second_control] = controls;
    [(first, first_control), (second, second_control)].map(|(sitter, control)| Seat {
        player: sitter.player(),
        control,
    })
}

/// A person at a table that both players may share.
pub struct Human {
    name: String,
    variant: Variant,
    prompt: SharedPrompt,
}

impl Human {
    /// The person at `table` who is called `name`.
    pub const fn new(name: String, variant: Variant, prompt: SharedPrompt) -> Human {
        Human {
            name,
            variant,
            prompt,
        }
    }

    /// Listens until a move comes, and does what is fair to ask for meanwhile.
    fn listen(&self, turn: &Turn<'_>, deadline: Option<Instant>) -> Result<String, NoReply> {
        let mut prompt = self.prompt.lock();
        let mover = turn.position.side_to_move();
        let messages = Messages {
            variant: self.variant,
            signs: prompt.look.signs(turn.position.diagram().signs),
            engines: [None, None],
        };
        let view = PositionView {
            position: turn.position,
            last: turn.last,
            messages: &messages,
            in_match: true,
        };
        let who = format!("{} ({})", self.name, messages.signs[mover.index()]);
        loop {
            match prompt.ask(&who, view, deadline)? {
                Entered::Move(one) => return Ok(turn.position.move_text(one)),
                Entered::Command(PromptCommand::Resign) => return Err(NoReply::Resigned),
                Entered::Command(command) => {
                    if !prompt.try_show(&command, view)? {
                        prompt
                            .console
                            .print("That is for games by hand; in a match everybody plays alone.")?;
                    }
                }
            }
        }
    }
}

/// Why no move came.
enum NoReply {
    Resigned,
    Left(Leave),
}

impl<E: Into<Leave>> From<E> for NoReply {
    fn from(error: E) -> NoReply {
        NoReply::Left(error.into())
    }
}

impl Player for Human {
    fn name(&self) -> &str {
        &self.name
    }

    /// Asks until the answer is a move that can be played, or nobody waits for
    /// it any longer, which is decided as for an engine.
    fn think(&mut self, turn: &mut Turn<'_>) -> Result<Answer, NoMove> {
        let asked = Instant::now();
        let allowed = turn.time.unwrap_or(Duration::MAX);
        let patience = allowed.checked_add(turn.margin + GRACE);
        let deadline = patience.and_then(|patience| asked.checked_add(patience));
        let text = match self.listen(turn, deadline) {
            Ok(text) => text,
            Err(NoReply::Resigned) => return Err(NoMove::Resigned),
            Err(NoReply::Left(Leave::Stopped(stop))) => return Err(stop.into()),
            Err(NoReply::Left(Leave::TimeUp)) => {
                return Err(NoMove::fault(Fault::Stall {
                    what: "move",
                    allowed,
                    hint: None,
                }));
            }
        };
        let taken = asked.elapsed();
        if taken > allowed.saturating_add(turn.margin) {
            return Err(NoMove::fault(Fault::Time { allowed, taken }));
        }
        Ok(Answer {
            text,
            thought: Thought {
                time: taken,
                ..Thought::default()
            },
        })
    }
}
