//! `referee openings`: makes a book of openings that an engine evaluates as balanced.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use lodestone::board::Side;
use lodestone::game::Setup;
use lodestone::personality;
use lodestone::score::Score;

use super::book_file::{BookFile, Tally};
use super::install_interrupt;
use crate::config::cli::OpeningsArgs;
use crate::config::roster;
use crate::config::settings::Settings;
use crate::game::Game;
use crate::game::clock::{Control, TimeControl};
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;
use crate::io::messages::arranged;
use crate::io::progress::Task;
use crate::io::shell;
use crate::player::{Engine, Player, Turn};
use crate::schedule::openings::{MAX_ATTEMPTS, Opening, OpeningError, OpeningSource, Openings, Window};

/// The default node limit of the engine.
const NODES: u64 = 20_000;

/// The time limit for one opening if depth or nodes limit the search. It only stops an engine
/// that does not answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// Makes a book, or continues one that was interrupted.
pub fn run(args: &OpeningsArgs) -> Result<(), Failure> {
    let setup = args.setup.of(args.variant)?;
    let settings = evaluator_settings(args.engine.clone().unwrap_or_default())?;
    let preface = preface(args, setup, &settings);
    let plies = args.plies.get() as u32;
    let source = (plies > 0).then_some(OpeningSource::Random(plies));
    let openings = Openings::new(args.variant, setup, source.as_ref(), args.seed)
        .map_err(|error| Failure::Usage(format!("--plies: {error}")))?;
    let interrupt = install_interrupt()?;
    let mut evaluator = Evaluator::start(settings, args, &interrupt)?;
    let (file, begun) = BookFile::open(args.out.as_deref(), &preface)?;
    let (book, tally) = begun.unwrap_or((preface, Tally::default()));
    let mut builder = BookBuilder {
        openings,
        window: args.window,
        count: args.count.get(),
        tally,
        book,
    };
    let result = builder.run(&mut evaluator, &interrupt);
    // A closed stderr is not a failure.
    match result {
        Ok(()) => {
            file.write(&builder.book)?;
            let _ = writeln!(io::stderr(), "{}.", builder.counts());
            Engine::dismiss([evaluator.engine]).map_or(Ok(()), |error| Err(lost_stderr(&error)))
        }
        // The openings so far are good.
        Err(failure @ (Failure::Stopped(_) | Failure::Start(_))) if builder.tally != tally => {
            let saved = file.save(&builder.book, builder.tally)?;
            let accepted = builder.tally.accepted;
            let message = format!("{accepted} of {} openings {saved}", args.count);
            let _ = writeln!(io::stderr(), "{}", arranged(&message));
            Err(failure)
        }
        Err(failure) => Err(failure),
    }
}

fn lost_stderr(error: &dyn std::fmt::Display) -> Failure {
    Failure::Output(format!("cannot save the stderr of an engine: {error}"))
}

/// The settings of the engine, with defaults for the program and its limit.
fn evaluator_settings(mut settings: Settings) -> Result<Settings, Failure> {
    if settings.is_human() {
        return Err(Failure::Usage(
            "--engine: a person gives no scores; name a program".into(),
        ));
    }
    settings.cmd.get_or_insert(personality::DEFAULT.to_string());
    if settings.time.is_none() && settings.depth.is_none() {
        settings.nodes.get_or_insert(NODES);
    }
    Ok(settings)
}

/// The first lines of a book: the command that made it.
fn preface(args: &OpeningsArgs, setup: Setup, settings: &Settings) -> String {
    let setup = if args.variant.info().has_setup {
        format!(" --pieces {} --turns {}", setup.pieces, setup.turns)
    } else {
        String::new()
    };
    let words: Vec<String> = settings.words().iter().map(|word| for_shell(word)).collect();
    let words = words.join(" ");
    format!(
        "# Openings of {variant} for `referee match --openings`, made by referee {version} with\n\
         # referee openings --variant {variant} --count {count} --plies {plies}{setup} --seed {seed} \
         --window {window} --engine {words}\n\
         # The line above an opening is its score, from the first player's point of view.\n",
        variant = args.variant,
        version = env!("CARGO_PKG_VERSION"),
        count = args.count,
        plies = args.plies,
        seed = args.seed,
        window = args.window,
    )
}

