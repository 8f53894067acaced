//! What submissions are graded on: a TOML file. Its options are those of `referee match`, and the settings of its
//! opponents those of players, so each is declared once.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use referee_core::failure::Failure;
use referee_core::io::text::ShowPath;
use referee_core::settings::SETTINGS;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::bots::check;
use crate::config::cli::{Command, MatchArgs, SandboxChoice};
use crate::config::file::{OptionWords, match_options, number, player_settings};
use crate::config::settings::Settings;
use crate::config::{CommandLineError, command_line};
use crate::toml_file::TomlFile;

/// The options of a match that a rubric cannot set: grading chooses the players, the games and the files.
const NOT_IN_RUBRICS: [&str; 22] = [
    "accept",
    "board",
    "color",
    "ascii",
    "csv",
    "engine",
    "engines",
    "event",
    "faults",
    "format",
    "games",
    "html",
    "json",
    "json-moves",
    "log",
    "out",
    "output",
    "pgn",
    "quiet",
    "shard",
    "skip-broken",
    "sprt",
];

/// The tables of a rubric.
const TABLES: [&str; 4] = ["match", "fitness", "opponent", "faults"];

pub(crate) struct Rubric {
    /// The options of its matches.
    options: Vec<OptionWords>,
    /// The folder whose `run` starts the submissions.
    pub wrapper: Option<PathBuf>,
    /// The names of the checks; all of them if there is none.
    pub checks: Vec<String>,
    /// The points for a submission that passes them.
    pub fitness: f64,
    pub opponents: Vec<Opponent>,
    /// The points for games without a fault.
    pub without_fault: f64,
    /// What each fault costs.
    pub each_fault: f64,
}

/// Whom a submission meets, and what its points are worth.
pub(crate) struct Opponent {
    pub name: String,
    pub settings: Settings,
    pub games: u64,
    pub scale: Scale,
}

/// How the share of the points of the games becomes points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scale {
    /// So many points for a share, and in proportion for less.
    Full { points: f64, full: f64 },
    /// The points for shares, the best that is reached.
    Steps(Vec<[f64; 2]>),
}

impl Scale {
    /// The most points.
    pub fn most(&self) -> f64 {
        match self {
            Scale::Full { points, .. } => *points,
            Scale::Steps(steps) => steps.iter().map(|step| step[1]).fold(0.0, f64::max),
        }
    }

    /// The smallest share for them.
    pub fn share_of_most(&self) -> f64 {
        match self {
            Scale::Full { full, .. } => *full,
            Scale::Steps(steps) => {
                let best = steps.iter().filter(|step| step[1] >= self.most());
                best.map(|step| step[0]).fold(1.0, f64::min)
            }
        }
    }
}

impl Rubric {
    /// Reads a rubric.
    pub fn read(path: &Path) -> Result<Rubric, Failure> {
        let file = TomlFile::read(path)?;
        let table = file.table()?;
        let keys = |table: &DeTable<'_>, known: &[&str]| check_keys(&file, table, known);
        keys(&table, &TABLES)?;
        let top = Place {
            file: &file,
            span: 0..0,
            name: "",
        };
        let options = top.table(&table, "match")?;
        let (options, wrapper) = read_match(&file, options.0)?;
        let fitness = top.table(&table, "fitness")?;
        keys(fitness.0, &["points", "only"])?;
        let faults = top.table(&table, "faults")?;
        keys(faults.0, &["points", "each"])?;
        let (opponents, span) = match table.get("opponent") {
            Some(found) => match found.get_ref() {
                DeValue::Array(list) if !list.is_empty() => (list, found.span()),
                _ => return Err(file.wrong(&found.span(), "expected tables [[opponent]]")),
            },
            None => {
                return Err(file.incomplete("there is no table [[opponent]]; a submission needs an opponent"));
            }
        };
        let mut rubric = Rubric {
            options,
            wrapper,
            checks: fitness.1.checks(fitness.0)?,
            fitness: fitness.1.points(fitness.0, "points")?,
            opponents: Vec::new(),
            without_fault: faults.1.points(faults.0, "points")?,
            each_fault: faults.1.points(faults.0, "each")?,
        };
        for found in opponents {
            let DeValue::Table(table) = found.get_ref() else {
                return Err(file.wrong(&span, "expected tables [[opponent]]"));
            };
            let place = Place {
                file: &file,
                span: found.span(),
                name: "[[opponent]]",
            };
            let opponent = place.opponent(table)?;
            if let Some(other) = rubric
                .opponents
                .iter()
                .find(|other| file_name(&other.name) == file_name(&opponent.name))
            {
                let why = format!(
                    "the names `{}` and `{}` of two opponents are the same in the names of files; give one another `name`",
                    other.name, opponent.name
                );
                return Err(file.wrong(&found.span(), &why));
            }
            rubric.opponents.push(opponent);
        }
        Ok(rubric)
    }

