//! What a person sees of a match on a terminal: the board with both clocks, redrawn in place.

use std::io;
use std::time::Duration;

use lodestone::board::Side;
use lodestone::protocol::Info;

use super::console::{NoInput, Question};
use super::messages::Messages;
use super::prompt::{Scene, SharedPrompt, View};
use super::thinking::ThinkingLine;
use crate::game::Ruleset;
use crate::game::{Game, Observer};
use crate::io::interrupt::Stop;

/// The watcher of a game with a person.
pub struct Spectator {
    prompt: SharedPrompt,
    /// The number of the game in the match.
    id: u64,
    /// What stands above the board.
    scene: Scene,
    line: Option<ThinkingLine>,
}

impl Spectator {
    /// The watcher of game number `id` of `games`, between players of these names.
    pub fn new(
        prompt: SharedPrompt,
        variant: Ruleset,
        (id, games): (u64, u64),
        names: [&str; 2],
    ) -> Spectator {
        let messages = Messages::of_match(variant, prompt.lock().style);
        let label = |side: Side| format!("{} ({})", names[side.index()], messages.signs[side.index()]);
        let labels = Side::BOTH.map(label);
        let title = format!("Game {id} of {games}: {} against {}", labels[0], labels[1]);
        Spectator {
            prompt,
            id,
            scene: Scene {
                title,
                labels,
                messages,
                in_match: true,
            },
            line: None,
        }
    }

    fn show(&mut self, game: &Game, message: &str) -> io::Result<()> {
        self.line = None;
        let scene = &self.scene;
        self.prompt.lock().show_position(View { game, scene }, message)
    }

    /// Waits until the person has read how the last game ended.
    fn pause(&self) -> Result<(), Stop> {
        let question = format!("Enter starts game {}:", self.id);
        match self
            .prompt
            .lock()
            .console
            .ask_line(&Question::new(&question, &[]))
        {
            Err(NoInput::Stopped(stop)) => Err(stop),
            Ok(_) | Err(NoInput::TimeUp) => Ok(()),
        }
    }
}

impl Observer for Spectator {
    fn begins(&mut self, game: &Game) -> Result<(), Stop> {
        {
            let mut prompt = self.prompt.lock();
            prompt.forget_moves();
            prompt.match_game = Some(self.scene.clone());
        }
        if self.id > 1 {
            self.pause()?;
        }
        {
            let mut prompt = self.prompt.lock();
            if !prompt.console.redraws {
                prompt.console.print(&self.scene.title)?;
            }
        }
        let message = match game.moves() {
            [] => String::new(),
            moves => format!("Opening: {}", moves.join(" ")),
        };
        Ok(self.show(game, &message)?)
    }

    fn asks(&mut self, game: &Game) -> bool {
        let side = game.position().side_to_move().index();
        self.line = ThinkingLine::start(&self.prompt, &self.scene.labels[side], game.clocks()[side]);
        self.line.is_some()
    }

    fn thinking(&mut self, elapsed: Duration, info: &Info) -> Result<(), Stop> {
        match &mut self.line {
            Some(line) => line.thinking(elapsed, info),
            None => Ok(()),
        }
    }

    fn moved(&mut self, game: &Game) -> io::Result<()> {
        let Some(played) = game.last() else { return Ok(()) };
        let message = played.line(&self.scene.labels);
        self.show(game, &message)
    }
}
