//! Executes the commands of a session: hints, undo, swap, level, files.

use std::io;
use std::path::Path;

use lodestone::board::Side;

use super::adviser::Adviser;
use super::commands::PromptCommand;
use super::console::{Console, table};
use super::human::Human;
use super::level;
use super::menu::saved_players;
use super::messages::Messages;
use super::session::{NextStep, PlayerChoice, Session, SessionPlayer, game_of, start_engine};
use super::thinking::ThinkingLine;
use crate::config::settings::HUMAN;
use crate::game::clock::Control;
use crate::game::{Observer, Thought};
use crate::io::failure::Failure;
use crate::io::files;
use crate::io::interrupt::{Signal, Stop};
use crate::io::text::printable;
use crate::player::Engine;
use crate::player::verdict::Verdict;
use crate::results::{StoredGame, game_file, saved_game};

/// The result of a command.
pub(super) struct Executed {
    pub(super) message: String,
    /// The position or a player has changed.
    position_changed: bool,
}

/// An executed command, or why it cannot be executed.
pub(super) type Execution = Result<Executed, String>;

/// A player that is not seated yet.
struct NewPlayer {
    side: Side,
    choice: PlayerChoice,
    player: SessionPlayer,
    control: Control,
}

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
        let title = self.messages.game_start();
        if self.prompt.lock().try_show(command, self.view(&title))? {
            return Ok(NextStep::AskAgain);
        }
        let executed = match command {
            PromptCommand::Hint => self.hint()?,
            PromptCommand::Why => self.why()?,
            PromptCommand::Undo(count) => self.undo(*count),
            PromptCommand::Swap => self.swap(),
            PromptCommand::Level(None) => return self.show_level(),
            PromptCommand::Level(Some(answer)) => self.set_level(answer)?,
            PromptCommand::Save(path) => self.save(path)?,
            PromptCommand::Load(path, number) => self.load(path, *number)?,
            PromptCommand::New => {
                self.offer_to_save()?;
                return Ok(NextStep::NewGame);
            }
            PromptCommand::Resign if self.game.position().outcome().is_none() => {
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
                if position_changed {
                    self.prompt.lock().forget_moves();
                    self.show_position(&message)?;
                    return Ok(NextStep::Continue);
                }
                self.print(&message)?;
            }
            Err(why) => self.prompt.lock().console.print_message(&why)?,
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
        if self.game.position().outcome().is_none() {
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
        if self.game.position().outcome().is_some() {
            return Ok(Err("The game is over.".to_string()));
        }
        let mut line = ThinkingLine::start(&self.prompt, Adviser::NAME, None);
        let observer = line.as_mut().map(|line| line as &mut dyn Observer);
        let asked = self.adviser.ask(&self.game, observer);
        drop(line);
        match asked {
            Ok(answer) => Ok(Ok((self.game.position().move_text(answer.mv), answer.thought))),
            Err(Failure::Stopped(Stop::Signal(Signal::Interrupt))) if Console::is_terminal() => {
                self.confirm_quit()?;
                Ok(Err("Cancelled.".to_string()))
            }
            Err(stopped @ Failure::Stopped(_)) => Err(stopped),
            Err(failure) => Ok(Err(failure.to_string())),
        }
    }

    /// Takes back the last `count` moves of a person, and all moves after them.
    fn undo(&mut self, count: usize) -> Execution {
        let is_human = |side: Side| self.messages.engines[side.index()].is_none();
        // The number of moves up to each move of a person, the last one first.
        let own: Vec<usize> = (1..)
            .map_while(|plies| Some((plies, self.game.mover_before(plies)?)))
            .filter_map(|(plies, mover)| is_human(mover).then_some(plies))
            .take(count)
            .collect();
        let plies = match own.last() {
            None => return Err("You have no move to take back.".to_string()),
            Some(_) if own.len() < count => {
                let moves = plural(own.len(), "move");
                return Err(format!("You have only {moves} to take back."));
            }
            Some(&plies) => plies,
        };
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
        self.messages.levels.swap(0, 1);
        let message = format!("You are now {}.", self.messages.label(side.opponent()));
        Ok(Executed {
            message,
            position_changed: true,
        })
    }

    /// The side of the only engine.
    fn engine_side(&self) -> Result<Side, String> {
        let side = self.messages.human_side().map(Side::opponent);
        side.ok_or_else(|| "There is no computer to set a level for: two people play.".to_string())
    }

    /// Shows the level of the engine, and all levels.
    fn show_level(&mut self) -> Result<NextStep, Failure> {
        let mut prompt = self.prompt.lock();
        match self.engine_side() {
            Ok(side) => {
                let current = self.plan.choices[side.index()].as_ref();
                let current = current.map_or(String::new(), |settings| {
                    level::describe(settings, self.plan.variant)
                });
                let list = table(&level::list(), prompt.console.width());
                let others = level::OTHERS;
                prompt
                    .console
                    .print(&format!("The computer is {current}\n{list}\n{others}"))?;
            }
            Err(why) => prompt.console.print_message(&why)?,
        }
        Ok(NextStep::AskAgain)
    }

    /// Changes the level of the engine.
    fn set_level(&mut self, answer: &str) -> Result<Execution, Failure> {
        let variant = self.plan.variant;
        let settings = self
            .engine_side()
            .and_then(|side| Ok((side, level::parse(answer, variant)?)));
        let (side, settings) = match settings {
            Ok(settings) => settings,
            Err(why) => return Ok(Err(why)),
        };
        let message = format!("The computer is {}", level::describe(&settings, variant));
        Ok(self.create_player(side, Some(settings))?.map(|player| {
            self.seat(player);
            Executed::message(message)
        }))
    }

    /// An engine at this seat, started, or a person. The inner error is a message for the
    /// person.
    fn create_player(&self, side: Side, choice: PlayerChoice) -> Result<Result<NewPlayer, String>, Failure> {
        let variant = self.plan.variant;
        let (player, control) = match &choice {
            None => {
                let human = Human::new(Messages::player(side), variant, self.prompt.clone());
                (SessionPlayer::Human(human), Control::default())
            }
            Some(settings) => match start_engine(settings, variant, self.plan.seed, &self.interrupt) {
                Ok((engine, control)) => (SessionPlayer::Engine(Box::new(engine)), control),
                Err(failure @ Failure::Stopped(_)) => return Err(failure),
                Err(failure) => return Ok(Err(failure.to_string())),
            },
        };
        Ok(Ok(NewPlayer {
            side,
            choice,
            player,
            control,
        }))
    }

    /// Seats a player in place of the present one.
    fn seat(&mut self, new: NewPlayer) {
        let index = new.side.index();
        let settings = new.choice.as_ref();
        let level = settings.and_then(|settings| level::name(settings, self.plan.variant));
        self.messages.engines[index] = new.player.engine_name();
        self.messages.levels[index] = level.map(String::from).or_else(|| new.player.engine_name());
        self.controls[index] = new.control;
        self.plan.choices[index] = new.choice;
        let replaced = std::mem::replace(&mut self.players[index], new.player);
        Engine::dismiss(replaced.into_engine());
    }

    /// Saves the game to a file; asks before it overwrites one.
    pub(super) fn save(&mut self, path: &Path) -> Result<Execution, Failure> {
        let name = printable_path(path);
        let variant = self.plan.variant;
        let player = |choice: &PlayerChoice| match choice {
            None => HUMAN.to_string(),
            Some(settings) => level::answer(settings, variant),
        };
        let seats = self.plan.choices.each_ref().map(|choice| Some(player(choice)));
        let text = saved_game::text(variant, self.game.first_position(), self.game.moves(), &seats);
        let mut saved = files::write_new(path, &text);
        let exists = saved
            .as_ref()
            .is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists);
        if exists && path.is_file() {
            let question = format!("`{name}` exists. Overwrite it?");
            if !self.prompt.lock().console.confirm(&question)? {
                return Ok(Err("Not saved.".to_string()));
            }
            saved = saved_game::save_over(path, &text);
        }
        Ok(match saved {
            Ok(()) => {
                self.saved_moves = self.game.moves().to_vec();
                Ok(Executed::message(format!("Saved to `{name}`.")))
            }
            Err(error) => Err(format!("Not saved: `{name}` cannot be written: {error}")),
        })
    }

    /// Continues the game in a file, or the one with this number, with the players that a
    /// saved game names.
    fn load(&mut self, path: &Path, number: Option<u64>) -> Result<Execution, Failure> {
        let file = printable_path(path);
        let (stored_game, players) = match self.read_game(path, number) {
            Ok(read) => read,
            Err(why) => return Ok(Err(why)),
        };
        self.offer_to_save()?;
        let mut new_players = Vec::new();
        for (side, choice) in Side::BOTH.into_iter().zip(players.into_iter().flatten()) {
            if self.plan.choices[side.index()] == choice {
                continue;
            }
            match self.create_player(side, choice)? {
                Ok(player) => new_players.push(player),
                Err(why) => return Ok(Err(format!("`{file}`: {why}"))),
            }
        }
        for player in new_players {
            self.seat(player);
        }
        let moves = plural(stored_game.moves.len(), "move");
        let message = match stored_game.id {
            Some(id) => {
                let [first, second] = &stored_game.players;
                let players = printable(&format!("{first} against {second}"), MAX_PATH);
                format!("Loaded game {id} of `{file}`: {players}, {moves}.")
            }
            None => format!("Loaded `{file}`, a game with {moves}."),
        };
        self.game = game_of(&stored_game);
        self.saved_moves = self.game.moves().to_vec();
        Ok(Ok(Executed {
            message,
            position_changed: true,
        }))
    }

    /// Reads a game of this variant, and the players that continue it.
    fn read_game(
        &self,
        path: &Path,
        number: Option<u64>,
    ) -> Result<(StoredGame, Option<[PlayerChoice; 2]>), String> {
        let file = printable_path(path);
        let stored_game = game_file::load(path, number)?;
        let variant = stored_game.variant;
        if variant != self.plan.variant {
            return Err(format!(
                "`{file}` is a game of {variant}, but this is {}; to load it, start `referee` alone and \
                 answer its first question with `load FILE`",
                self.plan.variant
            ));
        }
        let players = saved_players(variant, &stored_game.seats);
        Ok((stored_game, players.map_err(|why| format!("`{file}`: {why}"))?))
    }
}

/// "1 move", "2 moves".
fn plural(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}
