//! What a person at the table can ask for beside moving: advice, going back,
//! other sides, another opponent, files.

use std::io;
use std::path::Path;

use lodestone::board::Side;

use super::adviser::{Adviser, NoAdvice};
use super::human::Sitter;
use super::level;
use super::session::{Next, Session, game_of, lenient};
use super::talk::Talk;
use super::transcript::Transcript;
use crate::config::roster::{self, Contestant, start};
use crate::io::failure::Failure;
use crate::io::interrupt::{Signal, Stop};
use crate::io::text::printable;
use crate::player::Thought;
use crate::player::verdict::Verdict;
use crate::player::{Engine, Player};

/// Something that was asked for and done.
struct Done {
    /// What the person is told.
    said: String,
    /// The position or the player to move is another one now.
    moved: bool,
}

/// What was done, or why not.
type Answered = Result<Done, String>;

impl Done {
    const fn only(said: String) -> Done {
        Done { said, moved: false }
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
    pub(super) fn answer(&mut self, talk: &Talk) -> Result<Next, Failure> {
        if self.table.borrow_mut().shows(talk, self.sight())? {
            return Ok(Next::Ask);
        }
        let done = match talk {
            Talk::Hint => self.hint()?,
            Talk::Why => self.why()?,
            Talk::Undo => self.undo(),
            Talk::Swap => self.swap(),
            Talk::Level(answer) => self.level(answer.as_deref())?,
            Talk::Save(path) => self.save(path)?,
            Talk::Load(path) => self.load(path),
            Talk::Resign if self.game.outcome().is_none() => {
                let loser = self.game.position().side_to_move();
                return Ok(Next::Over(Verdict::Resigned { loser }));
            }
            _ => Err("The game is over.".to_string()),
        };
        match done {
            Ok(Done { said, moved }) => {
                self.say(&said)?;
                if moved {
                    self.show_board()?;
                    return Ok(Next::GoOn);
                }
            }
            Err(why) => self.table.borrow_mut().console.explain(&why)?,
        }
        Ok(Next::Ask)
    }

    /// What the adviser would play.
    fn hint(&mut self) -> Result<Answered, Failure> {
        let advice = self.advice()?;
        Ok(advice.map(|(text, _)| {
            let text = self.wording.moves([text.as_str()]);
            Done::only(format!(
                "Hint: {text}, says {}; `why` says what it expects.",
                Adviser::NAME
            ))
        }))
    }

    /// What the engine that moved last said of its move, and what the adviser
    /// says of the position now.
    fn why(&mut self) -> Result<Answered, Failure> {
        let mut said = Vec::new();
        if let Some(last) = self.game.last()
            && let Some(engine) = &self.wording.engines[last.mover.index()]
            && last.thought.score.is_some()
        {
            let played = self.wording.moves([last.text]);
            let who = format!("{engine}, who played {played},");
            said.push(self.wording.expectation(&who, last.mover, last.thought));
        }
        if self.game.outcome().is_none() {
            let mover = self.game.position().side_to_move();
            match self.advice()? {
                Ok((_, thought)) => {
                    let who = format!("{}, asked now,", Adviser::NAME);
                    said.push(self.wording.expectation(&who, mover, &thought));
                }
                Err(why) => said.push(why),
            }
        }
        Ok(if said.is_empty() {
            Err("The game is over.".to_string())
        } else {
            Ok(Done::only(said.join("\n")))
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
                if self.table.borrow().console.is_terminal() =>
            {
                self.ask_whether_to_leave()?;
                Ok(Err("No advice, then.".to_string()))
            }
            Err(NoAdvice::Stopped(stop)) => Err(stop.into()),
        }
    }

    /// Back to where a person was to move before.
    fn undo(&mut self) -> Answered {
        let is_human = |side: Option<Side>| side.map(|side| self.wording.engines[side.index()].is_none());
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
        let said = format!("Taken back: {}", self.wording.moves(taken));
        for _ in 0..plies {
            self.game.take_back();
        }
        Ok(Done { said, moved: true })
    }

    /// The person and the engine change sides.
    fn swap(&mut self) -> Answered {
        let Some(side) = self.wording.only_person() else {
            return Err("There is no computer to change sides with: two people play.".to_string());
        };
        self.sitters.swap(0, 1);
        self.controls.swap(0, 1);
        self.plan.choices.swap(0, 1);
        self.wording.engines.swap(0, 1);
        let said = format!("You are {} now.", self.wording.label(side.opponent()));
        Ok(Done { said, moved: true })
    }

    /// Shows or changes how strong the engine is.
    fn level(&mut self, answer: Option<&str>) -> Result<Answered, Failure> {
        let variant = self.plan.variant;
        let Some(side) = self.wording.only_person().map(Side::opponent) else {
            return Ok(Err(
                "There is no computer whose level could be changed: two people play.".into(),
            ));
        };
        let seat = side.index();
        let Some(answer) = answer else {
            let current = self.plan.choices[seat].as_ref();
            let current = current.map_or(String::new(), |settings| level::describe(settings, variant));
            let list = level::list();
            return Ok(Ok(Done::only(format!("The computer is {current}\n{list}"))));
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
        let said = format!("The computer is {}", level::describe(&settings, variant));
        self.wording.engines[seat] = Some(engine.name().to_string());
        self.controls[seat] = lenient(&control, &spec);
        self.plan.choices[seat] = Some(settings);
        let before = std::mem::replace(&mut self.sitters[seat], Sitter::Engine(Box::new(engine)));
        Engine::dismiss(before.into_engine());
        Ok(Ok(Done::only(said)))
    }

    /// Writes the game to a file; over an old one only when that is wanted.
    fn save(&mut self, path: &Path) -> Result<Answered, Failure> {
        let name = name_of(path);
        let transcript = Transcript::of(self.plan.variant, &self.game);
        let mut saved = transcript.save_new(path);
        let is_there = saved
            .as_ref()
            .is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists);
        if is_there && path.is_file() {
            let question = format!("`{name}` exists. Write over it?");
            if !self.table.borrow_mut().console.confirm(&question)? {
                return Ok(Err("Nothing is saved.".to_string()));
            }
            saved = transcript.save_over(path);
        }
        Ok(match saved {
            Ok(()) => Ok(Done::only(format!("Saved to `{name}`."))),
            Err(error) => Err(format!("`{name}` cannot be written: {error}; nothing is saved")),
        })
    }

    /// Goes on with a game from a file.
    fn load(&mut self, path: &Path) -> Answered {
        let transcript = Transcript::load(path)?;
        if transcript.variant != self.plan.variant {
            return Err(format!(
                "`{}` is a game of {}, this is {}; the first question of `referee` alone takes \
                 `load FILE` of any game",
                name_of(path),
                transcript.variant,
                self.plan.variant
            ));
        }
        self.game = game_of(&transcript);
        let said = format!(
            "Loaded `{}`: {} moves were played.",
            name_of(path),
            transcript.moves.len()
        );
        Ok(Done { said, moved: true })
    }
}
