//! A session of games by hand, one after the other.

use std::sync::Arc;
use std::time::Duration;

use lodestone::board::Side;
use lodestone::engine::Options;
use lodestone::game::Setup;
use lodestone::personality;

use super::commands::PromptCommand;
use super::console::{Console, NoInput, parse_yes_no};
use super::human::Human;
use super::level;
use super::messages::Messages;
use super::prompt::{Entered, MoveTime, Prompt, SharedPrompt, View};
use crate::arbiter::{self, Seat};
use crate::config::roster::{self, Contestant, start};
use crate::config::settings::Settings;
use crate::game::Ruleset;
use crate::game::clock::Control;
use crate::game::{Game, NoObserver, Thought};
use crate::io::failure::Failure;
use crate::io::files::typed_file;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::io::running_clock;
use crate::player::verdict::Verdict;
use crate::player::{Engine, EngineSpec, Player};
use crate::process::{self, BUILTIN_COMMAND};
use crate::results::StoredGame;
use crate::schedule::openings::Openings;

/// The settings of an engine; `None` for a person.
pub(crate) type PlayerChoice = Option<Settings>;

/// What the user chose before the first game.
pub(crate) struct SessionPlan {
    /// The game.
    pub variant: Ruleset,
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
    let mut session = Session::new(plan, SharedPrompt::new(prompt), Arc::clone(interrupt))?;
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

/// The step after a command, and its message.
pub(super) type Execution = Result<(NextStep, String), Refusal>;

/// Why a command has no effect.
pub(super) enum Refusal {
    /// A message for the person.
    Message(String),
    /// The session ends.
    Failed(Failure),
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal::Message(why.to_string())
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Message(why)
    }
}

impl<F: Into<Failure>> From<F> for Refusal {
    fn from(failure: F) -> Refusal {
        match failure.into() {
            stopped @ Failure::Stopped(_) => Refusal::Failed(stopped),
            failure => Refusal::Message(failure.to_string()),
        }
    }
}

/// A player of the session.
pub(super) struct Seated {
    pub(super) choice: PlayerChoice,
    pub(super) player: Box<dyn Player>,
    control: Control,
}

/// The state of a session.
pub(super) struct Session {
    pub(super) plan: SessionPlan,
    pub(super) prompt: SharedPrompt,
    pub(super) interrupt: Arc<Interrupt>,
    pub(super) seats: [Seated; 2],
    pub(super) messages: Messages,
    pub(super) game: Game,
    /// The engine that gives hints. `None` before the first request and after a failure.
    pub(super) adviser: Option<Engine>,
    /// The moves that are in a file.
    pub(super) saved_moves: Vec<String>,
    /// The game is over, by the rules or otherwise.
    is_over: bool,
}

