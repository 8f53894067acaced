//! `referee openings`: makes a book of openings that an engine evaluates as balanced. A book that is
//! interrupted has the openings so far.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use lodestone_game::Setup;
use lodestone_game::board::Side;
use lodestone_game::score::Score;
use referee_core::failure::Failure;
use referee_core::game::MoveSequence;
use referee_core::game::clock::{Control, TimeControl};
use referee_core::game::{Game, Ruleset};
use referee_core::io::files::{Target, refusal};
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text;
use referee_core::io::text::ShowPath;
use referee_core::player::{Engine, Player, Turn, lost_stderr};
use referee_core::schedule::openings::{MAX_ATTEMPTS, OpeningError, OpeningSource, Openings, Window};

use super::{install_interrupt, print};
use crate::by_hand::make_program;
use crate::config::cli::OpeningsArgs;
use crate::config::settings::Settings;
use crate::terminal::arranged;
use crate::terminal::progress::Task;

/// The default node limit of the engine.
const NODES: u64 = 20_000;

/// The same for `mcts`, in games of a rules program.
const PLAYOUTS: u64 = 500;

/// The time limit for one opening if depth or nodes limit the search. It only stops an engine
/// that does not answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// Makes a book.
pub fn run(args: &OpeningsArgs) -> Result<(), Failure> {
    let interrupt = install_interrupt()?;
    let setup = args.setup.of(args.game.variant)?;
    let settings = evaluator_settings(args.engine.clone().unwrap_or_default(), args.game.variant)?;
    let plies = args.plies.get() as u32;
    let source = (plies > 0).then_some(OpeningSource::Random(plies));
    let mut book = Book {
        openings: Openings::new(args.game.variant, setup, source.as_ref(), args.seed)
            .map_err(|error| error.failure("--plies"))?,
        window: args.window,
        count: args.count.get(),
        accepted: 0,
        outside: 0,
        proven: 0,
        text: preface(args, setup, &settings),
    };
    let out = |error: &dyn std::fmt::Display| {
        let path = args.out.clone().unwrap_or_default();
        format!("--out {}: {error}", path.shown())
    };
    let target = args.out.as_deref();
    let target = target.map(|path| Target::open(path, |_| Err(refusal("the file exists"))));
    let target = target.transpose().map_err(|error| Failure::Usage(out(&error)))?;
    let write = |book: &str| match &target {
        None => print(book),
        Some(target) => target
            .write(|file| Ok(file.write_all(book.as_bytes())?))
            .map_err(|error| Failure::Output(out(&error))),
    };
    let (mut engine, mut control) = make_program(&settings, args.game.variant, args.seed, &interrupt, true)?;
    if settings.time.is_none() {
        control.time = TimeControl::Move(ANSWER_TIMEOUT);
    }
    let found = book.find(&mut engine, &control, &interrupt);
    let message = match &found {
        Ok(()) => format!("{}.", book.counts()),
        // The openings so far are good.
        Err(Failure::Stopped(_) | Failure::Start(_)) if book.accepted > 0 => {
            format!("The book has only {} of {} openings", book.accepted, book.count)
        }
        Err(_) => return found,
    };
    write(&book.text)?;
    // A closed stderr is not a failure.
    let _ = writeln!(io::stderr(), "{}", arranged(&message));
    found.and_then(|()| Engine::dismiss([engine]))
}

/// The settings of the engine, with defaults for the program and its limit.
fn evaluator_settings(mut settings: Settings, rules: Ruleset) -> Result<Settings, Failure> {
    if settings.is_human() {
        return Err(Failure::Usage(
            "--engine: a human player gives no scores; use a program".into(),
        ));
    }
    settings.cmd.get_or_insert(rules.strongest().to_string());
    let nodes = if rules.variant().is_some() {
        NODES
    } else {
        PLAYOUTS
    };
    if settings.time.is_none() && settings.depth.is_none() {
        settings.nodes.get_or_insert(nodes);
    }
    Ok(settings)
}

