//! The words of the command that does what a form asks for. They hold only players and rules that the
//! command line of the server names, and options that were checked.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use referee::config::command_line;
use referee::config::settings::Settings;
use referee::game::clock::TimeControl;

use super::form::{AnalysisForm, Form, MatchForm, result_path};
use super::options::{self, Given, sentence};
use crate::files;
use crate::known::{Known, Offer};

/// The most players of a match.
const MAX_PLAYERS: usize = 200;

/// The longest time of a move or a position, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

/// A command that was checked.
#[derive(Clone, Debug)]
pub struct Command {
    /// The words after the name of the program.
    pub words: Vec<OsString>,
    /// The command as the user would type it.
    pub shown: String,
    /// Whether the first interrupt lets the running games end.
    pub finishes_games: bool,
}

/// The command that does what a form asks for, with this name.
///
/// # Errors
/// A sentence for the user.
pub fn command(form: &Form, offer: &Offer, stem: &str) -> Result<Command, String> {
    let (mut words, finishes_games) = match form {
        Form::Match(form) | Form::Ladder(form) if form.players.len() > MAX_PLAYERS => {
            return Err(format!(
                "{} players are too many; {MAX_PLAYERS} are allowed",
                form.players.len()
            ));
        }
        Form::Match(form) if form.players.len() < 2 => {
            return Err("A match needs two or more players".into());
        }
        Form::Match(form) => match_words(form, offer)?,
        Form::Ladder(form) => ladder_words(form, offer)?,
        Form::Analysis(form) => (analysis_words(form, offer)?, false),
    };
    let mut all: Vec<OsString> = vec![form.subcommand().into()];
    all.append(&mut words);
    all.extend(["--out".into(), result_path(&offer.results, stem).into_os_string()]);
    let shown = shown(&all);
    let is_analysis = matches!(form, Form::Analysis(_));
    all.push(if is_analysis { "--json" } else { "--json-moves" }.into());
    let typed = std::iter::once("referee".into()).chain(all.clone());
    command_line(typed).map_err(|error| sentence(&error))?;
    Ok(Command {
        words: all,
        shown,
        finishes_games,
    })
}

type Words = Vec<OsString>;

fn match_words(form: &MatchForm, offer: &Offer) -> Result<(Words, bool), String> {
    let given = with_fields(form, "match")?;
    let known = chosen(&form.players, offer)?;
    let words = game_words(offer)
        .into_iter()
        .chain(engines(known))
        .chain(flat(&given));
    Ok((words.collect(), finishes(&given)))
}

fn ladder_words(form: &MatchForm, offer: &Offer) -> Result<(Words, bool), String> {
    let folder = offer
        .ladder_folder()
        .ok_or("A ladder is for a folder of submissions; start the server with `--engines FOLDER`")?;
    let given = with_fields(form, "ladder")?;
    let beside = chosen(&form.players, offer)?
        .into_iter()
        .filter(|known| !offer.is_submission(known));
    // A path that begins with a hyphen would be an option.
    let mut words: Words = vec![Path::new(".").join(folder).into_os_string()];
    words.extend(game_words(offer));
    words.extend(offer.sandbox_words());
    words.extend(engines(beside.collect()));
    words.extend(flat(&given));
    Ok((words, finishes(&given)))
}

fn analysis_words(form: &AnalysisForm, offer: &Offer) -> Result<Words, String> {
    let mut known = chosen(std::slice::from_ref(&form.player), offer)?;
    // The time of the form replaces that of the player.
    let seconds = checked_seconds(form.seconds)?;
    for one in &mut known {
        one.settings.time = Some(TimeControl::Move(Duration::from_secs_f64(seconds)));
        one.settings.restart = None;
    }
    let file = files::find(&offer.results, &form.file);
    let file = file.ok_or_else(|| format!("There is no result file `{}`", form.file))?;
    let mut words: Words = vec![file.path.into_os_string()];
    if !offer.rules.words().is_empty() {
        words.extend(game_words(offer));
    }
    words.extend(form.game.map(|game| format!("--game={game}").into()));
    words.extend(engines(known));
    Ok(words)
}

