//! Our command for one of fastchess, cutechess-cli or c-chess-cli.

use super::other_programs::OPTIONS;
use crate::io::shell;
use crate::io::suggest::unknown;

/// The program that a command belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Fastchess,
    Cutechess,
    CChess,
}

impl Program {
    /// The program with this path.
    fn of(path: &str) -> Program {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.starts_with("cutechess") {
            Program::Cutechess
        } else if name.starts_with("c-chess") {
            Program::CChess
        } else {
            Program::Fastchess
        }
    }

    /// The defaults of `-games` and `-rounds`.
    const fn games_and_rounds(self) -> [u64; 2] {
        match self {
            Program::Fastchess => [2, 2],
            Program::Cutechess | Program::CChess => [1, 1],
        }
    }
}

/// A translated command.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Translation {
    /// The words of our command, from `referee` on.
    pub words: Vec<String>,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
}

impl Translation {
    /// The command as one line for a shell.
    #[must_use]
    pub fn line(&self) -> String {
        shell::join(&self.words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// Translates a command. Its first word may be the program.
///
/// # Errors
/// A word is no option of these programs, or a value is missing or wrong.
pub fn translate(words: &[String]) -> Result<Translation, String> {
    let (program, words) = match words {
        [first, rest @ ..] if !first.starts_with('-') => (Program::of(first), rest),
        words => (Program::Fastchess, words),
    };
    let mut translator = Translator::new(program);
    for (name, values) in options(words)? {
        translator.option(name, values)?;
    }
    Ok(translator.finish())
}

/// Splits a command into options and their values.
fn options(words: &[String]) -> Result<Vec<(&'static str, &[String])>, String> {
    let mut found = Vec::new();
    let mut rest = words;
    while let [first, tail @ ..] = rest {
        let name = option_name(first).ok_or_else(|| match first.strip_prefix('-') {
            Some(name) => {
                let names: Vec<&str> = OPTIONS.iter().map(|(name, ..)| *name).collect();
                let names: Vec<&str> = names.into_iter().filter(|name| !name.contains(' ')).collect();
                unknown("option", name.trim_start_matches('-'), &names)
            }
            None => format!("expected an option such as -engine, found `{first}`"),
        })?;
        let length = tail
            .iter()
            .take_while(|word| option_name(word).is_none() && !is_option(word))
            .count();
        let (values, next) = tail.split_at(length);
        found.push((name, values));
        rest = next;
    }
    Ok(found)
}

/// Whether a word looks like an option: a dash and a letter.
fn is_option(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    name.len() < word.len() && name.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

/// The option that a word names.
fn option_name(word: &str) -> Option<&'static str> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    OPTIONS
        .iter()
        .map(|(option, ..)| *option)
        .find(|option| *option == name)
}

/// Collects our options.
struct Translator {
    program: Program,
    /// Words per option, in the order of our command.
    engines: Vec<Vec<String>>,
    each: Vec<String>,
    rest: Vec<Vec<String>>,
    games: Option<u64>,
    rounds: Option<u64>,
    /// The fields of `--record`.
    record: Vec<&'static str>,
    is_cutechess: bool,
    notes: Vec<String>,
}

impl Translator {
    const fn new(program: Program) -> Translator {
        Translator {
            program,
            engines: Vec::new(),
            each: Vec::new(),
            rest: Vec::new(),
            games: None,
            rounds: None,
            record: Vec::new(),
            is_cutechess: false,
            notes: Vec::new(),
        }
    }

    /// Adds an option of ours, once.
    fn add<const N: usize>(&mut self, words: [&str; N]) {
        self.add_all(words.map(String::from).into());
    }

    fn add_all(&mut self, words: Vec<String>) {
        if !self.rest.contains(&words) {
            self.rest.push(words);
        }
    }

    /// Notes that something is left out; the table says why.
    fn leave_out(&mut self, name: &str) {
        let here = OPTIONS.iter().find(|(option, ..)| *option == name);
        let here = here.map_or("unknown here", |(.., here)| *here);
        let name = name.replace(' ', " … ");
        self.notes.push(format!("-{name}: {here}"));
    }

    fn option(&mut self, name: &'static str, values: &[String]) -> Result<(), String> {
        match name {
            "engine" => {
                let settings = self.settings(values)?;
                self.engines.push(settings);
            }
            "each" => {
                let settings = self.settings(values)?;
                self.each.extend(settings);
            }
            "quick" => self.quick(values),
            "variant" => match lodestone::game::Variant::from_name(one(name, values)?) {
                Some(variant) => self.add(["--variant", variant.name()]),
                None => self
                    .notes
                    .push(format!("-variant {}: chess is not played here", values[0])),
            },
            "tournament" => {
                let format = match one(name, values)? {
                    "roundrobin" => "round-robin",
                    other => other,
                };
                self.add(["--format", format]);
            }
            "gauntlet" => self.add(["--format", "gauntlet"]),
            "games" => self.games = Some(number(name, values)?),
            "rounds" => self.rounds = Some(number(name, values)?),
            "repeat" if self.program == Program::Fastchess => self.games = Some(2),
            "noswap" => self.add(["--no-swap"]),
            "reverse" => self.add(["--reverse"]),
            "seeds" => self.add(["--seeds", one(name, values)?]),
            "srand" => self.add(["--seed", one(name, values)?]),
            "concurrency" => self.add(["--concurrency", one(name, values)?]),
            "wait" => self.add(["--wait", one(name, values)?]),
            "event" => self.add(["--event", one(name, values)?]),
            "site" => self.add(["--site", one(name, values)?]),
            "ratinginterval" => self.add(["--rating-interval", one(name, values)?]),
            "scoreinterval" => self.add(["--score-interval", one(name, values)?]),
            "strict" => self.add(["--strict"]),
            "check-mate-pvs" => self.add(["--check-claims"]),
            "show-latency" => self.record.push("latency"),
            "use-affinity" => match values {
                [] => self.add(["--affinity"]),
                cores => self.add([format!("--affinity={}", cores.join(",")).as_str()]),
            },
            "output" => self.is_cutechess = values.iter().any(|value| value == "format=cutechess"),
            "sprt" => self.list("--sprt", name, values, &[]),
            "draw" => self.list(
                "--draw",
                name,
                values,
                &[("number", "movenumber"), ("count", "movecount")],
            ),
            "resign" => self.list(
                "--resign",
                name,
                values,
                &[("count", "movecount"), ("number", "")],
            ),
            "tb" => self.add(["--prove"]),
            "openings" => self.openings(values)?,
            "pgnout" => self.pgn(values)?,
            "pgn" => {
                let file = values.first().ok_or("-pgn: the file is missing")?;
                self.add(["--pgn", file]);
                if values.get(1).is_none_or(|verbosity| verbosity > &"1".to_string()) {
                    self.record.push("depth");
                }
            }
            "startup-ms" | "ucinewgame-ms" | "ping-ms" => self.start_time(number(name, values)?),
            "log" => self.log(values),
            "debug" => self.add(["--log", "engines.log", "--log-engines"]),
            // The referee does these always.
            "repeat" | "recover" | "force-concurrency" | "report" | "autosaveinterval" | "testEnv" => {}
            other => self.leave_out(other),
        }
        Ok(())
    }

    /// `-quick cmd=ONE cmd=OTHER book=BOOK`.
    fn quick(&mut self, values: &[String]) {
        for value in values {
            match value.split_once('=') {
                Some(("cmd", cmd)) => self.engines.push(vec![format!("cmd={cmd}")]),
                Some(("book", book)) => self.add(["--openings", book]),
                _ => self.notes.push(format!("-quick {value}: unknown here")),
            }
        }
    }

    /// `-log file=NAME level=… engine=…` of fastchess; `-log` alone of c-chess-cli.
    fn log(&mut self, values: &[String]) {
        let value = |key: &str| {
            let pairs = values.iter().filter_map(|value| value.split_once('='));
            pairs
                .into_iter()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value)
        };
        let Some(file) = value("file") else {
            return self.add(["--log", "engines.log", "--log-engines"]);
        };
        match value("compress") {
            Some("true") => self.add(["--log", &format!("{file}.gz")]),
            _ => self.add(["--log", file]),
        }
        let level = match value("level").unwrap_or("warn") {
            "trace" => "debug",
            "info" => "info",
            "err" | "fatal" => "error",
            _ => "warn",
        };
        self.add(["--log-level", level]);
        if value("engine") == Some("true") {
            self.add(["--log-engines"]);
        }
    }

    /// The longest of several times to start, for all engines.
    fn start_time(&mut self, ms: u64) {
        const KEY: &str = "starttime=";
        let old = self.each.iter().position(|word| word.starts_with(KEY));
        let old = old.map(|place| self.each.remove(place));
        let old = old.and_then(|word| word[KEY.len()..].parse::<f64>().ok());
        let seconds = (ms.max(1) as f64 / 1000.0).max(old.unwrap_or(0.0));
        self.each.push(format!("{KEY}{seconds}"));
    }

    /// Settings of an engine.
    fn settings(&mut self, values: &[String]) -> Result<Vec<String>, String> {
        let mut settings = Vec::new();
        let mut arguments: Vec<String> = Vec::new();
        for value in values {
            let (key, text) = value.split_once('=').unwrap_or((value.as_str(), ""));
            match key {
                "cmd" if self.program == Program::CChess && text.contains(' ') => {
                    // The command holds arguments.
                    let (program, rest) = text.split_once(' ').unwrap_or((text, ""));
                    settings.push(format!("cmd={program}"));
                    arguments.push(rest.to_string());
                }
                "cmd" | "name" | "dir" | "timemargin" | "st" | "depth" | "nodes" | "stderr" => {
                    settings.push(format!("{key}={text}"));
                }
                "plies" => settings.push(format!("depth={text}")),
                "movetime" => settings.push(format!("st={text}")),
                "args" => arguments.push(text.to_string()),
                "arg" => arguments.push(shell::quoted(text)),
                "proto" if text == "uci" => {}
                "proto" => self
                    .notes
                    .push(format!("{value}: the protocols here are uci and ugi")),
                "restart" if text == "on" => settings.push("restart=on".into()),
                "restart" => {}
                "ponder" => self.add(["--ponder"]),
                "tc" if text == "inf" => {
                    self.notes
                        .push("tc=inf: an engine has a time limit here; add st=SECONDS".into());
                }
                "tc" => settings.push(format!("tc={}", seconds_only(text)?)),
                _ if key.starts_with("option.") => settings.push(value.clone()),
                _ => {
                    let name = format!("engine {key}");
                    if !OPTIONS.iter().any(|(option, ..)| *option == name) {
                        return Err(format!("`{value}` is no setting of an engine"));
                    }
                    self.leave_out(&name);
                }
            }
        }
        if !arguments.is_empty() {
            settings.push(format!("args={}", arguments.join(" ")));
        }
        Ok(settings)
    }

    /// A list of `KEY=VALUE`, some keys with other names here; an empty name is left out.
    fn list(&mut self, ours: &str, name: &str, values: &[String], renamed: &[(&str, &str)]) {
        let mut words = vec![ours.to_string()];
        for value in values {
            let (key, text) = value.split_once('=').unwrap_or((value.as_str(), ""));
            match renamed.iter().find(|(theirs, _)| *theirs == key) {
                Some((_, "")) => self.notes.push(format!("-{name} {value}: not available")),
                Some((_, key)) => words.push(format!("{key}={text}")),
                None => words.push(value.clone()),
            }
        }
        self.add_all(words);
    }

    fn openings(&mut self, values: &[String]) -> Result<(), String> {
        let mut words = vec!["--openings".to_string()];
        let mut keys = Vec::new();
        for value in values {
            match value.split_once('=') {
                Some(("file", file)) => words.push(file.to_string()),
                Some(("order" | "plies" | "start", _)) => keys.push(value.clone()),
                Some(("srand", seed)) => self.add(["--seed", seed]),
                Some(("format", "epd" | "pgn")) => self.notes.push(format!(
                    "-openings {value}: chess positions cannot be played; the file must be a book of this game"
                )),
                Some(("policy", _)) => self.leave_out("openings policy"),
                _ => return Err(format!("-openings: `{value}` is no key of it")),
            }
        }
        if words.len() != 2 {
            return Err("-openings: `file=FILE` is missing".into());
        }
        words.extend(keys);
        self.add_all(words);
        Ok(())
    }

    fn pgn(&mut self, values: &[String]) -> Result<(), String> {
        let mut file = None;
        self.record.push("depth");
        for value in values {
            match value.split_once('=') {
                None if file.is_none() => file = Some(value.as_str()),
                Some(("file", path)) => file = Some(path),
                Some((key, "true")) if key != "append" => {
                    let fields = [
                        "nodes", "seldepth", "nps", "hashfull", "pv", "timeleft", "latency",
                    ];
                    match fields.into_iter().find(|field| *field == key) {
                        Some(field) => self.record.push(field),
                        None if key == "min" => self.record.clear(),
                        None => self.leave_out(&format!("pgnout {key}")),
                    }
                }
                None if value == "min" => self.record.clear(),
                Some(("match_line", _)) => self.leave_out("pgnout match_line"),
                _ => {}
            }
        }
        let file = file.ok_or("-pgnout: the file is missing")?;
        self.add(["--pgn", file]);
        Ok(())
    }

    fn finish(mut self) -> Translation {
        let mut words: Vec<String> = ["referee", "match"].map(String::from).into();
        for settings in self.engines {
            words.push("--engine".into());
            words.extend(settings);
        }
        if !self.each.is_empty() {
            words.push("--each".into());
            words.extend(self.each);
        }
        let [games, rounds] = self.program.games_and_rounds();
        let games = self
            .games
            .unwrap_or(games)
            .saturating_mul(self.rounds.unwrap_or(rounds));
        words.extend(["--games".into(), games.to_string()]);
        words.extend(self.rest.into_iter().flatten());
        if self.is_cutechess {
            words.extend(["--output", "cutechess"].map(String::from));
        }
        self.record.sort_unstable();
        self.record.dedup();
        if !self.record.is_empty() {
            words.extend(["--record".into(), self.record.join(",")]);
        }
        Translation {
            words,
            notes: self.notes,
        }
    }
}

/// The only value of an option.
fn one<'a>(name: &str, values: &'a [String]) -> Result<&'a str, String> {
    match values {
        [value] => Ok(value),
        [] => Err(format!("-{name}: the value is missing")),
        [_, second, ..] => Err(format!("-{name}: `{second}` is too much")),
    }
}