/// A setting, quoted for a shell, on one line.
fn for_shell(word: &str) -> String {
    // A quoted value may contain line ends, which a comment cannot.
    shell::quoted(word).replace(['\n', '\r'], " ")
}

/// The engine that evaluates the openings.
struct Evaluator {
    engine: Engine,
    control: Control,
}

impl Evaluator {
    fn start(
        settings: Settings,
        args: &OpeningsArgs,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Evaluator, Failure> {
        let mut control = settings.control();
        if settings.time.is_none() {
            control.time = TimeControl::Move(ANSWER_TIMEOUT);
        }
        let contestants = roster::resolve(&[settings], args.variant)?;
        let spec = contestants.iter().find_map(|contestant| contestant.spec.as_ref());
        let spec = spec.ok_or_else(|| Failure::Usage("--engine: no program is named".into()))?;
        let engine = roster::start(spec, args.variant, interrupt)?;
        Ok(Evaluator { engine, control })
    }

    /// The score of the position after an opening, for the side to move. The engine
    /// starts a new game first.
    fn score(&mut self, opening: &Opening) -> Result<Score, Failure> {
        let game = Game::new(opening, [self.control.time; 2]);
        let mut turn = Turn::apart(&game, &self.control);
        let answer = self
            .engine
            .begin()
            .and_then(|()| self.engine.think(&game, &mut turn));
        let answer = answer.map_err(|why| why.failure(self.engine.name()))?;
        if let Some(error) = self.engine.take_log_error() {
            return Err(lost_stderr(&error));
        }
        answer.thought.score.ok_or_else(|| {
            Failure::Start(format!(
                "{} gives no score for `{opening}`; the engine must write `info … score cp …`",
                self.engine.name()
            ))
        })
    }
}

/// The openings tried so far, and the book that they make.
struct BookBuilder {
    openings: Openings,
    window: Window,
    count: u64,
    tally: Tally,
    book: String,
}

impl BookBuilder {
    /// Evaluates openings until enough are accepted.
    fn run(&mut self, evaluator: &mut Evaluator, interrupt: &Interrupt) -> Result<(), Failure> {
        let of_opening = |error: OpeningError| Failure::Usage(error.to_string());
        let task = Task::start("openings", self.tally.accepted, self.count);
        let mut number = self.tally.sampled();
        let mut rejected_in_a_row = 0;
        while self.tally.accepted < self.count {
            if let Some(signal) = interrupt.caught() {
                return Err(signal.into());
            }
            number += 1;
            if self.openings.is_repetition(number) {
                return Err(self.too_few("there seem to be no others"));
            }
            if rejected_in_a_row == MAX_ATTEMPTS {
                return Err(self.too_few(&format!("the last {MAX_ATTEMPTS} were all rejected")));
            }
            let opening = self.openings.get(number).map_err(of_opening)?;
            let score = evaluator.score(&opening)?;
            let is_accepted = self.consider(&opening, score);
            task.set(self.tally.accepted);
            task.set_detail(format!("{number} sampled"));
            rejected_in_a_row = if is_accepted { 0 } else { rejected_in_a_row + 1 };
        }
        Ok(())
    }

    /// Adds an opening to the book if its score, for the side to move, is in the window.
    fn consider(&mut self, opening: &Opening, score: Score) -> bool {
        let Score::Cp(score) = score else {
            self.tally.proven += 1;
            return false;
        };
        let score = match opening.end().side_to_move() {
            Side::First => score,
            Side::Second => score.saturating_neg(),
        };
        let is_accepted = self.window.contains(score);
        if is_accepted {
            self.tally.accepted += 1;
            // Writing to a string cannot fail.
            let _ = writeln!(self.book, "# {}\n{opening}", Score::Cp(score));
        } else {
            self.tally.outside += 1;
        }
        is_accepted
    }

