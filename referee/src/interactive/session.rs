//! A session of games by hand, one after the other.

use std::sync::Arc;

use lodestone_game::Setup;
use referee_core::arbiter;
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::clock::TimeControl;
use referee_core::game::{Game, NoObserver, Ruleset};
use referee_core::io::files::typed_file;
use referee_core::io::interrupt::{Interrupt, Signal};
use referee_core::player::verdict::Verdict;
use referee_core::player::{Engine, Player as _};
use referee_core::process;
use referee_core::results::StoredGame;

use super::commands::PromptCommand;
use super::console::{Console, NoInput, parse_yes_no};
use super::messages::Messages;
use super::prompt::{Entered, MoveTime, Prompt, View};
use crate::by_hand::{self, HandGame, HandSeat, level};
use crate::config::settings::Settings;

/// The settings of an engine; `None` for a person.
pub(crate) type PlayerChoice = Option<Settings>;

/// What the user chose before the first game.
pub(crate) struct SessionPlan {
    /// The game.
    pub ruleset: Ruleset,
    /// The players, the first to move first.
    pub choices: [PlayerChoice; 2],
    /// Pieces and turn limit, for games that have them.
    pub setup: Setup,
    /// The seed of the first random placement; each further game adds 1.
    pub seed: u64,
    /// The game to continue; `None` for a new one.
    pub saved_game: Option<StoredGame>,
    /// Whether to ask for another game after each one.
    pub offers_another_game: bool,
}

/// Plays games until the person quits.
pub(crate) fn run(plan: SessionPlan, prompt: Prompt, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    let mut session = Session::new(plan, prompt, Arc::clone(interrupt))?;
    let played = match session.play() {
        Err(Failure::Stopped(Stop::Quit)) => session.offer_to_save(),
        played => played,
    };
    match played {
        Ok(()) | Err(Failure::Stopped(Stop::Quit)) => {
            session.quit_engines();
            Ok(())
        }
        // Dropping the engines kills them, which is quicker than `quit`.
        Err(failure) => Err(failure),
    }
}

/// What to do after a move or a command.
pub(super) enum NextStep {
    /// Ask the same question again.
    AskAgain,
    /// Continue the game: the position or a player has changed.
    Continue,
    /// End the game.
    GameOver(Verdict),
    /// Begin another game.
    NewGame,
}

/// The step after a command, and its message. A failure other than [`Failure::Stopped`] says why the command
/// has no effect.
pub(super) type Execution = Result<(NextStep, String), Failure>;

/// Says why a command has no effect.
pub(super) fn refused<T>(why: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Usage(why.into()))
}

/// The state of a session.
pub(super) struct Session {
    pub(super) plan: SessionPlan,
    pub(super) prompt: Prompt,
    pub(super) interrupt: Arc<Interrupt>,
    pub(super) hand: HandGame<Settings>,
    pub(super) messages: Messages,
    /// The engine that gives hints. `None` before the first request and after a failure.
    pub(super) adviser: Option<Engine>,
    /// The moves that are in a file.
    pub(super) saved_moves: Vec<String>,
    /// The game is over, by the rules or otherwise.
    is_over: bool,
}

impl Session {
    fn new(plan: SessionPlan, prompt: Prompt, interrupt: Arc<Interrupt>) -> Result<Session, Failure> {
        let [first, second] = plan.choices.clone();
        let game = first_game(&plan)?;
        let create = |choice| create_seat(choice, &plan, &interrupt);
        let seats = [create(first)?, create(second)?];
        let mut session = Session {
            messages: Messages {
                in_capitals: true,
                ..Messages::of_match(plan.ruleset, prompt.style)
            },
            // A new game has none.
            saved_moves: game.moves().to_vec(),
            hand: HandGame::new(seats, game),
            is_over: false,
            adviser: None,
            plan,
            prompt,
            interrupt,
        };
        session.introduce();
        Ok(session)
    }

    /// Tells the messages who plays.
    pub(super) fn introduce(&mut self) {
        let messages = &mut self.messages;
        for (seat, index) in self.hand.seats.iter().zip(0..) {
            let settings = seat.program.as_ref();
            let engine = settings.map(|_| seat.player.name().to_string());
            let level = settings.and_then(|settings| level::find(settings, self.plan.ruleset));
            let level = level.map(|(name, _)| name.to_string());
            messages.levels[index] = level.or_else(|| engine.clone());
            messages.engines[index] = engine;
        }
    }