/// The options of a form: its fields, unless the text has the same options.
fn with_fields(form: &MatchForm, subcommand: &str) -> Result<Vec<Given>, String> {
    let typed = options::read(&form.words, subcommand)?;
    let mut fields: Vec<String> = Vec::new();
    if subcommand == "match" {
        // A broken submission should not keep the others from playing.
        fields.push("--skip-broken".into());
        fields.extend(
            form.format
                .as_deref()
                .map(|format| format!("--format {}", quoted(format))),
        );
    }
    fields.extend(form.games.map(|games| format!("--games {games}")));
    let seconds = form.seconds.map(checked_seconds).transpose()?;
    fields.extend(seconds.map(|seconds| format!("--each st={seconds}")));
    fields.extend(form.concurrency.map(|games| format!("--concurrency {games}")));
    let openings = form.openings.filter(|plies| *plies > 0);
    fields.extend(openings.map(|plies| format!("--openings random:{plies}")));
    let mut all = options::read(&fields.join(" "), subcommand)?;
    for given in typed {
        match all.iter_mut().find(|field| field.name == given.name) {
            // Settings are added to each other.
            Some(each) if given.name == "--each" => {
                let has_time = given
                    .words
                    .iter()
                    .any(|word| word.starts_with("st=") || word.starts_with("tc="));
                let time = each.words.get(1).cloned().filter(|_| !has_time);
                each.words = given.words.into_iter().chain(time).collect();
            }
            Some(field) => *field = given,
            None => all.push(given),
        }
    }
    Ok(all)
}

fn checked_seconds(seconds: f64) -> Result<f64, String> {
    if (0.001..=MAX_SECONDS).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(format!(
            "The time of a move is from 0.001 to {MAX_SECONDS} seconds"
        ))
    }
}

fn finishes(given: &[Given]) -> bool {
    given.iter().any(|given| given.name == "--finish-games")
}

fn flat(given: &[Given]) -> impl Iterator<Item = OsString> {
    given
        .iter()
        .flat_map(|given| given.words.iter().map(OsString::from))
}

/// The players with these ids. The same player may be there twice.
fn chosen(ids: &[String], offer: &Offer) -> Result<Vec<Known>, String> {
    let all = offer.list();
    let mut found: Vec<Known> = Vec::new();
    for id in ids {
        let known = all.iter().find(|known| known.id == *id);
        let mut known = known
            .cloned()
            .ok_or_else(|| format!("There is no player `{id}`"))?;
        let is_taken = |name: &str| found.iter().any(|other| other.name == name);
        let numbered = (2..).map(|number| format!("{}-{number}", known.name));
        let mut names = std::iter::once(known.name.clone()).chain(numbered);
        known.name = names.find(|name| !is_taken(name)).unwrap_or_default();
        found.push(known);
    }
    Ok(found)
}

fn engines(all: Vec<Known>) -> impl Iterator<Item = OsString> {
    all.into_iter().flat_map(|known| {
        let settings = Settings {
            name: Some(known.name),
            ..known.settings
        };
        std::iter::once("--engine".to_string())
            .chain(settings.words())
            .map(OsString::from)
    })
}

/// The option of the game.
fn game_words(offer: &Offer) -> Words {
    if offer.rules.words().is_empty() {
        return vec!["--variant".into(), offer.rules.to_string().into()];
    }
    let words = offer.rules.words().iter().map(OsString::from);
    std::iter::once("--rules".into()).chain(words).collect()
}

