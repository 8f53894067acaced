//! What happens at the table: games by hand, one after the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone::board::Side;
use lodestone::engine::Options;
use lodestone::game::{Setup, Variant};
use lodestone::personality;

use super::adviser::{Adviser, PATIENCE};
use super::commands::PromptCommand;
use super::human::{Human, Sitter, seats};
use super::messages::Messages;
use super::prompt::{Entered, PositionView, Prompt, SharedPrompt};
use super::saved_game::SavedGame;
use crate::arbiter::{self, Game};
use crate::config::roster::{self, BUILTIN_COMMAND, Contestant, start};
use crate::config::settings::Settings;
use crate::interactive::console::Question;
use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::openings::Openings;
use crate::player::Thought;
use crate::player::clock::{Control, TimeControl};
use crate::player::verdict::Verdict;
use crate::player::{Engine, EngineSpec, Player};

/// Who is to sit at a place: an engine, or a person where there is none.
pub type PlayerChoice = Option<Settings>;

/// What has been agreed before the first game.
pub struct SessionPlan {
    /// The game.
    pub variant: Variant,
    /// Who plays, the first player first.
    pub choices: [PlayerChoice; 2],
    /// Pieces and turns.
    pub setup: Setup,
    /// What the first placement is drawn from.
    pub seed: u64,
    /// The game to go on with, if it is not a new one.
    pub saved_game: Option<SavedGame>,
    /// Whether it is asked after a game what comes next.
    pub offers_another_game: bool,
}

/// Plays as agreed until nobody wants to go on.
///
/// # Errors
/// Where a game cannot begin, or a signal ends it. Leaving early is no error.
pub fn run(plan: SessionPlan, prompt: Prompt, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    let mut session = Session::new(plan, SharedPrompt::new(prompt), Arc::clone(interrupt))?;
    match session.play() {
        Ok(()) | Err(Failure::Stopped(Stop::Quit)) => {
            session.quit_engines();
            Ok(())
        }
        // The engines are killed: whoever waits for us wants no farewell.
        Err(failure) => Err(failure),
    }
}

/// What comes after something was said.
pub(super) enum NextStep {
    /// The same question once more.
    AskAgain,
    /// Another position, or another player.
    Continue,
    /// The end of the game.
    GameOver(Verdict),
}

/// Everything at the table.
pub(super) struct Session {
    pub(super) plan: SessionPlan,
    pub(super) prompt: SharedPrompt,
    pub(super) interrupt: Arc<Interrupt>,
    pub(super) sitters: [Sitter; 2],
    pub(super) controls: [Control; 2],
    pub(super) messages: Messages,
    pub(super) game: Game,
    pub(super) adviser: Adviser,
}

impl Session {
    fn new(plan: SessionPlan, prompt: SharedPrompt, interrupt: Arc<Interrupt>) -> Result<Session, Failure> {
        let variant = plan.variant;
        let engines: Vec<Settings> = plan.choices.iter().flatten().cloned().collect();
        let mut contestants = roster::resolve(&engines, variant)?.into_iter();
        let mut controls = [Control::default(), Control::default()];
        let mut sit = |side: Side| -> Result<Sitter, Failure> {
            let contestant = plan.choices[side.index()]
                .as_ref()
                .and_then(|_| contestants.next());
            if let Some(Contestant {
                spec: Some(mut spec),
                control,
                settings,
                ..
            }) = contestant
            {
                if settings.cmd.as_deref() == Some(personality::RANDOM) && settings.options.is_empty() {
                    // Who plays by chance does not play the same every day.
                    let seed = u64::from(plan.seed as u32).to_string();
                    spec.options.push((Options::SEED.to_string(), seed));
                }
                controls[side.index()] = lenient(&control, &spec);
                return Ok(Sitter::Engine(Box::new(start(&spec, variant, &interrupt)?)));
            }
            let name = Messages::player(side);
            Ok(Sitter::Human(Human::new(name, variant, prompt.clone())))
        };
        let sitters = [sit(Side::First)?, sit(Side::Second)?];
        let signs = prompt.lock().look.signs(variant.startpos().diagram().signs);
        Ok(Session {
            messages: messages(variant, signs, &sitters),
            game: first_game(&plan)?,
            adviser: Adviser::new(variant, Arc::clone(&interrupt)),
            plan,
            prompt,
            interrupt,
            sitters,
            controls,
        })
    }