fn number(name: &str, values: &[String]) -> Result<u64, String> {
    let value = one(name, values)?;
    value
        .parse()
        .map_err(|_| format!("-{name}: expected a number, found `{value}`"))
}

/// A time control with its minutes as seconds: `40/1:30+1` is `40/90+1`.
fn seconds_only(text: &str) -> Result<String, String> {
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (format!("{moves}/"), rest),
        None => (String::new(), text),
    };
    let (time, increment) = match rest.split_once('+') {
        Some((time, increment)) => (time, format!("+{increment}")),
        None => (rest, String::new()),
    };
    let Some((minutes, seconds)) = time.split_once(':') else {
        return Ok(text.to_string());
    };
    let parsed = (minutes.parse::<f64>(), seconds.parse::<f64>());
    let (Ok(minutes), Ok(seconds)) = parsed else {
        return Err(format!("tc={text}: expected MOVES/MINUTES:SECONDS+INCREMENT"));
    };
    let seconds = minutes * 60.0 + seconds;
    Ok(format!("{moves}{seconds}{increment}"))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::config::{self, CommandLineError};

    /// The translation of a line, which the referee accepts.
    fn translated(line: &str) -> (String, Vec<String>) {
        let translation = translate(&shlex::split(line).unwrap()).unwrap();
        let line = translation.line();
        let words = shlex::split(&line).unwrap();
        assert_eq!(words, translation.words, "{line}");
        if let Err(CommandLineError::Clap(error)) =
            config::command_line(words.into_iter().map(OsString::from))
        {
            panic!("{line}\n{error}");
        }
        (line, translation.notes)
    }

    #[test]
    #[cfg(unix)] // other shells have other quotes
    fn commands_of_the_three_programs() {
        for (theirs, ours) in [
            (
                "fastchess -engine cmd=./new name=new -engine cmd=./old args='-a \"b c\"' -each tc=10+0.1 \
                 option.Hash=64 -rounds 50 -repeat -concurrency 2 -openings file=book.txt order=random start=3 \
                 -resign movecount=3 score=600 twosided=true -draw movenumber=34 movecount=8 score=20 -recover \
                 -sprt elo0=0 elo1=2 alpha=0.05 beta=0.05 model=logistic -use-affinity 3,5,7-11 -strict \
                 -pgnout file=games.pgn nodes=true pv=true append=false -srand 7 -output format=cutechess",
                "referee match --engine cmd=./new name=new --engine cmd=./old 'args=-a \"b c\"' --each tc=10+0.1 \
                 option.Hash=64 --games 100 --concurrency 2 --openings book.txt order=random start=3 \
                 --resign movecount=3 score=600 twosided=true --draw movenumber=34 movecount=8 score=20 \
                 --sprt elo0=0 elo1=2 alpha=0.05 beta=0.05 model=logistic --affinity=3,5,7-11 --strict \
                 --pgn games.pgn --seed 7 --output cutechess --record depth,nodes,pv",
            ),
            (
                "/usr/bin/cutechess-cli -engine cmd=a arg=x arg='y z' proto=uci restart=on ponder -engine cmd=b \
                 stderr=b.log -each tc=40/1:30+1 timemargin=50 -games 2 -rounds 10 -repeat 2 \
                 -tournament round-robin -event 'My Cup' -site Here -noswap -wait 100 -ratinginterval 20 \
                 -pgnout games.pgn min -tb /tables",
                "referee match --engine cmd=a restart=on 'args=x '\"'\"'y z'\"'\"'' --engine cmd=b stderr=b.log \
                 --each tc=40/90+1 timemargin=50 --games 20 --ponder --format round-robin --event 'My Cup' \
                 --site Here --no-swap --wait 100 --rating-interval 20 --pgn games.pgn --prove",
            ),
            (
                "c-chess-cli -each movetime=0.5 -engine cmd='demo -x 1' -engine cmd=b depth=11 -games 1920 \
                 -gauntlet -openings file=f.txt srand=4 -resign count=3 score=700 -draw number=40 count=8 score=10 \
                 -pgn out.pgn 1",
                "referee match --engine cmd=demo 'args=-x 1' --engine cmd=b depth=11 --each st=0.5 --games 1920 \
                 --format gauntlet --seed 4 --openings f.txt --resign movecount=3 score=700 \
                 --draw movenumber=40 movecount=8 score=10 --pgn out.pgn",
            ),
            (
                "-quick cmd=a cmd=b book=c.txt -startup-ms 20000 -ping-ms 500 -show-latency -log file=l level=err engine=true compress=true",
                "referee match --engine cmd=a --engine cmd=b --each starttime=20 --games 4 --openings c.txt \
                 --log l.gz --log-level error --log-engines --record latency",
            ),
        ] {
            let (line, notes) = translated(theirs);
            let expected = ours.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(shlex::split(&line), shlex::split(&expected), "{line}");
            assert!(notes.is_empty(), "{notes:?}");
        }
    }

    #[test]
    fn what_is_left_out_is_noted() {
        let (line, notes) = translated(
            "-engine cmd=a whitepov tc=inf -engine cmd=b proto=xboard -variant fischerandom -epdout file=x \
             -openings file=b.epd format=epd",
        );
        assert_eq!(
            line,
            "referee match --engine cmd=a --engine cmd=b --games 4 --openings b.epd"
        );
        for (note, start) in notes.iter().zip([
            "-engine … whitepov: not available: ",
            "tc=inf: ",
            "proto=xboard: ",
            "-variant fischerandom: ",
            "-epdout: not available: ",
            "-openings format=epd: ",
        ]) {
            assert!(note.starts_with(start), "{note}");
        }
        assert_eq!(notes.len(), 6);
    }

    #[test]
    fn every_option_is_translated_or_noted() {
        for (name, ..) in OPTIONS.iter().filter(|(name, ..)| !name.contains(' ')) {
            let value = match *name {
                "engine" | "each" | "quick" => "cmd=a",
                "openings" => "file=a",
                "sprt" => "elo0=0 elo1=5",
                "draw" | "resign" => "movecount=1 score=1",
                "tournament" => "gauntlet",
                "noswap" | "reverse" | "strict" | "recover" | "repeat" | "gauntlet" | "show-latency"
                | "check-mate-pvs" | "force-concurrency" | "testEnv" | "use-affinity" => "",
                _ => "3",
            };
            let (line, notes) = translated(&format!("-{name} {value}"));
            assert!(line.starts_with("referee match"), "{line}");
            let is_silent = [
                "repeat",
                "recover",
                "force-concurrency",
                "report",
                "autosaveinterval",
                "testEnv",
            ]
            .contains(name);
            let is_games = ["games", "rounds", "output"].contains(name);
            let is_translated = line != "referee match --games 4" || !notes.is_empty();
            assert!(is_translated || is_silent || is_games, "-{name}: {line}");
        }
    }

    #[test]
    fn errors_name_the_word() {
        let error = |line: &str| translate(&shlex::split(line).unwrap()).unwrap_err();
        assert!(error("-enigne cmd=a").starts_with("unknown option `enigne`; did you mean `engine`?"));
        assert_eq!(error("-games"), "-games: the value is missing");
        assert_eq!(error("-games 2 3"), "-games: `3` is too much");
        assert_eq!(error("-games x"), "-games: expected a number, found `x`");
        assert_eq!(error("-engine cmdd=a"), "`cmdd=a` is no setting of an engine");
        assert_eq!(
            error("-openings order=random"),
            "-openings: `file=FILE` is missing"
        );
        assert_eq!(error("-pgnout append=true"), "-pgnout: the file is missing");
        assert_eq!(
            error("fastchess cmd=a"),
            "expected an option such as -engine, found `cmd=a`"
        );
        assert!(error("-each tc=1:x").starts_with("tc=1:x: expected"));
    }
}