/// A command as a user would type it.
fn shown(words: &[OsString]) -> String {
    let words = words.iter().map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("referee".to_string())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "=._-/+:,@%".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    shlex::try_quote(word).map_or_else(|_| word.into(), Into::into)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use referee::config::cli;

    use super::*;

    /// What `referee serve` with these words offers.
    fn offer(folder: &Path, words: &[&str]) -> Offer {
        let typed = ["referee", "serve"].iter().chain(words).map(OsString::from);
        let Ok(cli::Cli {
            command: Some(cli::Command::Serve(args)),
            ..
        }) = command_line(typed)
        else {
            panic!("{words:?}");
        };
        let mut offer = Offer::new(&args).unwrap();
        offer.results = folder.into();
        offer
    }

    fn form(players: &[&str], words: &str) -> MatchForm {
        MatchForm {
            players: players.iter().map(ToString::to_string).collect(),
            words: words.into(),
            ..MatchForm::default()
        }
    }

    #[test]
    fn fields_and_options_make_one_command() {
        let folder = Path::new("r");
        let offer = offer(
            folder,
            &["--engine", "cmd=squares", "name=my bot", "option.Seed=3"],
        );
        let mut form = form(
            &["program:my bot", "level:hard", "builtin:random", "builtin:random"],
            "--games 6 --each depth=3 --finish-games",
        );
        form.format = Some("swiss".into());
        form.games = Some(2);
        form.seconds = Some(0.25);
        form.concurrency = Some(2);
        form.openings = Some(4);
        let made = command(&Form::Match(form.clone()), &offer, "a").unwrap();
        assert_eq!(
            made.shown.replace('\\', "/"),
            "referee match --variant magnetic-cave --engine cmd=squares 'name=my bot' option.Seed=3 --engine cmd=lodestone \
             name=hard st=0.1 --engine cmd=random name=random --engine cmd=random name=random-2 --skip-broken --format=swiss --games=6 --each \
             depth=3 st=0.25 --concurrency=2 --openings=random:4 --finish-games --out r/a.jsonl"
        );
        assert!(made.finishes_games);
        assert_eq!(made.words[made.words.len() - 1], "--json-moves");
        form.words = "--each tc=60+1 --format gauntlet seeds=2 --openings random:8".into();
        let made = command(&Form::Match(form), &offer, "a").unwrap().shown;
        let part =
            "--format=gauntlet seeds=2 --games=2 --each tc=60+1 --concurrency=2 --openings=random:8 --out";
        assert!(made.contains(part), "{made}");
    }

    #[test]
    fn wrong_forms_are_refused_with_sentences() {
        let offer = offer(Path::new("r"), &[]);
        let error = |form: MatchForm| command(&Form::Match(form), &offer, "a").unwrap_err();
        let two = ["builtin:random", "builtin:squares"];
        for (words, part) in [
            (
                "--games 0",
                "invalid value '0' for '--games <N>': expected a whole number of at least 1",
            ),
            ("--each tc=1/", "invalid value"),
            ("--each st=1 tc=2", "exclude each other"),
            ("--each option.Hash=1 option.Hash=2", "given twice"),
            ("--settle 3", "unexpected argument '--settle"),
            ("--format cup", "cup"),
            ("--record x", "invalid value 'x' for '--record"),
            ("--each", "--each"),
        ] {
            let error = error(form(&two, words));
            assert!(
                error.contains(part) && !error.contains('\n') && !error.contains("Usage"),
                "{words}: {error}"
            );
        }
        let wrong = |change: fn(&mut MatchForm)| {
            let mut form = form(&two, "");
            change(&mut form);
            error(form)
        };
        assert!(wrong(|form| form.seconds = Some(f64::NAN)).starts_with("The time of a move is from 0.001"));
        assert!(
            wrong(|form| form.format = Some("swiss --log x".into())).starts_with("--format: expected words")
        );
        assert!(wrong(|form| form.format = Some("swiss\0--log".into())).contains("control character"));
        assert!(wrong(|form| form.games = Some(0)).contains("at least 1"));
        assert!(
            wrong(|form| form.players = vec!["builtin:random".into(); 201])
                .starts_with("201 players are too many")
        );
    }

    #[test]
    fn an_analysis_reads_only_files_of_the_folder() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("games.jsonl"), "{}\n").unwrap();
        let offer = offer(folder.path(), &[]);
        let made = |file: &str, player: &str| {
            let form = AnalysisForm {
                file: file.into(),
                player: player.into(),
                seconds: 0.5,
                game: Some(3),
            };
            command(&Form::Analysis(form), &offer, "a")
        };
        let words = made("games.jsonl", "level:master").unwrap().shown;
        assert!(
            words.contains("games.jsonl --game=3 --engine cmd=lodestone name=master st=0.5 --out "),
            "{words}"
        );
        for file in ["../games.jsonl", "/etc/passwd", "missing.jsonl", ""] {
            assert!(
                made(file, "level:master")
                    .unwrap_err()
                    .starts_with("There is no result file"),
                "{file}"
            );
        }
        assert!(made("games.jsonl", "human").is_err());
    }
}