    /// Plays games until nobody wants another one.
    fn play(&mut self) -> Result<(), Failure> {
        loop {
            let mut begun = self.begin()?;
            loop {
                let verdict = match begun.take() {
                    Some(verdict) => verdict,
                    None => self.play_out()?,
                };
                self.print(&self.messages.game_over(&verdict))?;
                if !self.plan.offers_another_game {
                    return Ok(());
                }
                if self.ask_for_another_game(&verdict)? {
                    break;
                }
                // An engine that failed is started again.
                begun = self.start_engines_game()?;
            }
            self.game = self.new_game()?;
        }
    }

    /// Introduces the players and shows where the game begins; says how it
    /// ended where a player is not ready.
    fn begin(&mut self) -> Result<Option<Verdict>, Failure> {
        self.print(&self.messages.game_start())?;
        if self.plan.variant.info().has_setup && self.plan.saved_game.is_none() {
            self.print(&format!("The placement is drawn from seed {}.", self.plan.seed))?;
        }
        if self.has_human() {
            self.print("`help` lists what you can type beside a move.")?;
        }
        let verdict = self.start_engines_game()?;
        self.show_board()?;
        Ok(verdict)
    }

    /// Tells the engines of a new game.
    fn start_engines_game(&mut self) -> Result<Option<Verdict>, Failure> {
        let mut seats = seats(&mut self.sitters, &self.controls);
        Ok(arbiter::begin(&mut seats)?)
    }

    /// Plays the game to its end.
    fn play_out(&mut self) -> Result<Verdict, Failure> {
        loop {
            if let Some(verdict) = self.game.outcome() {
                return Ok(verdict);
            }
            let mover = self.game.position().side_to_move();
            let next = match &self.sitters[mover.index()] {
                Sitter::Human(_) => self.ask_person(mover)?,
                Sitter::Engine(_) => self.ask_engine(mover)?,
            };
            if let NextStep::GameOver(verdict) = next {
                return Ok(verdict);
            }
        }
    }

    /// Asks a person for a move, or does what was asked for instead.
    fn ask_person(&mut self, mover: Side) -> Result<NextStep, Failure> {
        // The course project that moves pieces has one person, without a name.
        let is_nameless = self.messages.human_side().is_some() && self.plan.variant.info().slides;
        let who = if is_nameless {
            String::new()
        } else {
            self.messages.label(mover)
        };
        let asked = Instant::now();
        let entered = self.prompt.lock().ask(&who, self.view(), None)?;
        match entered {
            Entered::Command(command) => self.execute(&command),
            Entered::Move(one) => {
                let thought = Thought {
                    time: asked.elapsed(),
                    ..Thought::default()
                };
                self.game.play(one, thought);
                self.show_last()?;
                Ok(NextStep::Continue)
            }
        }
    }

    /// Lets an engine move. Ctrl-C on a terminal asks whether to leave; if not,
    /// the engine is started again and asked again.
    fn ask_engine(&mut self, mover: Side) -> Result<NextStep, Failure> {
        let asked = {
            let mut seats = seats(&mut self.sitters, &self.controls);
            self.game.next_move(&mut seats)
        };
        match asked {
            Ok(Some(verdict)) => return Ok(NextStep::GameOver(verdict)),
            Ok(None) => self.show_last()?,
            Err(Stop::Signal(Signal::Interrupt)) if self.prompt.lock().console.is_terminal() => {
                self.confirm_quit()?;
                self.sitters[mover.index()].player().reset();
                if let Some(verdict) = self.start_engines_game()? {
                    return Ok(NextStep::GameOver(verdict));
                }
            }
            Err(stopped) => return Err(stopped.into()),
        }
        Ok(NextStep::Continue)
    }

    /// After Ctrl-C, where something else than a question was going on.
    pub(super) fn confirm_quit(&self) -> Result<(), Failure> {
        self.print("")?;
        Ok(self.prompt.lock().console.confirm_quit(None)?)
    }