    /// The options of a match against this opponent, or of one without an opponent of the rubric.
    pub fn match_args(&self, more: &[OsString]) -> Result<Box<MatchArgs>, Failure> {
        let words = ["referee", "match", "--quiet"].into_iter().map(OsString::from);
        let options = self.options.iter().flat_map(OptionWords::words);
        let cli = command_line(words.chain(options).chain(more.iter().cloned()));
        match cli.map(|cli| cli.command) {
            Ok(Some(Command::Match(mut args))) => {
                args.run.sandbox.sandbox.get_or_insert(SandboxChoice::Strongest);
                args.wrapper.wrapper.clone_from(&self.wrapper);
                Ok(args)
            }
            Err(CommandLineError::Clap(error)) => Err(Failure::Usage(error.to_string())),
            Err(CommandLineError::Config(failure)) => Err(failure),
            Ok(_) => Err(Failure::Usage(
                "the rubric: the options of [match] cannot be used together".into(),
            )),
        }
    }

    /// Whether [match] says how programs are restricted.
    pub fn has_sandbox(&self) -> bool {
        self.options.iter().any(|given| given.option == "sandbox")
    }

    /// Sets an option of all matches.
    pub fn set(&mut self, option: &str, value: &str) {
        self.options.retain(|given| given.option != option);
        self.options.push(OptionWords {
            option: option.into(),
            values: vec![value.into()],
        });
    }

    /// All texts that the games depend on, but for the wrapper: a change of the points replays nothing.
    pub fn identity(&self) -> Vec<String> {
        let options = self.options.iter().flat_map(OptionWords::words);
        // How many games are played at a time changes no game.
        let options = options.map(|word| word.to_string_lossy().into_owned());
        let options =
            options.filter(|word| !word.starts_with("--concurrency") && !word.starts_with("--affinity"));
        let opponents = self.opponents.iter().flat_map(|opponent| {
            let settings = opponent.settings.words();
            std::iter::once(format!("[[opponent]] {} {}", opponent.name, opponent.games)).chain(settings)
        });
        options
            .chain(self.checks.iter().map(|check| format!("only {check}")))
            .chain(opponents)
            .collect()
    }
}

/// A name as one of a file.
pub(crate) fn file_name(name: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "._-".contains(sign);
    let mut text = String::new();
    for sign in name.chars() {
        let sign = if is_plain(sign) { sign } else { '_' };
        if sign != '_' || !text.ends_with('_') {
            text.push(sign);
        }
    }
    text
}

/// Checks that a table has no other keys.
fn check_keys(file: &TomlFile<'_>, table: &DeTable<'_>, known: &[&str]) -> Result<(), Failure> {
    let unknown = table.keys().find(|key| !known.contains(&key.get_ref().as_ref()));
    unknown.map_or(Ok(()), |key| {
        let why = referee_core::io::text::unknown("key", key.get_ref(), known);
        Err(file.wrong(&key.span(), &why))
    })
}

/// Reads [match]: its options, and the wrapper.
fn read_match(
    file: &TomlFile<'_>,
    table: &DeTable<'_>,
) -> Result<(Vec<OptionWords>, Option<PathBuf>), Failure> {
    for (key, _) in table {
        if NOT_IN_RUBRICS.contains(&key.get_ref().as_ref()) {
            let why = format!("`{}` does not apply to a rubric: grading sets it", key.get_ref());
            return Err(file.wrong(&key.span(), &why));
        }
    }
    let mut options = match_options(file, table)?;
    let wrapper = options.iter().position(|given| given.option == "wrapper");
    let wrapper = wrapper
        .and_then(|place| options.remove(place).values.pop())
        .map(PathBuf::from);
    if let (Some(wrapper), Some(value)) = (&wrapper, table.get("wrapper")) {
        let run = wrapper.join(crate::config::submissions::RUN);
        if !run.is_file() || !referee_core::system::files::is_executable(&run) {
            let why = format!("`wrapper`: there is no executable file {}", run.shown());
            return Err(file.wrong(&value.span(), &why));
        }
    }
    Ok((options, wrapper))
}

/// A table of the rubric and its place.
struct Place<'a> {
    file: &'a TomlFile<'a>,
    span: Range<usize>,
    name: &'a str,
}

