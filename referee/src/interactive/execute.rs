//! Executes the commands of a session: hints, undo, swap, level, files.

use std::io;
use std::path::Path;

use lodestone::board::Side;

use super::adviser::Adviser;
use super::commands::PromptCommand;
use super::level;
use super::session::{NextStep, Session, SessionPlayer, game_of, lenient};
use crate::config::roster::{self, Contestant, start};
use crate::io::failure::Failure;
use crate::io::interrupt::{Signal, Stop};
use crate::io::text::printable;
use crate::player::Thought;
use crate::player::verdict::Verdict;
use crate::player::{Engine, Player};
use crate::results::game_file;
use crate::results::saved_game::SavedGame;

/// The result of a command.
struct Executed {
    message: String,
    /// The position or a player has changed.
    position_changed: bool,
}

/// An executed command, or why it cannot be executed.
type Execution = Result<Executed, String>;

impl Executed {
    const fn message(message: String) -> Executed {
        Executed {
            message,
            position_changed: false,
        }
    }
}

/// Maximum length of a path in a message, in characters.
const MAX_PATH: usize = 80;

fn printable_path(path: &Path) -> String {
    printable(&path.display().to_string(), MAX_PATH)
}

impl Session {
    /// Executes a command and prints its result.
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
            PromptCommand::Load(path, number) => self.load(path, *number),
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

    /// The move that the adviser suggests.
    fn hint(&mut self) -> Result<Execution, Failure> {
        let advice = self.advice()?;
        Ok(advice.map(|(text, _)| {
            let text = self.messages.move_list([text.as_str()]);
            Executed::message(format!(
                "Hint: {text}, says {}; `why` shows its score and line.",
                Adviser::NAME
            ))
        }))
    }

    /// The score and line that the engine reported with its last move, and those
    /// of the adviser for the current position.
    fn why(&mut self) -> Result<Execution, Failure> {
        let mut lines = Vec::new();
        if let Some(last) = self.game.last()
            && let Some(engine) = &self.messages.engines[last.mover.index()]
            && last.thought.score.is_some()
        {
            let played = self.messages.move_list([last.text]);
            let who = format!("{engine}, which played {played},");
            lines.push(self.messages.expectation(&who, last.mover, last.thought));
        }
        if self.game.outcome().is_none() {
            let mover = self.game.position().side_to_move();
            match self.advice()? {
                Ok((_, thought)) => {
                    let who = format!("{}, asked now,", Adviser::NAME);
                    lines.push(self.messages.expectation(&who, mover, &thought));
                }
                Err(why) => lines.push(why),
            }
        }
        Ok(if lines.is_empty() {
            Err("The game is over.".to_string())
        } else {
            Ok(Executed::message(lines.join("\n")))
        })
    }

    /// The adviser's move, score and line. The inner error is a message for the
    /// person.
    fn advice(&mut self) -> Result<Result<(String, Thought), String>, Failure> {
        if self.game.outcome().is_some() {
            return Ok(Err("The game is over.".to_string()));
        }
        match self.adviser.ask(&self.game) {
            Ok(answer) => Ok(Ok((answer.text, answer.thought))),
            Err(Failure::Stopped(Stop::Signal(Signal::Interrupt)))
                if self.prompt.lock().console.is_terminal() =>
            {
                self.confirm_quit()?;
                Ok(Err("Cancelled.".to_string()))
            }
            Err(stopped @ Failure::Stopped(_)) => Err(stopped),
            Err(failure) => Ok(Err(failure.to_string())),
        }
    }

    /// Takes back the last move of a person, and all moves after it.
    fn undo(&mut self) -> Execution {
        let is_human = |side: Option<Side>| side.map(|side| self.messages.engines[side.index()].is_none());
        let mut plies = 1;
        loop {
            match is_human(self.game.mover_before(plies)) {
                Some(true) => break,
                Some(false) => plies += 1,
                None => return Err("You have no move to take back.".to_string()),
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

    /// Swaps the sides of the person and the engine.
    fn swap(&mut self) -> Execution {
        let Some(side) = self.messages.human_side() else {
            return Err("There is no computer to swap sides with: two people play.".to_string());
        };
        self.players.swap(0, 1);
        self.controls.swap(0, 1);
        self.plan.choices.swap(0, 1);
        self.messages.engines.swap(0, 1);
        let message = format!("You are now {}.", self.messages.label(side.opponent()));
        Ok(Executed {
            message,
            position_changed: true,
        })
    }

    /// Shows or changes the level of the engine.
    fn level(&mut self, answer: Option<&str>) -> Result<Execution, Failure> {
        let variant = self.plan.variant;
        let Some(side) = self.messages.human_side().map(Side::opponent) else {
            return Ok(Err(
                "There is no computer to set a level for: two people play.".into()
            ));
        };
        let index = side.index();
        let Some(answer) = answer else {
            let current = self.plan.choices[index].as_ref();
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
            return Ok(Err(format!("`{answer}` is not a program.")));
        };
        let engine = match start(&spec, variant, &self.interrupt) {
            Ok(engine) => engine,
            Err(failure @ Failure::Stopped(_)) => return Err(failure),
            Err(failure) => return Ok(Err(failure.to_string())),
        };
        let message = format!("The computer is {}", level::describe(&settings, variant));
        self.messages.engines[index] = Some(engine.name().to_string());
        self.controls[index] = lenient(&control, &spec);
        self.plan.choices[index] = Some(settings);
        let replaced = std::mem::replace(&mut self.players[index], SessionPlayer::Engine(Box::new(engine)));
        Engine::dismiss(replaced.into_engine());
        Ok(Ok(Executed::message(message)))
    }

    /// Saves the game to a file; asks before it overwrites one.
    fn save(&mut self, path: &Path) -> Result<Execution, Failure> {
        let name = printable_path(path);
        let saved_game = SavedGame::of(self.plan.variant, &self.game);
        let mut saved = saved_game.save_new(path);
        let exists = saved
            .as_ref()
            .is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists);
        if exists && path.is_file() {
            let question = format!("`{name}` exists. Overwrite it?");
            if !self.prompt.lock().console.confirm(&question)? {
                return Ok(Err("Not saved.".to_string()));
            }
            saved = saved_game.save_over(path);
        }
        Ok(match saved {
            Ok(()) => Ok(Executed::message(format!("Saved to `{name}`."))),
            Err(error) => Err(format!("Not saved: `{name}` cannot be written: {error}")),
        })
    }

    /// Continues the game in a file, or the one with this number.
    fn load(&mut self, path: &Path, number: Option<u64>) -> Execution {
        let stored_game = game_file::load(path, number)?;
        if stored_game.variant != self.plan.variant {
            return Err(format!(
                "`{}` is a game of {}, but this is {}; to load it, start `referee` alone and answer \
                 its first question with `load FILE`",
                printable_path(path),
                stored_game.variant,
                self.plan.variant
            ));
        }
        let moves = match stored_game.moves.len() {
            1 => "1 move".to_string(),
            count => format!("{count} moves"),
        };
        let file = printable_path(path);
        let message = match (&stored_game.players, stored_game.id) {
            (Some([first, second]), Some(id)) => {
                let players = printable(&format!("{first} against {second}"), MAX_PATH);
                format!("Loaded game {id} of `{file}`: {players}, {moves}.")
            }
            _ => format!("Loaded `{file}`, a game with {moves}."),
        };
        self.game = game_of(&stored_game.into_saved_game());
        Ok(Executed {
            message,
            position_changed: true,
        })
    }
}