    /// After a game: whether there is another one. Otherwise this one goes on.
    fn ask_for_another_game(&mut self, verdict: &Verdict) -> Result<bool, Failure> {
        let words: Vec<String> = ["again"]
            .into_iter()
            .chain(PromptCommand::names(false))
            .map(String::from)
            .collect();
        let question = Question {
            text: "Enter leaves; `again`, `undo` or another command:",
            words: &words,
            deadline: None,
        };
        loop {
            let line = self.prompt.lock().console.ask_line(&question)?;
            match PromptCommand::parse(&line) {
                _ if line.is_empty() => return Err(Stop::Quit.into()),
                _ if ["again", "a"].iter().any(|word| line.eq_ignore_ascii_case(word)) => return Ok(true),
                Some(Ok(PromptCommand::Undo)) if matches!(verdict, Verdict::Resigned { .. }) => {
                    self.print("The game goes on.")?;
                    self.show_board()?;
                    return Ok(false);
                }
                Some(Ok(command)) => match self.execute(&command)? {
                    // Another side for the next game leaves this one over.
                    NextStep::Continue if command != PromptCommand::Swap => return Ok(false),
                    _ => {}
                },
                Some(Err(why)) => self.prompt.lock().console.print_wrapped(&why)?,
                None => self.prompt.lock().console.print_wrapped(&format!(
                    "`{line}` is no command: the game is over; `help` lists the commands"
                ))?,
            }
        }
    }

    /// A new game of the same kind.
    fn new_game(&mut self) -> Result<Game, Failure> {
        self.plan.saved_game = None;
        self.plan.seed = self.plan.seed.wrapping_add(1);
        first_game(&self.plan)
    }

    fn show_last(&self) -> Result<(), Failure> {
        if let Some(played) = self.game.last() {
            self.print(&self.messages.move_played(&played))?;
        }
        self.show_board()
    }

    pub(super) fn show_board(&self) -> Result<(), Failure> {
        Ok(self.prompt.lock().show_board(self.view())?)
    }

    pub(super) fn print(&self, lines: &str) -> Result<(), Failure> {
        Ok(self.prompt.lock().console.print(lines)?)
    }

    pub(super) fn view(&self) -> PositionView<'_> {
        PositionView {
            position: self.game.position(),
            last: self.game.played().last().copied(),
            messages: &self.messages,
            in_match: false,
        }
    }

    fn has_human(&self) -> bool {
        self.messages.engines.iter().any(Option::is_none)
    }

    /// Ends all engines in peace.
    fn quit_engines(self) {
        let players = self.sitters.into_iter().filter_map(Sitter::into_engine);
        Engine::dismiss(players.chain(self.adviser.into_engine()));
    }
}

fn messages(variant: Variant, signs: [char; 2], sitters: &[Sitter; 2]) -> Messages {
    Messages {
        variant,
        signs,
        engines: sitters
            .each_ref()
            .map(|sitter| sitter.engine().map(|engine| engine.name().to_string())),
    }
}

/// The game that was saved, or a new one from its start.
fn first_game(plan: &SessionPlan) -> Result<Game, Failure> {
    if let Some(saved_game) = &plan.saved_game {
        return Ok(game_of(saved_game));
    }
    let opening = Openings::new(plan.variant, plan.setup, None, plan.seed)
        .and_then(|mut openings| openings.get(1))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(Game::new(&opening, NO_CLOCKS))
}

pub(super) fn game_of(saved_game: &SavedGame) -> Game {
    let mut game = Game::new(&saved_game.opening(), NO_CLOCKS);
    for &one in &saved_game.moves {
        game.play(one, Thought::default());
    }
    game
}

/// Nobody wants to win because the machine was busy: the engines that come with
/// the referee keep their time as well as it lets them.
pub(super) fn lenient(control: &Control, spec: &EngineSpec) -> Control {
    let is_builtin = spec.launch.args.first().is_some_and(|arg| arg == BUILTIN_COMMAND);
    Control {
        margin: control
            .margin
            .max(if is_builtin { PATIENCE } else { Duration::ZERO }),
        ..control.clone()
    }
}

/// By hand nobody has a clock that runs on; each engine has its time for a move.
const NO_CLOCKS: [TimeControl; 2] = [TimeControl::Unlimited; 2];