/// The first lines of a book: the command that made it.
fn preface(args: &OpeningsArgs, setup: Setup, settings: &Settings) -> String {
    let setup = if args.game.variant.info().has_setup {
        format!(" --pieces {} --turns {}", setup.pieces, setup.turns)
    } else {
        String::new()
    };
    let for_shell = |words: &[String]| {
        words
            .iter()
            .map(|word| for_shell(word))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let words = for_shell(&settings.words());
    let game = match args.game.variant.variant() {
        Some(game) => format!("--variant {game}"),
        None => format!("--rules {}", for_shell(args.game.variant.words())),
    };
    format!(
        "# Openings of {title} for `referee match --openings`, made by referee {version} with\n\
         # referee openings {game} --count {count} --plies {plies}{setup} --seed {seed} \
         --window {window} --engine {words}\n\
         # The line above an opening is its score, from the first player's point of view.\n",
        title = args.game.variant.info().title,
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
    text::quoted(word).replace(['\n', '\r'], " ")
}

/// The score of the position after an opening, for the side to move. The engine starts a new game
/// first.
fn score(engine: &mut Engine, control: &Control, opening: &MoveSequence) -> Result<Score, Failure> {
    let game = Game::new(opening, [control.time; 2]);
    let mut turn = Turn::apart(&game, control);
    let answer = engine.begin(None).and_then(|()| engine.think(&game, &mut turn));
    let answer = answer.map_err(|why| why.failure(engine.name()))?;
    if let Some(error) = engine.take_log_error() {
        return Err(lost_stderr(&error));
    }
    answer.thought.info.score.ok_or_else(|| {
        Failure::Start(format!(
            "{} gives no score for `{opening}`; the engine must write `info … score cp …`",
            engine.name()
        ))
    })
}

/// The openings tried so far, and the book that they make.
struct Book {
    openings: Openings,
    window: Window,
    count: u64,
    /// Openings with scores in the window, outside it, and with proven results.
    accepted: u64,
    outside: u64,
    proven: u64,
    text: String,
}

impl Book {
    /// Evaluates openings until enough are accepted.
    fn find(&mut self, engine: &mut Engine, control: &Control, interrupt: &Interrupt) -> Result<(), Failure> {
        let of_opening = |error: OpeningError| error.failure("--plies");
        let task = Task::start("openings", 0, self.count);
        let mut rejected_in_a_row = 0;
        for number in 1.. {
            if self.accepted == self.count {
                break;
            }
            if let Some(signal) = interrupt.caught() {
                return Err(signal.into());
            }
            if self.openings.is_repetition(number).map_err(of_opening)? {
                return Err(self.too_few("there seem to be no others"));
            }
            if rejected_in_a_row == MAX_ATTEMPTS {
                return Err(self.too_few(&format!("the last {MAX_ATTEMPTS} were all rejected")));
            }
            let opening = self.openings.get(number).map_err(of_opening)?;
            let is_accepted = self.consider(&opening, score(engine, control, &opening)?);
            task.set(self.accepted);
            task.set_detail(format!("{number} sampled"));
            rejected_in_a_row = if is_accepted { 0 } else { rejected_in_a_row + 1 };
        }
        Ok(())
    }

    /// Adds an opening to the book if its score, for the side to move, is in the window.
    fn consider(&mut self, opening: &MoveSequence, score: Score) -> bool {
        let Score::Cp(score) = score else {
            self.proven += 1;
            return false;
        };
        let score = match opening.position().side_to_move() {
            Side::First => score,
            Side::Second => score.saturating_neg(),
        };
        let is_accepted = self.window.contains(score);
        if is_accepted {
            self.accepted += 1;
            // Writing to a string cannot fail.
            let _ = writeln!(self.text, "# {}\n{opening}", Score::Cp(score));
        } else {
            self.outside += 1;
        }
        is_accepted
    }

    fn too_few(&self, why: &str) -> Failure {
        Failure::Usage(format!(
            "{} of {} openings found, and {why} ({}); try more --plies, a wider --window or a smaller --count",
            self.accepted,
            self.count,
            self.counts()
        ))
    }

    /// The counts as text.
    fn counts(&self) -> String {
        let Book {
            window,
            accepted,
            outside,
            proven,
            ..
        } = self;
        let sampled = accepted + outside + proven;
        format!(
            "{sampled} distinct openings sampled: {accepted} accepted, {outside} outside {window}, {proven} proven"
        )
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};
    use lodestone_game::Setup;
    use referee_core::game::Ruleset;
    use sentences::expect;

    use super::*;
    use crate::config::settings::SEPARATOR;

    #[test]
    fn the_engine_has_defaults() {
        let words = |list: &str| {
            let list = list.replace(' ', SEPARATOR);
            let settings = (!list.is_empty()).then(|| list.parse().unwrap());
            evaluator_settings(settings.unwrap_or_default(), Ruleset::default())
                .map(|settings| settings.words().join(" "))
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
        expect! {"--engine: a human player gives no scores; use a program"}.assert_eq(&error);
    }

    #[test]
    fn a_book_begins_with_the_command_that_makes_it() {
        let line = "openings --variant gridlock --count 3 --plies 5 --seed 7 --window 10..30";
        let command = OpeningsArgs::augment_args(clap::Command::new(""));
        let args = command.get_matches_from(line.split(' '));
        let args = OpeningsArgs::from_arg_matches(&args).unwrap();
        let text = preface(&args, Setup::default(), &Settings::of_program("lodestone"));
        let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
        expect![[r#"
            # Openings of Gridlock for `referee match --openings`, made by referee VERSION with
            # referee openings --variant gridlock --count 3 --plies 5 --pieces 5 --turns 40 --seed 7 --window 10..30 --engine cmd=lodestone
            # The line above an opening is its score, from the first player's point of view.
        "#]]
        .assert_eq(&text);
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

    fn builder(ruleset: Ruleset, window: &str) -> Book {
        Book {
            openings: Openings::new(ruleset, Setup::default(), Some(&OpeningSource::Random(1)), 1).unwrap(),
            window: window.parse().unwrap(),
            count: 3,
            accepted: 0,
            outside: 0,
            proven: 0,
            text: String::new(),
        }
    }

    #[test]
    fn window_is_from_the_first_players_point_of_view() {
        for (plies, sign) in [(1, -1), (2, 1)] {
            let source = OpeningSource::Random(plies);
            let openings = Openings::new(Ruleset::MAGNETIC_CAVE, Setup::default(), Some(&source), 1);
            let opening = openings.unwrap().get(1).unwrap();
            let mut builder = builder(Ruleset::MAGNETIC_CAVE, "10..30");
            let mut is_accepted = |score: i32| builder.consider(&opening, Score::Cp(sign * score));
            let accepted = [9, 10, 30, 31, -20].map(&mut is_accepted);
            assert_eq!(accepted, [false, true, true, false, false]);
            assert_eq!(builder.text, format!("# cp 10\n{opening}\n# cp 30\n{opening}\n"));
        }
    }

    #[test]
    fn rejects_proven_positions() {
        let mut builder = builder(Ruleset::GRIDLOCK, "100");
        let opening = builder.openings.get(1).unwrap();
        let proven = [Score::Win(3), Score::Loss(2), Score::Draw];
        for score in proven.into_iter().chain([Score::Cp(i32::MIN), Score::Cp(0)]) {
            builder.consider(&opening, score);
        }
        expect! {"1 of 3 openings found, and why (5 distinct openings sampled: 1 accepted, 1 outside -100..100, 3 proven); try more --plies, a wider --window or a smaller --count"}.assert_eq(&builder.too_few("why").to_string());
    }
}
