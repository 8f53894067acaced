//! What a person at the table can ask for beside moving: advice, going back,
//! other sides, another opponent, files.

use std::io;
use std::path::Path;

use lodestone::board::Side;

use super::adviser::{Adviser, NoAdvice};
use super::commands::PromptCommand;
use super::human::Sitter;
use super::level;
use super::saved_game::SavedGame;
use super::session::{NextStep, Session, game_of, lenient};
use crate::config::roster::{self, Contestant, start};
use crate::io::failure::Failure;
use crate::io::interrupt::{Signal, Stop};
use crate::io::text::printable;
use crate::player::Thought;
use crate::player::verdict::Verdict;
use crate::player::{Engine, Player};

/// Something that was asked for and done.
struct Executed {
    /// What the person is told.
    message: String,
    /// The position or the player to move is another one now.
    position_changed: bool,
}

/// What was done, or why not.
type Execution = Result<Executed, String>;

impl Executed {
    const fn message(message: String) -> Executed {
        Executed {
            message,
            position_changed: false,
        }
    }
}

/// A file's name, fit to be shown.
fn name_of(path: &Path) -> String {
    printable(&path.display().to_string(), SHOWN)
}

/// How much of a file's name is shown, in characters.
const SHOWN: usize = 80;

impl Session {
    /// Does what a person asked for.
    pub(super) fn execute(&mut self, command: &PromptCommand) -> Result<NextStep, Failure> {
        if self.prompt.lock().try_show(command, self.view())? {
            return Ok(NextStep::AskAgain);
        }
        let executed = match command {
            PromptCommand::Hint => self.hint()?,
            PromptCommand::Why => self.why()?,
            PromptCommand::Undo => self.undo(),
            PromptCommand::Swap => self.swap(),
            PromptCommand::Level(answer) => self.level(answer.as_deref())?,
            PromptCommand::Save(path) => self.save(path)?,
            PromptCommand::Load(path) => self.load(path),
            PromptCommand::Resign if self.game.outcome().is_none() => {
                let loser = self.game.position().side_to_move();
                return Ok(NextStep::GameOver(Verdict::Resigned { loser }));
            }
            _ => Err("The game is over.".to_string()),
        };
        match executed {
            Ok(Executed {
                message,
                position_changed,
            }) => {
                self.print(&message)?;
                if position_changed {
                    self.show_board()?;
                    return Ok(NextStep::Continue);
                }
            }
            Err(why) => self.prompt.lock().console.print_wrapped(&why)?,
        }
        Ok(NextStep::AskAgain)
    }

    /// What the adviser would play.
    fn hint(&mut self) -> Result<Execution, Failure> {
        let advice = self.advice()?;
        Ok(advice.map(|(text, _)| {
            let text = self.messages.move_list([text.as_str()]);
            Executed::message(format!(
                "Hint: {text}, says {}; `why` says what it expects.",
                Adviser::NAME
            ))
        }))
    }

    /// What the engine that moved last said of its move, and what the adviser
    /// says of the position now.
    fn why(&mut self) -> Result<Execution, Failure> {
        let mut said = Vec::new();
        if let Some(last) = self.game.last()
            && let Some(engine) = &self.messages.engines[last.mover.index()]
            && last.thought.score.is_some()
        {
            let played = self.messages.move_list([last.text]);
            let who = format!("{engine}, who played {played},");
            said.push(self.messages.expectation(&who, last.mover, last.thought));
        }
        if self.game.outcome().is_none() {
            let mover = self.game.position().side_to_move();
            match self.advice()? {
                Ok((_, thought)) => {
                    let who = format!("{}, asked now,", Adviser::NAME);
                    said.push(self.messages.expectation(&who, mover, &thought));
                }
                Err(why) => said.push(why),
            }
        }
        Ok(if said.is_empty() {
            Err("The game is over.".to_string())
        } else {
            Ok(Executed::message(said.join("\n")))
        })
    }

    /// What the adviser says; an error is for the person.
    fn advice(&mut self) -> Result<Result<(String, Thought), String>, Failure> {
        if self.game.outcome().is_some() {
            return Ok(Err("The game is over.".to_string()));
        }
        match self.adviser.ask(&self.game) {
            Ok(answer) => Ok(Ok((answer.text, answer.thought))),
            Err(NoAdvice::Failed(why)) => Ok(Err(why)),
            Err(NoAdvice::Stopped(Stop::Signal(Signal::Interrupt)))
                if self.prompt.lock().console.is_terminal() =>
            {
                self.confirm_quit()?;
                Ok(Err("No advice, then.".to_string()))
            }
            Err(NoAdvice::Stopped(stop)) => Err(stop.into()),
        }
    }