    /// Plays games until the person quits.
    fn play(&mut self) -> Result<(), Failure> {
        loop {
            self.begin()?;
            while let Some(verdict) = self.play_out()? {
                self.is_over = true;
                self.print(&self.messages.game_over(&verdict))?;
                if !self.plan.offers_another_game {
                    return Ok(());
                }
                if self.ask_for_another_game(&verdict)? {
                    break;
                }
                self.is_over = false;
            }
            self.is_over = false;
            let game = self.new_game()?;
            self.hand.begin(game);
        }
    }

    /// Shows the players and the first position.
    fn begin(&mut self) -> Result<(), Failure> {
        self.print(&self.messages.game_start())?;
        let mut remarks = Vec::new();
        if self.plan.ruleset.info().has_setup && self.plan.saved_game.is_none() {
            remarks.push(format!("The seed of the random placement is {}.", self.plan.seed));
        }
        if self.hand.seats.iter().any(HandSeat::is_human) {
            remarks.push("Type a move, or `help` for a list of commands.".to_string());
        }
        self.show_position(&remarks.join("\n"))
    }

    /// Plays the game to its end; `None` if the person wants another game.
    fn play_out(&mut self) -> Result<Option<Verdict>, Failure> {
        loop {
            if let Some(verdict) = arbiter::outcome(self.hand.game()) {
                return Ok(Some(verdict));
            }
            let next = if self.hand.asks_person() {
                self.ask_person()?
            } else {
                self.ask_engine()?
            };
            match next {
                NextStep::GameOver(verdict) => return Ok(Some(verdict)),
                NextStep::NewGame => return Ok(None),
                NextStep::AskAgain | NextStep::Continue => {}
            }
        }
    }

    /// Asks a person for a move, and plays it, or for a command, and executes it.
    fn ask_person(&mut self) -> Result<NextStep, Failure> {
        // The course project with sliding pieces asks its only person without a name.
        let is_nameless = self.messages.human_side().is_some() && self.plan.ruleset.info().slides;
        let who = if is_nameless {
            String::new()
        } else {
            self.messages.label(self.hand.mover())
        };
        let view = View::by_hand(self.hand.game(), &self.messages);
        match self.prompt.ask(&who, view, MoveTime::default())? {
            Entered::Command(command) => self.execute(&command),
            Entered::Move(mv) => {
                self.hand.play(mv)?;
                self.show_last()?;
                Ok(NextStep::Continue)
            }
        }
    }

    /// Asks an engine for a move, and plays it. Ctrl-C on a terminal asks whether to
    /// quit; if the answer is no, the engine is restarted and asked again.
    fn ask_engine(&mut self) -> Result<NextStep, Failure> {
        let who = self.messages.label(self.hand.mover());
        let hand = &mut self.hand;
        let console = &self.prompt.console;
        match console.while_thinking(&who, || hand.think(&mut NoObserver))? {
            Ok(Some(verdict)) => return Ok(NextStep::GameOver(verdict)),
            Ok(None) => self.show_last()?,
            Err(Stop::Signal(Signal::Interrupt)) if Console::is_terminal() => {
                self.confirm_quit()?;
            }
            Err(stopped) => return Err(stopped.into()),
        }
        Ok(NextStep::Continue)
    }

    /// Asks whether to quit, after Ctrl-C during anything but a question.
    pub(super) fn confirm_quit(&mut self) -> Result<(), Failure> {
        self.print("")?;
        Ok(self.prompt.console.confirm_quit(None)?)
    }

    /// Asks after a game for a command. `true` for another game, `false` if this
    /// one continues.
    fn ask_for_another_game(&mut self, verdict: &Verdict) -> Result<bool, Failure> {
        let question = "Enter quits; or type `again`, `undo` or another command:";
        loop {
            let line = self.prompt.console.ask_line(question, None)?;
            match PromptCommand::parse(&line) {
                _ if line.is_empty() => return Err(Stop::Quit.into()),
                _ if ["again", "a"].iter().any(|word| line.eq_ignore_ascii_case(word)) => return Ok(true),
                Some(Ok(PromptCommand::Undo(1))) if matches!(verdict, Verdict::Resigned { .. }) => {
                    self.show_position("The game continues.")?;
                    return Ok(false);
                }
                Some(Ok(command)) => match self.execute(&command)? {
                    NextStep::NewGame => return Ok(true),
                    // `swap` applies to the next game; this one remains finished.
                    NextStep::Continue if command != PromptCommand::Swap => return Ok(false),
                    _ => {}
                },
                Some(Err(why)) => self.prompt.console.print_message(&why)?,
                None => self.prompt.console.print_message(&format!(
                    "`{line}` is not a command, and the game is over; `help` lists the commands"
                ))?,
            }
        }
    }

