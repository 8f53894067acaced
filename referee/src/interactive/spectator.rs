//! What a person sees of a match on a terminal: the board with both clocks, redrawn in place.

use std::io;

use lodestone::board::{Move, Side};
use lodestone::game::{AnyPosition, Variant};

use super::console::{NoInput, Question};
use super::messages::Messages;
use super::prompt::{MatchGame, PositionView, SharedPrompt};
use super::thinking::ThinkingLine;
use crate::arbiter::{Played, Watcher};
use crate::io::interrupt::Stop;
use crate::io::text::time;
use crate::player::{ThinkingObserver, TimesLeft};

/// The watcher of a game with a person.
pub struct Spectator {
    prompt: SharedPrompt,
    variant: Variant,
    /// The number of the game in the match.
    id: u64,
    /// What stands above the board.
    game: MatchGame,
    /// All moves so far.
    moves: Vec<String>,
    clocks: TimesLeft,
    /// Who moves next.
    to_move: Side,
    line: Option<ThinkingLine>,
}

impl Spectator {
    /// The watcher of game number `id` of `games`, between players of these names.
    #[must_use]
    pub fn new(
        prompt: SharedPrompt,
        variant: Variant,
        (id, games): (u64, u64),
        names: [&str; 2],
    ) -> Spectator {
        let signs = prompt.lock().style.signs(variant.info().signs);
        let labels = Side::BOTH.map(|side| format!("{} ({})", names[side.index()], signs[side.index()]));
        let [first, second] = &labels;
        let title = format!("Game {id} of {games}: {first} against {second}");
        Spectator {
            prompt,
            variant,
            id,
            game: MatchGame { title, labels },
            moves: Vec::new(),
            clocks: [None, None],
            to_move: Side::First,
            line: None,
        }
    }

    fn show(&mut self, position: &dyn AnyPosition, last: Option<Move>, message: &str) -> io::Result<()> {
        self.line = None;
        self.to_move = position.side_to_move();
        let mut prompt = self.prompt.lock();
        let messages = Messages {
            variant: self.variant,
            signs: prompt.style.signs(self.variant.info().signs),
            engines: [None, None],
            levels: [None, None],
        };
        let has_clock = self.clocks.iter().any(Option::is_some);
        let view = PositionView {
            position,
            last,
            moves: &self.moves,
            title: &self.game.title,
            clocks: has_clock.then_some((&self.game.labels, self.clocks)),
            messages: &messages,
            in_match: true,
        };
        prompt.show_position(view, message)
    }

    /// Waits until the person has read how the last game ended.
    fn pause(&self) -> Result<(), Stop> {
        let question = Question {
            text: &format!("Enter starts game {}:", self.id),
            ..Question::default()
        };
        match self.prompt.lock().console.ask_line(&question) {
            Err(NoInput::Stopped(stop)) => Err(stop),
            Ok(_) | Err(NoInput::TimeUp) => Ok(()),
        }
    }
}

impl Watcher for Spectator {
    fn begins(
        &mut self,
        position: &dyn AnyPosition,
        opening: &[String],
        clocks: TimesLeft,
    ) -> Result<(), Stop> {
        {
            let mut prompt = self.prompt.lock();
            prompt.forget_moves();
            prompt.match_game = Some(self.game.clone());
        }
        self.moves = opening.to_vec();
        self.clocks = clocks;
        if self.id > 1 {
            self.pause()?;
        }
        let message = match opening {
            [] => String::new(),
            moves => format!("Opening: {}", moves.join(" ")),
        };
        {
            let mut prompt = self.prompt.lock();
            if !prompt.console.redraws() {
                prompt.console.print(&self.game.title)?;
            }
        }
        Ok(self.show(position, None, &message)?)
    }

    fn moved(&mut self, played: &Played<'_>) -> io::Result<()> {
        self.moves.push(played.text.to_string());
        self.clocks = played.clocks;
        let score = played
            .thought
            .score
            .map_or(String::new(), |score| format!(", score {score}"));
        let message = format!(
            "{}. {} plays {} in {}{score}",
            played.number,
            self.game.labels[played.mover.index()],
            played.text,
            time(played.thought.time)
        );
        self.show(played.position, Some(played.mv), &message)
    }

    fn observer(&mut self) -> Option<&mut dyn ThinkingObserver> {
        let side = self.to_move.index();
        self.line = ThinkingLine::start(&self.prompt, &self.game.labels[side], self.clocks[side]);
        let line = self.line.as_mut()?;
        Some(line)
    }
}
