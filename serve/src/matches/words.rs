//! The words of the command that does what a form asks for. They hold only players and rules that the
//! command line of the server names, and options that were checked.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use referee::{Settings, command_line};
use referee_core::game::clock::TimeControl;

use super::form::{AnalysisForm, Form, MatchForm, result_path};
use super::options::{self, sentence};
use crate::files;
use crate::known::{KnownKind, KnownPlayer, OfferedPlayers};

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
pub fn command(form: &Form, offer: &OfferedPlayers, stem: &str) -> Result<Command, String> {
    let (given, most) = match form {
        Form::Match(form) => (form.players.len(), MAX_PLAYERS),
        Form::Ladder(form) => (form.players.len(), MAX_PLAYERS + offer.submissions().len()),
        Form::Analysis(_) => (1, 1),
    };
    if given > most {
        return Err(format!(
            "{given} players are too many; a page may start {most}. Start larger matches on the command line: \
             `referee match --engines FOLDER`"
        ));
    }
    let out = result_path(&offer.results, stem);
    let offer = &offer.continuing(&out);
    let mut words = match form {
        Form::Match(form) if form.players.len() < 2 => {
            return Err("A match needs two or more players".into());
        }
        Form::Match(form) => match_words(form, offer)?,
        Form::Ladder(form) => ladder_words(form, offer)?,
        Form::Analysis(form) => analysis_words(form, offer)?,
    };
    let mut all: Vec<OsString> = vec![form.subcommand().into()];
    all.append(&mut words);
    all.extend(["--out".into(), out.into_os_string()]);
    let shown = shown(&all);
    let is_analysis = matches!(form, Form::Analysis(_));
    all.push(if is_analysis { "--json" } else { "--json-moves" }.into());
    let typed = std::iter::once("referee".into()).chain(all.clone());
    let cli = command_line(typed).map_err(|error| sentence(&error))?;
    options::check(&cli)?;
    Ok(Command {
        finishes_games: all.iter().any(|word| word == "--finish-games"),
        words: all,
        shown,
    })
}

type Words = Vec<OsString>;

fn match_words(form: &MatchForm, offer: &OfferedPlayers) -> Result<Words, String> {
    let given = options_of(form, "match")?;
    let known = speaking(form, chosen(&form.players, offer)?);
    let words = game_words(offer)
        .into_iter()
        .chain(engines(known))
        .chain(given.into_iter().map(OsString::from));
    Ok(words.collect())
}

fn ladder_words(form: &MatchForm, offer: &OfferedPlayers) -> Result<Words, String> {
    let folder = offer
        .ladder_folder()
        .ok_or("A ladder is for a folder of submissions; start the server with `--engines FOLDER`")?;
    let given = options_of(form, "ladder")?;
    let submissions = offer.submissions();
    let is_submission = |known: &KnownPlayer| submissions.contains(&known.settings);
    let (own, beside): (Vec<_>, Vec<_>) = chosen(&form.players, offer)?.into_iter().partition(is_submission);
    // Without a choice, or if all are chosen, the ladder takes later submissions, too.
    let own = own.into_iter().filter_map(|known| known.settings.name);
    let own: BTreeSet<String> = own.collect();
    let only = own.iter().filter(|_| own.len() < submissions.len());
    // A path that begins with a hyphen would be an option.
    let mut words: Words = vec![Path::new(".").join(folder).into_os_string()];
    words.extend(game_words(offer));
    words.extend(offer.wrapper_words());
    words.extend(offer.sandbox_words());
    words.extend(only.map(|name| format!("--only={name}").into()));
    words.extend(engines(speaking(form, beside)));
    words.extend(given.into_iter().map(OsString::from));
    Ok(words)
}