    /// Another game with the same settings and the next seed.
    fn new_game(&mut self) -> Result<Game, Failure> {
        self.plan.saved_game = None;
        self.saved_moves.clear();
        self.plan.seed = self.plan.seed.wrapping_add(1);
        first_game(&self.plan)
    }

    fn show_last(&mut self) -> Result<(), Failure> {
        let game = self.hand.game();
        let played = game.last();
        let message = played.map_or(String::new(), |played| self.messages.move_played(&played));
        self.show_position(&message)
    }

    /// Shows the board and a message about what led to it.
    pub(super) fn show_position(&mut self, message: &str) -> Result<(), Failure> {
        let view = View::by_hand(self.hand.game(), &self.messages);
        Ok(self.prompt.show_position(view, message)?)
    }

    /// Offers to save a game that is not over and that no file has. Asks on a terminal only.
    pub(super) fn offer_to_save(&mut self) -> Result<(), Failure> {
        let is_unsaved = !self.is_over && self.hand.game().moves() != self.saved_moves;
        if !is_unsaved || !Console::is_terminal() {
            return Ok(());
        }
        let question = "Save this game? A file name saves it, Enter does not:";
        loop {
            self.prompt.forget_moves();
            let answer = self.prompt.console.ask_line(question, None);
            let answer = match answer {
                Ok(answer) => answer,
                Err(NoInput::Stopped(Stop::Quit)) => return Ok(()),
                Err(no_input) => return Err(no_input.into()),
            };
            match parse_yes_no(&answer) {
                Some(false) => return Ok(()),
                Some(true) => {
                    let example = "Type the name of the file, such as `game.txt`.";
                    self.prompt.console.print_message(example)?;
                    continue;
                }
                None => {}
            }
            // `save FILE` is a habit.
            let path = match PromptCommand::parse(&answer) {
                Some(Ok(PromptCommand::Save(path))) => path,
                _ => typed_file(&answer),
            };
            match self.save(&path) {
                Ok((_, message)) => return self.print(&message),
                Err(failure) => self.explain(failure)?,
            }
        }
    }

    /// Prints why a command has no effect, unless the session ends.
    pub(super) fn explain(&self, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::Stopped(_) => Err(failure),
            failure => Ok(self.prompt.console.print_message(&failure.to_string())?),
        }
    }

    pub(super) fn print(&self, lines: &str) -> Result<(), Failure> {
        Ok(self.prompt.console.print(lines)?)
    }

    /// Sends `quit` to all engines and waits for them to end.
    fn quit_engines(mut self) {
        self.hand.stop_programs();
        let process = self.adviser.as_mut().and_then(Engine::take_process);
        process::shut_down(process.into_iter().collect());
    }
}

/// Who plays a side: an engine, which is started, or a person.
pub(super) fn create_seat(
    choice: PlayerChoice,
    plan: &SessionPlan,
    interrupt: &Arc<Interrupt>,
) -> Result<HandSeat<Settings>, Failure> {
    let Some(settings) = choice else {
        return Ok(HandSeat::person(TimeControl::Unlimited));
    };
    let program = by_hand::make_program(&settings, plan.ruleset, plan.seed, interrupt, true)?;
    Ok(HandSeat::program(settings, program))
}

/// The saved game, or a new one. It has no clocks; each engine has its time per move.
fn first_game(plan: &SessionPlan) -> Result<Game, Failure> {
    let times = [TimeControl::Unlimited; 2];
    match &plan.saved_game {
        Some(saved_game) => Ok(saved_game.replayed(usize::MAX, &[], times)),
        None => by_hand::new_game(plan.ruleset, plan.setup, times, plan.seed),
    }
}