impl<'a> Place<'a> {
    /// The table of this name.
    fn table<'t>(
        &self,
        table: &'t DeTable<'t>,
        name: &'static str,
    ) -> Result<(&'t DeTable<'t>, Place<'a>), Failure> {
        let Some(found) = table.get(name) else {
            return Err(self.file.incomplete(&format!("the table [{name}] is missing")));
        };
        match found.get_ref() {
            DeValue::Table(inner) => Ok((
                inner,
                Place {
                    file: self.file,
                    span: found.span(),
                    name,
                },
            )),
            _ => Err(self
                .file
                .wrong(&found.span(), &format!("expected a table [{name}]"))),
        }
    }

    fn wrong(&self, value: &Spanned<DeValue<'_>>, key: &str, expected: &str) -> Failure {
        self.file
            .wrong(&value.span(), &format!("`{key}`: expected {expected}"))
    }

    fn get<'t>(
        &self,
        table: &'t DeTable<'t>,
        key: &str,
        expected: &str,
    ) -> Result<&'t Spanned<DeValue<'t>>, Failure> {
        table.get(key).ok_or_else(|| {
            let why = format!("the key `{key}` of {} is missing: {expected}", self.name);
            self.file.wrong(&self.span, &why)
        })
    }

    /// A number of points.
    fn points(&self, table: &DeTable<'_>, key: &str) -> Result<f64, Failure> {
        const EXPECTED: &str = "a number from 0";
        let value = self.get(table, key, EXPECTED)?;
        let points = number(value.get_ref()).filter(|points| (0.0..=1e9).contains(points));
        points.ok_or_else(|| self.wrong(value, key, EXPECTED))
    }

    /// The checks of [fitness].
    fn checks(&self, table: &DeTable<'_>) -> Result<Vec<String>, Failure> {
        let Some(value) = table.get("only") else {
            return Ok(Vec::new());
        };
        let wrong = || self.wrong(value, "only", "a list of checks, such as [\"startpos\"]");
        let DeValue::Array(list) = value.get_ref() else {
            return Err(wrong());
        };
        let name = |value: &Spanned<DeValue<'_>>| value.get_ref().as_str().map(String::from);
        let names: Option<Vec<String>> = list.iter().map(name).collect();
        let names = names.filter(|names| !names.is_empty()).ok_or_else(wrong)?;
        check::select(&names).map_err(|why| self.file.wrong(&value.span(), &format!("`only`: {why}")))?;
        Ok(names)
    }

    fn opponent(&self, table: &DeTable<'_>) -> Result<Opponent, Failure> {
        const OWN: [&str; 4] = ["games", "points", "full", "steps"];
        const EVEN: &str = "an even number from 2, because each opening is played with both colours";
        let settings = SETTINGS.iter().map(|setting| setting.key);
        let settings = settings.filter(|key| !key.contains('.'));
        let known: Vec<&str> = OWN.into_iter().chain(settings).chain(["option"]).collect();
        check_keys(self.file, table, &known)?;
        let settings = player_settings(self.file, table, &OWN, &self.span)?;
        let cmd = settings.cmd.clone().unwrap_or_default();
        if cmd.contains('/') && !Path::new(&cmd).exists() {
            let value = self.get(table, "cmd", "")?;
            return Err(self
                .file
                .wrong(&value.span(), &format!("`cmd`: there is no file or folder {cmd}")));
        }
        let games = self.get(table, "games", EVEN)?;
        let count =
            number(games.get_ref()).filter(|count| *count >= 2.0 && count % 2.0 == 0.0 && *count < 1e9);
        let count = count.ok_or_else(|| self.wrong(games, "games", EVEN))?;
        let stem = Path::new(&cmd)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Opponent {
            name: settings.name.clone().unwrap_or(stem),
            settings,
            games: count as u64,
            scale: self.scale(table)?,
        })
    }

    fn scale(&self, table: &DeTable<'_>) -> Result<Scale, Failure> {
        let Some(steps) = table.get("steps") else {
            let full = table.get("full").map(|full| {
                let share = number(full.get_ref()).filter(|share| *share > 0.0 && *share <= 1.0);
                share.ok_or_else(|| self.wrong(full, "full", "a share above 0, up to 1"))
            });
            return Ok(Scale::Full {
                points: self.points(table, "points")?,
                full: full.transpose()?.unwrap_or(1.0),
            });
        };
        if let Some(other) = ["points", "full"].iter().find(|key| table.contains_key(**key)) {
            let why = format!("`{other}` cannot be used with `steps`, which have the points");
            return Err(self.file.wrong(&steps.span(), &why));
        }
        let step = |value: &Spanned<DeValue<'_>>| {
            let DeValue::Array(pair) = value.get_ref() else {
                return None;
            };
            let [share, points] = &pair[..] else { return None };
            let share = number(share.get_ref()).filter(|share| (0.0..=1.0).contains(share))?;
            let points = number(points.get_ref()).filter(|points| (0.0..=1e9).contains(points))?;
            Some([share, points])
        };
        let list = match steps.get_ref() {
            DeValue::Array(list) if !list.is_empty() => list.iter().map(step).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        let wrong = || self.wrong(steps, "steps", "shares and their points, such as [[0.5, 10]]");
        list.map(Scale::Steps).ok_or_else(wrong)
    }
}