    /// Back to where a person was to move before.
    fn undo(&mut self) -> Execution {
        let is_human = |side: Option<Side>| side.map(|side| self.messages.engines[side.index()].is_none());
        let mut plies = 1;
        loop {
            match is_human(self.game.mover_before(plies)) {
                Some(true) => break,
                Some(false) => plies += 1,
                None => return Err("There is no move of yours to take back.".to_string()),
            }
        }
        let kept = self.game.moves().len() - plies;
        let taken = self.game.moves()[kept..].iter().map(String::as_str);
        let message = format!("Taken back: {}", self.messages.move_list(taken));
        for _ in 0..plies {
            self.game.take_back();
        }
        Ok(Executed {
            message,
            position_changed: true,
        })
    }

    /// The person and the engine change sides.
    fn swap(&mut self) -> Execution {
        let Some(side) = self.messages.human_side() else {
            return Err("There is no computer to change sides with: two people play.".to_string());
        };
        self.sitters.swap(0, 1);
        self.controls.swap(0, 1);
        self.plan.choices.swap(0, 1);
        self.messages.engines.swap(0, 1);
        let message = format!("You are {} now.", self.messages.label(side.opponent()));
        Ok(Executed {
            message,
            position_changed: true,
        })
    }

    /// Shows or changes how strong the engine is.
    fn level(&mut self, answer: Option<&str>) -> Result<Execution, Failure> {
        let variant = self.plan.variant;
        let Some(side) = self.messages.human_side().map(Side::opponent) else {
            return Ok(Err(
                "There is no computer whose level could be changed: two people play.".into(),
            ));
        };
        let seat = side.index();
        let Some(answer) = answer else {
            let current = self.plan.choices[seat].as_ref();
            let current = current.map_or(String::new(), |settings| level::describe(settings, variant));
            let list = level::list();
            return Ok(Ok(Executed::message(format!(
                "The computer is {current}\n{list}"
            ))));
        };
        let settings = match level::parse(answer, variant) {
            Ok(settings) => settings,
            Err(why) => return Ok(Err(why)),
        };
        let contestant = roster::resolve(std::slice::from_ref(&settings), variant)?
            .into_iter()
            .next();
        let Some(Contestant {
            spec: Some(spec),
            control,
            ..
        }) = contestant
        else {
            return Ok(Err(format!("`{answer}` is no program that could play.")));
        };
        let engine = match start(&spec, variant, &self.interrupt) {
            Ok(engine) => engine,
            Err(failure @ Failure::Stopped(_)) => return Err(failure),
            Err(failure) => return Ok(Err(failure.to_string())),
        };
        let message = format!("The computer is {}", level::describe(&settings, variant));
        self.messages.engines[seat] = Some(engine.name().to_string());
        self.controls[seat] = lenient(&control, &spec);
        self.plan.choices[seat] = Some(settings);
        let before = std::mem::replace(&mut self.sitters[seat], Sitter::Engine(Box::new(engine)));
        Engine::dismiss(before.into_engine());
        Ok(Ok(Executed::message(message)))
    }

    /// Writes the game to a file; over an old one only when that is wanted.
    fn save(&mut self, path: &Path) -> Result<Execution, Failure> {
        let name = name_of(path);
        let saved_game = SavedGame::of(self.plan.variant, &self.game);
        let mut saved = saved_game.save_new(path);
        let is_there = saved
            .as_ref()
            .is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists);
        if is_there && path.is_file() {
            let question = format!("`{name}` exists. Write over it?");
            if !self.prompt.lock().console.confirm(&question)? {
                return Ok(Err("Nothing is saved.".to_string()));
            }
            saved = saved_game.save_over(path);
        }
        Ok(match saved {
            Ok(()) => Ok(Executed::message(format!("Saved to `{name}`."))),
            Err(error) => Err(format!("`{name}` cannot be written: {error}; nothing is saved")),
        })
    }

    /// Goes on with a game from a file.
    fn load(&mut self, path: &Path) -> Execution {
        let saved_game = SavedGame::load(path)?;
        if saved_game.variant != self.plan.variant {
            return Err(format!(
                "`{}` is a game of {}, this is {}; the first question of `referee` alone takes \
                 `load FILE` of any game",
                name_of(path),
                saved_game.variant,
                self.plan.variant
            ));
        }
        self.game = game_of(&saved_game);
        let message = format!(
            "Loaded `{}`: {} moves were played.",
            name_of(path),
            saved_game.moves.len()
        );
        Ok(Executed {
            message,
            position_changed: true,
        })
    }
}