fn analysis_words(form: &AnalysisForm, offer: &OfferedPlayers) -> Result<Words, String> {
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

/// The options of a form: those of its fields, and those of its text.
fn options_of(form: &MatchForm, subcommand: &str) -> Result<Vec<String>, String> {
    let is_match = subcommand == "match";
    let seconds = form.seconds.map(checked_seconds).transpose()?;
    let openings = form.openings.filter(|plies| *plies > 0);
    let format = form.format.as_ref().filter(|_| is_match);
    let each = [
        seconds.map(|seconds| format!("st={seconds}")),
        form.proto.as_ref().map(|proto| format!("proto={proto}")),
    ];
    let each: Vec<String> = each.into_iter().flatten().collect();
    let fields = [
        // A broken submission should not keep the others from playing.
        is_match.then(|| "--skip-broken".into()),
        format.map(|format| format!("--format={format}")),
        form.games.map(|games| format!("--games={games}")),
        form.concurrency.map(|games| format!("--concurrency={games}")),
        openings.map(|plies| format!("--openings=random:{plies}")),
    ];
    let has_each = !each.is_empty();
    let each = has_each.then(|| "--each".to_string()).into_iter().chain(each);
    let words = options::read(&form.words)?;
    let has = |option: &str| words.iter().any(|word| word.split('=').next() == Some(option));
    if has_each && has("--each") {
        return Err(
            "Settings for each player are chosen twice: for --each, empty the seconds per move, and leave the \
             protocol as each program is set"
                .into(),
        );
    }
    if format.is_some() && has("--format") {
        return Err(
            "The format is chosen twice: for --format, choose the format “As in the options below”".into(),
        );
    }
    let all: Vec<String> = each.chain(fields.into_iter().flatten()).chain(words).collect();
    // NUL separates the words of lists inside a command.
    if all.iter().any(|word| word.chars().any(char::is_control)) {
        return Err("The options contain a control character".into());
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

/// The players with these ids. The same player may be there twice.
fn chosen(ids: &[String], offer: &OfferedPlayers) -> Result<Vec<KnownPlayer>, String> {
    let all = offer.list();
    let mut found: Vec<KnownPlayer> = Vec::new();
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

/// Players that are no programs keep their protocol if the form has another one for all others.
fn speaking(form: &MatchForm, mut all: Vec<KnownPlayer>) -> Vec<KnownPlayer> {
    let built_in = all
        .iter_mut()
        .filter(|known| matches!(known.kind, KnownKind::Level | KnownKind::Builtin));
    for known in built_in.filter(|_| form.proto.is_some()) {
        known.settings.proto.get_or_insert_default();
    }
    all
}

fn engines(all: Vec<KnownPlayer>) -> impl Iterator<Item = OsString> {
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
fn game_words(offer: &OfferedPlayers) -> Words {
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
pub(super) mod tests {
    use sentences::{assert_has, assert_rows, expect};
    use std::fs;

    use referee::{Cli, Command as ParsedCommand, ServeArgs};

    use super::*;

    /// The command line `referee serve` with these words.
    pub fn serve_args(words: &[&str]) -> ServeArgs {
        let typed = ["referee", "serve"].iter().chain(words).map(OsString::from);
        let Ok(Cli {
            command: Some(ParsedCommand::Serve(args)),
            ..
        }) = command_line(typed)
        else {
            panic!("{words:?}");
        };
        *args
    }

    /// What `referee serve` with these words offers.
    fn offer(folder: &Path, words: &[&str]) -> OfferedPlayers {
        let mut offer = OfferedPlayers::new(&serve_args(words)).unwrap();
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
            "--seed 6 --finish-games",
        );
        form.format = Some("swiss".into());
        form.games = Some(2);
        form.seconds = Some(0.25);
        form.concurrency = Some(2);
        form.openings = Some(1);
        let made = command(&Form::Match(form.clone()), &offer, "a").unwrap();
        expect! {"referee match --variant magnetic-cave --engine cmd=squares 'name=my bot' option.Seed=3 --engine cmd=lodestone name=hard st=0.1 --engine cmd=random name=random --engine cmd=random name=random-2 --each st=0.25 --skip-broken --format=swiss --games=2 --concurrency=2 --openings=random:1 --seed 6 --finish-games --out r/a.jsonl"}.assert_eq(&made.shown.replace('\\', "/"));
        assert!(made.finishes_games);
        assert_eq!(made.words[made.words.len() - 1], "--json-moves");
        form.proto = Some("gtp".into());
        let made = command(&Form::Match(form.clone()), &offer, "a").unwrap().shown;
        let part = "'name=my bot' option.Seed=3 --engine cmd=lodestone name=hard proto=uci st=0.1 --engine cmd=random \
                    name=random proto=uci";
        assert!(
            made.contains(part) && made.contains(" --each st=0.25 proto=gtp --skip"),
            "{made}"
        );
        form.proto = Some("gpt".into());
        let error = command(&Form::Match(form.clone()), &offer, "a").unwrap_err();
        assert!(error.contains("expected `uci`, `ugi`, `gtp`"), "{error}");
        form.proto = Some("gtp\0cmd=x".into());
        let error = command(&Form::Match(form.clone()), &offer, "a").unwrap_err();
        assert!(error.contains("control character"), "{error}");
        (form.seconds, form.format, form.proto) = (None, None, None);
        form.words = "--each tc=60+1 --format gauntlet seeds=2".into();
        let made = command(&Form::Match(form), &offer, "a").unwrap().shown;
        let part = "--skip-broken --games=2 --concurrency=2 --openings=random:1 --each tc=60+1 --format gauntlet seeds=2 --out";
        assert!(made.contains(part), "{made}");
    }

    #[test]
    fn wrong_forms_are_refused_with_sentences() {
        let offer = offer(Path::new("r"), &[]);
        let error = |form: MatchForm| command(&Form::Match(form), &offer, "a").unwrap_err();
        let two = ["builtin:random", "builtin:squares"];
        let table = expect![[r#"
            --max-plies 0 | invalid value '0' for '--max-plies <N>': expected a whole number of at least 1
            --each tc=1/ | invalid value
            --each st=1 tc=2 | cannot be combined
            --each option.Hash=1 option.Hash=2 | given twice
            --each "st=1NULcmd=x" | control character
            --settle 3 | unexpected argument '--settle
            --format cup | cup
            --record x | invalid value 'x' for '--record
            --each | --each
        "#]];
        assert_rows(table, |[words]| {
            let error = error(form(&two, &words.replace("NUL", "\0")));
            assert!(
                !error.contains('\n') && !error.contains("Usage"),
                "{words}: {error}"
            );
            error
        });
        let wrong = |change: fn(&mut MatchForm)| {
            let mut form = form(&two, "");
            change(&mut form);
            error(form)
        };
        assert_has(
            wrong(|form| form.seconds = Some(f64::NAN)),
            expect! {"The time of a move is from 0.001"},
        );
        assert!(wrong(|form| form.format = Some("swiss --log x".into())).contains("'swiss --log x'"));
        assert!(wrong(|form| form.format = Some("swiss\0--log".into())).contains("control character"));
        assert!(wrong(|form| form.games = Some(0)).contains("at least 1"));
        let twice = |change: fn(&mut MatchForm), words: &str| {
            let mut form = form(&two, words);
            change(&mut form);
            error(form)
        };
        assert_has(
            twice(|form| form.seconds = Some(1.0), "--each depth=3"),
            expect! {"Settings for each player are chosen twice"},
        );
        assert_has(
            twice(|form| form.format = Some("swiss".into()), "--format=gauntlet"),
            expect! {"The format is chosen twice"},
        );
        assert_has(
            wrong(|form| form.players = vec!["builtin:random".into(); 201]),
            expect! {"201 players are too many"},
        );
    }

    #[test]
    fn a_ladder_is_for_the_first_folder_and_has_the_game_of_the_server() {
        let folder = tempfile::TempDir::new().unwrap();
        let [first, second] = ["b", "a"].map(|name| {
            let bot = folder.path().join(name).join(format!("bot-{name}"));
            fs::create_dir_all(&bot).unwrap();
            fs::write(bot.join("adapt.toml"), "").unwrap();
            format!("--engines={}", folder.path().join(name).to_str().unwrap())
        });
        let offer = offer(folder.path(), &[&first, &second, "--variant=gridlock"]);
        let made = command(&Form::Ladder(form(&[], "")), &offer, "a").unwrap();
        assert_eq!(made.words[1], folder.path().join("b"));
        assert_eq!(made.words[2..4], ["--variant", "gridlock"]);
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
        assert_has(
            &words,
            expect! {"games.jsonl --game=3 --engine cmd=lodestone name=master st=0.5 --out"},
        );
        for file in ["../games.jsonl", "/etc/passwd", "missing.jsonl", ""] {
            assert_has(
                made(file, "level:master").unwrap_err(),
                expect! {"There is no result file"},
            );
        }
        assert!(made("games.jsonl", "human").is_err());
    }
}