impl Session {
    fn new(plan: SessionPlan, prompt: SharedPrompt, interrupt: Arc<Interrupt>) -> Result<Session, Failure> {
        let engines: Vec<Settings> = plan.choices.iter().flatten().cloned().collect();
        roster::resolve(&engines, plan.variant)?;
        let [first, second] = plan.choices.clone();
        let game = first_game(&plan)?;
        let messages = Messages::of_match(plan.variant, prompt.lock().style);
        let create = |side, choice| create_player(side, choice, &plan, &prompt, &interrupt);
        let mut session = Session {
            seats: [create(Side::First, first)?, create(Side::Second, second)?],
            messages,
            // A new game has none.
            saved_moves: game.moves().to_vec(),
            game,
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
        for (seat, index) in self.seats.iter().zip(0..) {
            let settings = seat.choice.as_ref();
            let engine = settings.map(|_| seat.player.name().to_string());
            let level = settings.and_then(|settings| level::find(settings, self.plan.variant));
            let level = level.map(|(name, _)| name.to_string());
            messages.levels[index] = level.or_else(|| engine.clone());
            messages.engines[index] = engine;
        }
    }

    /// Plays games until the person quits.
    fn play(&mut self) -> Result<(), Failure> {
        loop {
            let mut start_fault = self.begin()?;
            loop {
                let verdict = match start_fault.take() {
                    Some(verdict) => verdict,
                    None => match self.play_out()? {
                        Some(verdict) => verdict,
                        None => break,
                    },
                };
                self.is_over = true;
                self.print(&self.messages.game_over(&verdict))?;
                if !self.plan.offers_another_game {
                    return Ok(());
                }
                if self.ask_for_another_game(&verdict)? {
                    break;
                }
                self.is_over = false;
                // Restarts an engine that failed.
                start_fault = self.start_game()?;
            }
            self.is_over = false;
            self.game = self.new_game()?;
        }
    }

    /// Shows the players and the first position, and starts the game. Returns the
    /// verdict if a player is not ready.
    fn begin(&mut self) -> Result<Option<Verdict>, Failure> {
        self.print(&self.messages.game_start())?;
        let mut remarks = Vec::new();
        if self.plan.variant.info().has_setup && self.plan.saved_game.is_none() {
            remarks.push(format!("The seed of the random placement is {}.", self.plan.seed));
        }
        if self.seats.iter().any(|seat| seat.choice.is_none()) {
            remarks.push("Type a move, or `help` for a list of commands.".to_string());
        }
        let verdict = self.start_game()?;
        self.show_position(&remarks.join("\n"))?;
        Ok(verdict)
    }

    /// Prepares the engines for the game, and restarts them if needed. Returns the
    /// verdict if one fails.
    fn start_game(&mut self) -> Result<Option<Verdict>, Failure> {
        Ok(arbiter::begin(&mut seats(&mut self.seats))?)
    }

    /// Plays the game to its end; `None` if the person wants another game.
    fn play_out(&mut self) -> Result<Option<Verdict>, Failure> {
        loop {
            if let Some(verdict) = arbiter::outcome(&self.game) {
                return Ok(Some(verdict));
            }
            let mover = self.game.position().side_to_move();
            let next = match self.seats[mover.index()].choice {
                None => self.ask_person(mover)?,
                Some(_) => self.ask_engine(mover)?,
            };
            match next {
                NextStep::GameOver(verdict) => return Ok(Some(verdict)),
                NextStep::NewGame => return Ok(None),
                NextStep::AskAgain | NextStep::Continue => {}
            }
        }
    }

    /// Asks a person for a move, and plays it, or for a command, and executes it.
    fn ask_person(&mut self, mover: Side) -> Result<NextStep, Failure> {
        // The course project with sliding pieces asks its only person without a name.
        let is_nameless = self.messages.human_side().is_some() && self.plan.variant.info().slides;
        let who = if is_nameless {
            String::new()
        } else {
            self.messages.label(mover)
        };
        let asked = running_clock::now();
        let entered = self.prompt.lock().ask(&who, self.view(), MoveTime::default())?;
        match entered {
            Entered::Command(command) => self.execute(&command),
            Entered::Move(mv) => {
                let thought = Thought {
                    time: running_clock::elapsed(asked),
                    ..Thought::default()
                };
                self.game.play(mv, thought)?;
                self.show_last()?;
                Ok(NextStep::Continue)
            }
            // The prompt asks for its target.
            Entered::Piece(_) => Ok(NextStep::AskAgain),
        }
    }

    /// Asks an engine for a move, and plays it. Ctrl-C on a terminal asks whether to
    /// quit; if the answer is no, the engine is restarted and asked again.
    fn ask_engine(&mut self, mover: Side) -> Result<NextStep, Failure> {
        match arbiter::next_move(&mut self.game, &mut seats(&mut self.seats), &mut NoObserver) {
            Ok(Some(verdict)) => return Ok(NextStep::GameOver(verdict)),
            Ok(None) => self.show_last()?,
            Err(Stop::Signal(Signal::Interrupt)) if Console::is_terminal() => {
                self.confirm_quit()?;
                self.seats[mover.index()].player.reset();
                if let Some(verdict) = self.start_game()? {
                    return Ok(NextStep::GameOver(verdict));
                }
            }
            Err(stopped) => return Err(stopped.into()),
        }
        Ok(NextStep::Continue)
    }

    /// Asks whether to quit, after Ctrl-C during anything but a question.
    pub(super) fn confirm_quit(&self) -> Result<(), Failure> {
        self.print("")?;
        Ok(self.prompt.lock().console.confirm_quit(None)?)
    }

    /// Asks after a game for a command. `true` for another game, `false` if this
    /// one continues.
    fn ask_for_another_game(&mut self, verdict: &Verdict) -> Result<bool, Failure> {
        let question = "Enter quits; or type `again`, `undo` or another command:";
        loop {
            let line = self.prompt.lock().console.ask_line(question, None)?;
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
                Some(Err(why)) => self.prompt.lock().console.print_message(&why)?,
                None => self.prompt.lock().console.print_message(&format!(
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

    fn show_last(&self) -> Result<(), Failure> {
        let played = self.game.last();
        let message = played.map_or(String::new(), |played| {
            self.messages.move_played(&played, self.game.position())
        });
        self.show_position(&message)
    }

    /// Shows the board and a message about what led to it.
    pub(super) fn show_position(&self, message: &str) -> Result<(), Failure> {
        Ok(self.prompt.lock().show_position(self.view(), message)?)
    }

    /// Offers to save a game that is not over and that no file has. Asks on a terminal only.
    pub(super) fn offer_to_save(&mut self) -> Result<(), Failure> {
        let is_unsaved = !self.is_over && self.game.moves() != self.saved_moves;
        if !is_unsaved || !Console::is_terminal() {
            return Ok(());
        }
        let question = "Save this game? A file name saves it, Enter does not:";
        loop {
            self.prompt.lock().forget_moves();
            let answer = self.prompt.lock().console.ask_line(question, None);
            let answer = match answer {
                Ok(answer) => answer,
                Err(NoInput::Stopped(Stop::Quit)) => return Ok(()),
                Err(no_input) => return Err(no_input.into()),
            };
            match parse_yes_no(&answer) {
                Some(false) => return Ok(()),
                Some(true) => {
                    let example = "Type the name of the file, such as `game.txt`.";
                    self.prompt.lock().console.print_message(example)?;
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
                Err(Refusal::Message(why)) => self.prompt.lock().console.print_message(&why)?,
                Err(Refusal::Failed(failure)) => return Err(failure),
            }
        }
    }

    pub(super) fn print(&self, lines: &str) -> Result<(), Failure> {
        Ok(self.prompt.lock().console.print(lines)?)
    }

    pub(super) const fn view(&self) -> View<'_> {
        View {
            game: &self.game,
            messages: &self.messages,
            in_match: false,
        }
    }

    /// Sends `quit` to all engines and waits for them to end.
    fn quit_engines(mut self) {
        let mut adviser = self.adviser.take();
        let players = self.seats.iter_mut().map(|seat| seat.player.as_mut());
        let players = players.chain(adviser.as_mut().map(|engine| engine as &mut dyn Player));
        process::shut_down(players.filter_map(Player::take_process).collect());
    }
}

/// A player at this seat: an engine, which is started, or a person.
pub(super) fn create_player(
    side: Side,
    choice: PlayerChoice,
    plan: &SessionPlan,
    prompt: &SharedPrompt,
    interrupt: &Arc<Interrupt>,
) -> Result<Seated, Failure> {
    let (player, control): (Box<dyn Player>, _) = match &choice {
        None => {
            let human = Human::new(Messages::player(side), plan.variant, prompt.clone());
            (Box::new(human), Control::default())
        }
        Some(settings) => {
            let (engine, control) = start_engine(settings, plan.variant, plan.seed, interrupt)?;
            (Box::new(engine), control)
        }
    };
    Ok(Seated {
        choice,
        player,
        control,
    })
}

/// Starts an engine; returns it with its limits. `seed` is for a player that moves at random.
///
/// # Errors
/// The engine cannot be started.
pub fn start_engine(
    settings: &Settings,
    variant: Ruleset,
    seed: u64,
    interrupt: &Arc<Interrupt>,
) -> Result<(Engine, Control), Failure> {
    let (spec, control) = engine_spec(settings, variant, seed)?;
    Ok((start(&spec, variant, interrupt)?, control))
}

/// The same, but the engine starts before its first game.
///
/// # Errors
/// There is no such program.
pub fn prepare_engine(
    settings: &Settings,
    variant: Ruleset,
    seed: u64,
    interrupt: &Arc<Interrupt>,
) -> Result<(Engine, Control), Failure> {
    let (spec, control) = engine_spec(settings, variant, seed)?;
    Ok((Engine::new(spec, variant, Arc::clone(interrupt)), control))
}

/// How to start an engine, and its limits.
fn engine_spec(settings: &Settings, variant: Ruleset, seed: u64) -> Result<(EngineSpec, Control), Failure> {
    let resolved = roster::resolve(std::slice::from_ref(settings), variant)?;
    let Some(Contestant {
        spec: Some(mut spec),
        mut control,
        settings,
        ..
    }) = resolved.into_iter().next()
    else {
        return Err(Failure::Usage("a person is no engine".to_string()));
    };
    if settings.cmd.as_deref() == Some(personality::RANDOM) && settings.options.is_empty() {
        // Otherwise it would play the same moves in every session.
        let seed = u64::from(seed as u32).to_string();
        spec.options.push((Options::SEED.to_string(), seed));
    }
    if spec.launch.args.first().is_some_and(|arg| arg == BUILTIN_COMMAND) {
        control.margin = control.margin.max(PATIENCE);
    }
    Ok((spec, control))
}

/// The players with their controls, as the arbiter takes them.
fn seats(seats: &mut [Seated; 2]) -> [Seat<'_>; 2] {
    seats.each_mut().map(|seat| Seat {
        player: seat.player.as_mut(),
        control: &seat.control,
    })
}

/// The saved game, or a new one.
fn first_game(plan: &SessionPlan) -> Result<Game, Failure> {
    if let Some(saved_game) = &plan.saved_game {
        return Ok(game_of(saved_game));
    }
    let opening = Openings::new(plan.variant, plan.setup, None, plan.seed)
        .and_then(|mut openings| openings.get(1))
        .map_err(|error| error.failure("the start"))?;
    Ok(Game::begun(&opening))
}

/// The game with all its moves played. It has no clocks; each engine has its time per move.
pub(super) fn game_of(saved_game: &StoredGame) -> Game {
    saved_game.replayed()
}

/// Time margin of built-in engines: they keep their time, so only a busy machine can make them
/// late, and a person should not win by that.
pub const PATIENCE: Duration = Duration::from_secs(10);
