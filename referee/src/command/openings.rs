//! `referee openings`: makes a book of openings that an engine evaluates as balanced. An
//! interrupted book is saved, and the same command continues it.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lodestone::board::Side;
use lodestone::game::Setup;
use lodestone::score::Score;

use super::{install_interrupt, shown};
use crate::config::cli::OpeningsArgs;
use crate::config::roster;
use crate::config::settings::Settings;
use crate::game::Opening;
use crate::game::clock::{Control, TimeControl};
use crate::game::{Game, Ruleset};
use crate::io::failure::Failure;
use crate::io::files;
use crate::io::interrupt::Interrupt;
use crate::io::progress::Task;
use crate::io::terminal::arranged;
use crate::io::text;
use crate::player::{Engine, Player, Turn};
use crate::schedule::openings::{MAX_ATTEMPTS, MAX_BOOK_SIZE, OpeningError, OpeningSource, Openings, Window};

/// The default node limit of the engine.
const NODES: u64 = 20_000;

/// The same for `mcts`, in games of a rules program.
const PLAYOUTS: u64 = 500;

/// The time limit for one opening if depth or nodes limit the search. It only stops an engine
/// that does not answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// Makes a book, or continues one that was interrupted.
pub fn run(args: &OpeningsArgs) -> Result<(), Failure> {
    let setup = args.setup.of(args.game.variant)?;
    let settings = evaluator_settings(args.engine.clone().unwrap_or_default(), args.game.variant)?;
    let preface = preface(args, setup, &settings);
    let plies = args.plies.get() as u32;
    let source = (plies > 0).then_some(OpeningSource::Random(plies));
    let interrupt = install_interrupt()?;
    let openings = Openings::new(args.game.variant, setup, source.as_ref(), args.seed)
        .map_err(|error| error.failure("--plies"))?;
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
fn evaluator_settings(mut settings: Settings, rules: Ruleset) -> Result<Settings, Failure> {
    if settings.is_human() {
        return Err(Failure::Usage(
            "--engine: a person gives no scores; name a program".into(),
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
        Some(variant) => format!("--variant {variant}"),
        None => format!("--rules {}", for_shell(args.game.variant.words())),
    };
    format!(
        "# Openings of {variant} for `referee match --openings`, made by referee {version} with\n\
         # referee openings {game} --count {count} --plies {plies}{setup} --seed {seed} \
         --window {window} --engine {words}\n\
         # The line above an opening is its score, from the first player's point of view.\n",
        variant = args.game.variant,
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
        let contestants = roster::resolve(&[settings], args.game.variant)?;
        let spec = contestants.iter().find_map(|contestant| contestant.spec.as_ref());
        let spec = spec.ok_or_else(|| Failure::Usage("--engine: no program is named".into()))?;
        let engine = roster::start(spec, args.game.variant, interrupt)?;
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
        answer.thought.info.score.ok_or_else(|| {
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
        let of_opening = |error: OpeningError| error.failure("--plies");
        let task = Task::start("openings", self.tally.accepted, self.count);
        let mut number = self.tally.sampled();
        let mut rejected_in_a_row = 0;
        while self.tally.accepted < self.count {
            if let Some(signal) = interrupt.caught() {
                return Err(signal.into());
            }
            number += 1;
            if self.openings.is_repetition(number).map_err(of_opening)? {
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
        let score = match opening.position().side_to_move() {
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

/// The number of openings accepted and rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// Scores in the window.
    accepted: u64,
    /// Scores outside the window.
    outside: u64,
    /// Proven wins, losses and draws.
    proven: u64,
}

impl Tally {
    /// The number of openings that were evaluated.
    const fn sampled(self) -> u64 {
        self.accepted + self.outside + self.proven
    }

    /// The last line of an interrupted book.
    fn to_line(self) -> String {
        let Tally {
            accepted,
            outside,
            proven,
        } = self;
        format!(
            "# Incomplete: {accepted} accepted, {outside} outside, {proven} proven; the same command continues it.\n"
        )
    }

    /// The counts of [`Tally::to_line`].
    fn from_line(line: &str) -> Option<Tally> {
        let mut numbers = line.split([' ', ',']).filter_map(|word| word.parse().ok());
        let tally = Tally {
            accepted: numbers.next()?,
            outside: numbers.next()?,
            proven: numbers.next()?,
        };
        (tally.to_line().trim_end() == line).then_some(tally)
    }
}

/// Where a book is written.
struct BookFile<'a> {
    /// `None` for standard output.
    path: Option<&'a Path>,
    /// A new file, which is removed unless it is written.
    is_empty: bool,
}

/// The openings of an interrupted book, and its counts.
type Begun = (String, Tally);

impl<'a> BookFile<'a> {
    /// Opens the output of a book that begins with this preface. Returns an interrupted book,
    /// if the file has one.
    fn open(path: Option<&'a Path>, preface: &str) -> Result<(BookFile<'a>, Option<Begun>), Failure> {
        let file = |is_empty| BookFile { path, is_empty };
        let Some(path) = path else {
            return Ok((file(false), None));
        };
        let why = match File::create_new(path) {
            Ok(_) => return Ok((file(true), None)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let bytes = files::read(path, MAX_BOOK_SIZE)
                    .ok()
                    .flatten()
                    .unwrap_or_default();
                match std::str::from_utf8(&bytes).ok().and_then(begun) {
                    Some(begun) if begun.0.starts_with(preface) => return Ok((file(false), Some(begun))),
                    Some(_) => {
                        "an interrupted book of another command; its second line is that command".into()
                    }
                    None => format!("{error}; choose another file, or delete this one"),
                }
            }
            Err(error) => error.to_string(),
        };
        Err(Failure::Usage(format!("--out {}: {why}", path.display())))
    }

    /// Writes a whole book. An error leaves the old content.
    fn write(mut self, book: &str) -> Result<(), Failure> {
        let Some(path) = self.path else {
            let mut stdout = io::stdout();
            return shown(stdout.write_all(book.as_bytes()).and_then(|()| stdout.flush()));
        };
        let written = files::replace(path, book);
        self.is_empty &= written.is_err();
        written.map_err(|error| Failure::Output(format!("--out {}: {error}", path.display())))
    }

    /// Saves an interrupted book. Returns the end of a sentence that says where it is.
    fn save(self, book: &str, tally: Tally) -> Result<String, Failure> {
        let saved = match self.path {
            None => "written; with `--out FILE` the same command continues an interrupted book".to_string(),
            Some(path) => {
                format!(
                    "saved in {}; run the same command again to continue",
                    path.display()
                )
            }
        };
        self.write(&(book.to_string() + &tally.to_line()))?;
        Ok(saved)
    }
}

impl Drop for BookFile<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.path.filter(|_| self.is_empty) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Splits an interrupted book into its openings and its counts.
fn begun(book: &str) -> Option<Begun> {
    let start = book.trim_end().rfind('\n')? + 1;
    let tally = Tally::from_line(book[start..].trim_end())?;
    Some((book[..start].to_string(), tally))
}

#[cfg(test)]
mod tests {
    use crate::game::Ruleset;
    use lodestone::game::Setup;

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

    fn builder(variant: Ruleset, window: &str) -> BookBuilder {
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
            let openings = Openings::new(Ruleset::MAGNETIC_CAVE, Setup::default(), Some(&source), 1);
            let opening = openings.unwrap().get(1).unwrap();
            let mut builder = builder(Ruleset::MAGNETIC_CAVE, "10..30");
            let mut is_accepted = |score: i32| builder.consider(&opening, Score::Cp(sign * score));
            let accepted = [9, 10, 30, 31, -20].map(&mut is_accepted);
            assert_eq!(accepted, [false, true, true, false, false]);
            assert_eq!(builder.book, format!("# cp 10\n{opening}\n# cp 30\n{opening}\n"));
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
        assert_eq!(
            builder.too_few("why").to_string(),
            "1 of 3 openings found, and why (5 distinct openings sampled: 1 accepted, 1 outside -100..100, 3 proven); \
             try more --plies, a wider --window or a smaller --count"
        );
    }

    const PREFACE: &str = "# A book\n# referee openings\n";
    const TALLY: Tally = Tally {
        accepted: 2,
        outside: 30,
        proven: 4,
    };

    fn message(result: Result<(BookFile<'_>, Option<Begun>), Failure>) -> String {
        result.err().unwrap().to_string()
    }

    #[test]
    fn continues_an_interrupted_book() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let open = || BookFile::open(Some(&path), PREFACE);
        let book = format!("{PREFACE}# cp 1\na1\n# cp 2\na2\n");
        let (file, begun) = open().unwrap();
        assert_eq!(begun, None);
        let saved = file.save(&book, TALLY).unwrap();
        assert!(saved.starts_with("saved in "), "{saved}");
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{book}# Incomplete: 2 accepted, 30 outside, 4 proven; the same command continues it.\n")
        );

        let (file, begun) = open().unwrap();
        assert_eq!(begun, Some((book.clone(), TALLY)));
        drop(file);
        let (file, _) = open().unwrap();
        file.write(&book).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), book);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn keeps_files_that_are_not_interrupted_books_of_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        for (text, expected) in [
            (
                format!("# B book\n{}", TALLY.to_line()),
                "an interrupted book of another command",
            ),
            (format!("{PREFACE}# cp 1\na1\n"), "File exists"),
            (
                format!("{PREFACE}# Incomplete: 2 accepted, 30 outside, proven; the same"),
                "File exists",
            ),
            (String::new(), "File exists"),
        ] {
            fs::write(&path, &text).unwrap();
            let message = message(BookFile::open(Some(&path), PREFACE));
            assert!(message.contains(expected), "{message}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
