//! A person as a player of a match.

use std::sync::PoisonError;
use std::time::Duration;

use referee_core::game::{Game, GameMove, Ruleset};
use referee_core::io::running_clock;
use referee_core::player::verdict::Fault;
use referee_core::player::{Answer, GRACE, NoMove, Player, Turn};

use super::commands::PromptCommand;
use super::console::NoInput;
use super::messages::Messages;
use super::prompt::{Entered, MoveTime, SharedPrompt, View};

/// A person at a prompt, which both players may share.
pub struct PersonAtPrompt {
    name: String,
    ruleset: Ruleset,
    prompt: SharedPrompt,
}

impl PersonAtPrompt {
    /// A person called `name` who plays `variant` at `prompt`.
    pub fn new(name: String, ruleset: Ruleset, prompt: SharedPrompt) -> PersonAtPrompt {
        running_clock::watch();
        PersonAtPrompt {
            name,
            ruleset,
            prompt,
        }
    }

    /// Asks until the person enters a legal move; `None` if the person resigns.
    /// Other commands work only if they are allowed in a match.
    fn ask(&self, game: &Game, time: MoveTime) -> Result<Option<GameMove>, NoInput> {
        let mut prompt = self.prompt.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = Messages::of_match(self.ruleset, prompt.style);
        let view = View {
            game,
            messages: &messages,
            in_match: true,
        };
        let mover = game.position().side_to_move();
        let who = format!("{} ({})", self.name, messages.signs[mover.index()]);
        loop {
            match prompt.ask(&who, view, time)? {
                Entered::Move(mv) => return Ok(Some(mv)),
                Entered::Command(PromptCommand::Resign) => return Ok(None),
                Entered::Command(command) => {
                    if !prompt.try_show(&command, view)? {
                        prompt
                            .console
                            .print("This command is not available in a match.")?;
                    }
                }
            }
        }
    }
}

impl Player for PersonAtPrompt {
    fn name(&self) -> &str {
        &self.name
    }

    /// Asks for a legal move until the deadline, which is the same as for an
    /// engine.
    fn think(&mut self, game: &Game, turn: &mut Turn<'_>) -> Result<Answer, NoMove> {
        let asked = running_clock::now();
        let allowed = turn.time.unwrap_or(Duration::MAX);
        let patience = allowed.checked_add(turn.margin + GRACE);
        let deadline = patience.and_then(|patience| asked.checked_add(patience));
        let time = MoveTime {
            left: turn.time,
            deadline,
        };
        let mut opponent = std::mem::take(&mut turn.opponent);
        let entered = opponent.drained_during(|| self.ask(game, time));
        turn.opponent = opponent;
        let mv = match entered {
            Ok(Some(mv)) => mv,
            Ok(None) => return Err(NoMove::Resigned),
            Err(NoInput::Stopped(stop)) => return Err(stop.into()),
            Err(NoInput::TimeUp) => {
                return Err(NoMove::fault(Fault::Stall {
                    what: None,
                    allowed,
                    is_own_doing: false,
                    hint: None,
                }));
            }
        };
        let taken = running_clock::elapsed(asked);
        if taken > allowed.saturating_add(turn.margin) {
            return Err(NoMove::fault(Fault::Time {
                allowed,
                taken,
                waited: Duration::ZERO,
                is_own_doing: false,
                hint: None,
            }));
        }
        Ok(Answer {
            mv,
            thought: taken.into(),
            expected: None,
            own_pass: None,
        })
    }
}
