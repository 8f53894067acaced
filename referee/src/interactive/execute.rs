//! Executes the commands of a session: hints, undo, swap, level, files.

use std::io;
use std::path::Path;
use std::time::Duration;

use lodestone_game::board::Side;
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::clock::{Control, TimeControl};
use referee_core::io::files;
use referee_core::io::interrupt::Signal;
use referee_core::io::text::{ShowPath, counted, printable};
use referee_core::player::verdict::Verdict;
use referee_core::player::{Answer, Player as _, Turn};
use referee_core::results::{StoredGame, game_file};

use super::commands::PromptCommand;
use super::console::Console;
use super::layout::table;
use super::menu::{allows_programs, level_rows, saved_players};
use super::prompt::View;
use super::session::{Execution, NextStep, Session, create_seat, refused};
use crate::by_hand::{HandSeat, PATIENCE, level, make_program};
use crate::config::settings::{HUMAN, Settings};

/// Time for one hint.
const HINT_TIME: Duration = Duration::from_secs(1);

/// Maximum length of a path in a message, in characters.
const MAX_PATH: usize = 80;

impl Session {
    /// Executes a command and prints its result.
    pub(super) fn execute(&mut self, command: &PromptCommand) -> Result<NextStep, Failure> {
        if self
            .prompt
            .try_show(command, View::by_hand(self.hand.game(), &self.messages))?
        {
            return Ok(NextStep::AskAgain);
        }
        let executed = match command {
            PromptCommand::Hint => self.hint(),
            PromptCommand::Why => self.why(),
            PromptCommand::Undo(count) => self.undo(*count),
            PromptCommand::Swap => self.swap(),
            PromptCommand::Level(None) => self.show_level(),
            PromptCommand::Level(Some(answer)) => self.set_level(answer),
            PromptCommand::Save(path) => self.save(path),
            PromptCommand::Load(path, number) => self.load(path, *number),
            PromptCommand::New => {
                self.offer_to_save()?;
                return Ok(NextStep::NewGame);
            }
            PromptCommand::Resign if self.hand.game().position().outcome().is_none() => {
                let loser = self.hand.mover();
                return Ok(NextStep::GameOver(Verdict::Resigned { loser }));
            }
            _ => refused("The game is over."),
        };
        match executed {
            Ok((NextStep::Continue, message)) => {
                self.prompt.forget_moves();
                self.show_position(&message)?;
                return Ok(NextStep::Continue);
            }
            Ok((_, message)) => self.print(&message)?,
            Err(failure) => self.explain(failure)?,
        }
        Ok(NextStep::AskAgain)
    }

    /// The move that the adviser suggests.
    fn hint(&mut self) -> Execution {
        let advice = self.advice()?;
        let text = self.messages.move_list([advice.mv.text.as_str()]);
        let message = format!(
            "Hint: {text}, says {}; `why` shows its score and line.",
            self.adviser_name()
        );
        Ok((NextStep::AskAgain, message))
    }

    /// The score and line that the engine reported with its last move, and those
    /// of the adviser for the current position.
    fn why(&mut self) -> Execution {
        let mut lines = Vec::new();
        if let Some(last) = self.hand.game().last()
            && let Some(engine) = &self.messages.engines[last.mover.index()]
            && last.thought.info.score.is_some()
        {
            let played = self.messages.move_list([last.text]);
            let who = format!("{engine}, which played {played},");
            lines.push(self.messages.expectation(&who, last.mover, last.thought));
        }
        match self.advice() {
            Ok(advice) => {
                let who = format!("{}, asked now,", self.adviser_name());
                let expectation = self
                    .messages
                    .expectation(&who, self.hand.mover(), &advice.thought);
                lines.push(expectation);
            }
            Err(failure) if lines.is_empty() || matches!(failure, Failure::Stopped(_)) => {
                return Err(failure);
            }
            Err(_) if self.hand.game().position().outcome().is_some() => {}
            Err(failure) => lines.push(failure.to_string()),
        }
        Ok((NextStep::AskAgain, lines.join("\n")))
    }