    fn too_few(&self, why: &str) -> Failure {
        Failure::Usage(format!(
            "{} of {} openings found, and {why} ({}); try more --plies, a wider --window or a smaller --count",
            self.tally.accepted,
            self.count,
            self.counts()
        ))
    }

    /// The counts as text.
    fn counts(&self) -> String {
        let Tally {
            accepted,
            outside,
            proven,
        } = self.tally;
        format!(
            "{} distinct openings sampled: {accepted} accepted, {outside} outside {}, {proven} proven",
            self.tally.sampled(),
            self.window
        )
    }
}

#[cfg(test)]
mod tests {
    use lodestone::game::{Setup, Variant};

    use super::*;
    use crate::config::settings::SEPARATOR;

    #[test]
    fn the_engine_has_defaults() {
        let words = |list: &str| {
            let list = list.replace(' ', SEPARATOR);
            let settings = (!list.is_empty()).then(|| list.parse().unwrap());
            evaluator_settings(settings.unwrap_or_default()).map(|settings| settings.words().join(" "))
        };
        for (list, expected) in [
            ("", "cmd=lodestone nodes=20000"),
            ("option.Hash=1", "cmd=lodestone nodes=20000 option.Hash=1"),
            ("depth=5", "cmd=lodestone depth=5"),
            ("nodes=5", "cmd=lodestone nodes=5"),
            ("cmd=./bot st=1", "cmd=./bot st=1"),
            ("cmd=./bot", "cmd=./bot nodes=20000"),
        ] {
            assert_eq!(words(list).unwrap(), expected, "{list}");
        }
        let error = words("cmd=human").unwrap_err().to_string();
        assert_eq!(error, "--engine: a person gives no scores; name a program");
    }

    #[test]
    #[cfg(unix)] // other shells have other quotes
    fn quotes_settings_for_a_shell() {
        for (word, typed) in [
            ("cmd=./bot.py", "cmd=./bot.py"),
            ("args=-v 'a b'", "\"args=-v 'a b'\""),
            ("name=$x\ny", "'name=$x y'"),
        ] {
            assert_eq!(for_shell(word), typed);
        }
    }

    fn builder(variant: Variant, window: &str) -> BookBuilder {
        BookBuilder {
            openings: Openings::new(variant, Setup::default(), Some(&OpeningSource::Random(1)), 1).unwrap(),
            window: window.parse().unwrap(),
            count: 3,
            tally: Tally::default(),
            book: String::new(),
        }
    }

    #[test]
    fn window_is_from_the_first_players_point_of_view() {
        for (plies, sign) in [(1, -1), (2, 1)] {
            let source = OpeningSource::Random(plies);
            let openings = Openings::new(Variant::MagneticCave, Setup::default(), Some(&source), 1);
            let opening = openings.unwrap().get(1).unwrap();
            let mut builder = builder(Variant::MagneticCave, "10..30");
            let mut is_accepted = |score: i32| builder.consider(&opening, Score::Cp(sign * score));
            let accepted = [9, 10, 30, 31, -20].map(&mut is_accepted);
            assert_eq!(accepted, [false, true, true, false, false]);
            assert_eq!(builder.book, format!("# cp 10\n{opening}\n# cp 30\n{opening}\n"));
        }
    }

    #[test]
    fn rejects_proven_positions() {
        let mut builder = builder(Variant::Gridlock, "100");
        let opening = builder.openings.get(1).unwrap();
        let proven = [Score::Win(3), Score::Loss(2), Score::Draw];
        for score in proven.into_iter().chain([Score::Cp(i32::MIN), Score::Cp(0)]) {
            builder.consider(&opening, score);
        }
        assert_eq!(
            builder.too_few("why").to_string(),
            "1 of 3 openings found, and why (5 distinct openings sampled: 1 accepted, 1 outside -100..100, 3 proven); \
             try more --plies, a wider --window or a smaller --count"
        );
    }
}