    /// The player that gives advice.
    fn adviser_name(&self) -> &'static str {
        self.plan.ruleset.strongest()
    }

    /// What [`Session::ask_adviser`] finds; refused after the end. Ctrl-C cancels it, and asks whether to quit.
    fn advice(&mut self) -> Result<Answer, Failure> {
        if self.hand.game().position().outcome().is_some() {
            return refused("The game is over.");
        }
        match self.ask_adviser() {
            Err(Failure::Stopped(Stop::Signal(Signal::Interrupt))) if Console::is_terminal() => {
                self.confirm_quit()?;
                refused("Cancelled.")
            }
            answer => answer,
        }
    }

    /// The move that the adviser would play, with score and line. It starts at the first request.
    fn ask_adviser(&mut self) -> Result<Answer, Failure> {
        let (plan, name) = (&self.plan, self.adviser_name());
        let mut engine = match self.adviser.take() {
            Some(engine) => engine,
            None => {
                make_program(
                    &Settings::of_program(name),
                    plan.ruleset,
                    plan.seed,
                    &self.interrupt,
                    true,
                )?
                .0
            }
        };
        let control = Control {
            time: TimeControl::Move(HINT_TIME),
            margin: PATIENCE,
            ..Control::default()
        };
        let game = self.hand.game();
        let think = || engine.think(game, &mut Turn::apart(game, &control));
        let answer = self.prompt.console.while_thinking(name, think)?;
        let answer = answer.map_err(|why| why.failure(name))?;
        self.adviser = Some(engine);
        Ok(answer)
    }

    /// Takes back the last `count` moves of a person, and all moves after them.
    fn undo(&mut self, count: usize) -> Execution {
        let kept = self.hand.undo(count).map_err(|own| match own {
            0 => "You have no move to take back.".to_string(),
            own => format!("You have only {} to take back.", counted(own, "move")),
        });
        let kept = kept.map_err(Failure::Usage)?;
        let taken = self.hand.game().moves()[kept..].iter().map(String::as_str);
        let message = format!("Taken back: {}", self.messages.move_list(taken));
        self.hand.keep(kept);
        Ok((NextStep::Continue, message))
    }

    /// Swaps the sides of the person and the engine.
    fn swap(&mut self) -> Execution {
        let Some(side) = self.messages.human_side() else {
            return refused("There is no computer to swap sides with: two people play.");
        };
        self.hand.seats.swap(0, 1);
        self.introduce();
        let message = format!("You are now {}.", self.messages.label(side.opponent()));
        Ok((NextStep::Continue, message))
    }

    /// The side of the only engine.
    fn engine_side(&self) -> Result<Side, Failure> {
        let side = self.messages.human_side().map(Side::opponent);
        side.map_or_else(
            || refused("There is no computer to set a level for: two people play."),
            Ok,
        )
    }

    /// Shows the level of the engine, and all levels.
    fn show_level(&self) -> Execution {
        let choice = self.hand.seats[self.engine_side()?.index()].program.as_ref();
        let current = choice.map_or(String::new(), |settings| {
            level::describe(settings, self.plan.ruleset)
        });
        let list = table(&level_rows(self.plan.ruleset), Console::width());
        let message = format!(
            "The computer is {current}\n{list}\n{}",
            level::others(self.plan.ruleset)
        );
        Ok((NextStep::AskAgain, message))
    }

    /// Changes the level of the engine.
    fn set_level(&mut self, answer: &str) -> Execution {
        let side = self.engine_side()?;
        let settings = level::parse(answer, self.plan.ruleset).map_err(Failure::Usage)?;
        let message = format!(
            "The computer is {}",
            level::describe(&settings, self.plan.ruleset)
        );
        self.hand
            .seat(side, create_seat(Some(settings), &self.plan, &self.interrupt)?);
        self.introduce();
        Ok((NextStep::AskAgain, message))
    }

    /// Saves the game to a file; asks before it overwrites one.
    pub(super) fn save(&mut self, path: &Path) -> Execution {
        let name = path.shown();
        let ruleset = self.plan.ruleset;
        let player = |seat: &HandSeat<Settings>| match &seat.program {
            None => HUMAN.to_string(),
            Some(settings) => level::answer(settings, ruleset),
        };
        let text = self.hand.text(ruleset, self.hand.seats.each_ref().map(player));
        let mut saved = files::write_new(path, &text);
        let exists = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
        if saved.as_ref().is_err_and(exists) && path.is_file() {
            let question = format!("`{name}` exists. Overwrite it?");
            if !self.prompt.console.confirm(&question)? {
                return refused("Not saved.");
            }
            saved = files::replace(path, &text);
        }
        if let Err(error) = saved {
            return refused(format!("Not saved: `{name}` cannot be written: {error}"));
        }
        self.saved_moves = self.hand.game().moves().to_vec();
        Ok((NextStep::AskAgain, format!("Saved to `{name}`.")))
    }

    /// Continues the game in a file, or the one with this number, with the players that a
    /// saved game names.
    fn load(&mut self, path: &Path, number: Option<u64>) -> Execution {
        let file = path.shown();
        let stored_game = game_file::load(path, number, Some(self.plan.ruleset)).map_err(Failure::Usage)?;
        let ruleset = self.plan.ruleset;
        if stored_game.game.rules() != Some(ruleset) {
            return refused(format!(
                "`{file}` is a game of {}, but this is {}; to load it, start `referee` alone and \
                 answer its first question with `load FILE`",
                stored_game.game, ruleset
            ));
        }
        let in_file = |why: String| Failure::Usage(format!("`{file}`: {why}"));
        let mut players = saved_players(&stored_game, ruleset).map_err(in_file)?;
        if let Some(choices) = &players
            && !allows_programs(&mut self.prompt.console, ruleset, choices)?
        {
            players = None;
        }
        self.offer_to_save()?;
        let mut new_players = Vec::new();
        for (side, choice) in Side::BOTH.into_iter().zip(players.into_iter().flatten()) {
            if self.hand.seats[side.index()].program == choice {
                continue;
            }
            match create_seat(choice, &self.plan, &self.interrupt) {
                Ok(player) => new_players.push((side, player)),
                Err(stop @ Failure::Stopped(_)) => return Err(stop),
                Err(failure) => return Err(in_file(failure.to_string())),
            }
        }
        let mut message = loaded(&stored_game, &file);
        if !new_players.is_empty() {
            for (side, player) in new_players {
                self.hand.seat(side, player);
            }
            self.introduce();
            message = format!("{}\n{message}", self.messages.game_start());
        }
        let times = [TimeControl::Unlimited; 2];
        self.hand.begin(stored_game.replayed(usize::MAX, &[], times));
        self.saved_moves = self.hand.game().moves().to_vec();
        Ok((NextStep::Continue, message))
    }
}

/// What was loaded from a file.
fn loaded(game: &StoredGame, file: &str) -> String {
    let moves = counted(game.moves.len(), "move");
    match game.id {
        Some(id) => {
            let [first, second] = &game.players;
            let players = printable(&format!("{first} against {second}"), MAX_PATH);
            format!("Loaded game {id} of `{file}`: {players}, {moves}.")
        }
        None => format!("Loaded `{file}`, a game with {moves}."),
    }
}
