//! `referee rules`: checks a rules program, or compares two.

use std::process::ExitCode;
use std::time::Duration;

use lodestone::engine::Options;
use lodestone::game::Variant;
use lodestone::personality;
use lodestone::protocol::Dialect;

use super::install_interrupt;
use crate::config::cli::RulesArgs;
use crate::config::roster;
use crate::config::settings::{SEPARATOR, Settings};
use crate::game::clock::parse_seconds;
use crate::io::failure::Failure;
use crate::io::key_values::wrong_value;
use crate::io::progress::Task;
use crate::io::text::{counted, printable};
use crate::rules::check;
use crate::rules::compare::{self, Comparison};
use crate::rules::{DEFAULT_TIMEOUT, GamesPlan, RulesError, RulesProgram};

/// The exit status when a check has failed, or the programs differ.
const UNFIT: u8 = 1;

/// Settings of players that mean nothing to a rules program.
const OF_PLAYERS: [&str; 7] = [
    "st=",
    "tc=",
    "depth=",
    "nodes=",
    "timemargin=",
    "restart=",
    "proto=",
];

/// Checks one program, or compares two.
pub fn run(args: &RulesArgs) -> Result<ExitCode, Failure> {
    let described = described(&args.programs).map_err(Failure::Usage)?;
    let settings: Vec<Settings> = described.iter().map(|(settings, _)| settings.clone()).collect();
    let players = roster::resolve(&settings, Variant::default())?;
    let specs: Vec<_> = players.into_iter().filter_map(|player| player.spec).collect();
    if specs.len() != settings.len() {
        return Err(Failure::Usage(
            "`human` is a person; name a program with the rules of a game".into(),
        ));
    }
    let plan = GamesPlan {
        games: args.games.get(),
        seed: args.seed,
        max_plies: usize::try_from(args.max_plies.get()).unwrap_or(usize::MAX),
    };
    let interrupt = install_interrupt()?;
    let task = Task::start("games", 0, plan.games);
    let mut programs = Vec::new();
    for (spec, (_, timeout)) in specs.into_iter().zip(&described) {
        let process = roster::start_rules(&spec, &interrupt)?;
        match RulesProgram::probe(spec.name.clone(), process, *timeout) {
            Ok(program) => programs.push(program),
            Err(error) => return failed(&task, error),
        }
    }
    let mut is_good = true;
    match <[RulesProgram; 2]>::try_from(programs) {
        Ok(mut pair) => {
            let compared = match compare::compare(&mut pair, plan, |games| task.set(games)) {
                Ok(compared) => compared,
                Err(error) => return failed(&task, error),
            };
            is_good = compared.difference.is_none();
            task.print(&compared_text(&compared, &mut pair))?;
            pair.into_iter().for_each(RulesProgram::dismiss);
        }
        Err(programs) => {
            for mut program in programs {
                is_good &= check_one(&mut program, plan, &task)?;
                program.dismiss();
            }
        }
    }
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(UNFIT)
    })
}

/// Checks a program and prints the report. Returns whether it is fit.
fn check_one(program: &mut RulesProgram, plan: GamesPlan, task: &Task) -> Result<bool, Failure> {
    task.print(&format!("Rules: {}", program.name))?;
    let report = check::check(program, plan, |games| task.set(games))?;
    report.lines.iter().try_for_each(|line| task.print(line))?;
    let verdict = if report.is_good {
        "is fit to be the rules of a game"
    } else {
        "has failed"
    };
    task.print(&format!("{} {verdict}.", program.name))?;
    Ok(report.is_good)
}

/// Reports why a program gives no answer.
fn failed(task: &Task, error: RulesError) -> Result<ExitCode, Failure> {
    let text = match error {
        RulesError::Stopped(stop) => return Err(stop.into()),
        RulesError::Fault(fault) => fault.to_string(),
        RulesError::Refused(error) => format!("a program refuses the start position: {error}"),
    };
    task.print(&format!("  FAIL  {text}"))?;
    Ok(ExitCode::from(UNFIT))
}

/// The result of a comparison, for people.
fn compared_text(compared: &Comparison, pair: &mut [RulesProgram; 2]) -> String {
    let [one, other] = [pair[0].name.clone(), pair[1].name.clone()];
    let mut text = String::new();
    if let Some([form, other_form]) = &compared.forms {
        text = format!(
            "The texts of the start position differ, so texts are not compared:\n  {one}: {form}\n  {other}: \
             {other_form}\n"
        );
    }
    let Some(difference) = &compared.difference else {
        let texts = if compared.has_texts {
            ", results and texts"
        } else {
            " and results"
        };
        return format!(
            "{text}{one} and {other} agree on moves, turns{texts}: {} games, {} positions.",
            compared.games, compared.positions
        );
    };
    let moves = counted(difference.line.moves.len(), "move");
    let (label, other_label) = (format!("{one}:"), format!("{other}:"));
    let width = label.chars().count().max(other_label.chars().count());
    let [answer, other_answer] = &difference.answers;
    let position = printable(&difference.line.to_string(), usize::MAX);
    text = format!(
        "{text}{one} and {other} differ after {moves}:\n  {position}\n  {}\n    {label:<width$} {answer}\n    \
         {other_label:<width$} {other_answer}",
        difference.question,
    );
    // Only a picture: without it the line of moves says all.
    let board = pair.iter_mut().find(|program| program.knows_board);
    let board = board.and_then(|program| program.board(&difference.line).ok());
    if let Some(board) = board.filter(|board| !board.is_empty()) {
        text = format!("{text}\n\n{board}");
    }
    text
}

/// The programs that the words of the command line describe, with the time limits of their answers.
pub(super) fn described(words: &[String]) -> Result<Vec<(Settings, Duration)>, String> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for word in words {
        let is_setting = word
            .split_once('=')
            .is_some_and(|(key, _)| key != "cmd" && !key.contains(['/', '.']) || key.starts_with("option."));
        match groups.last_mut() {
            Some(group) if is_setting => group.push(word),
            None if is_setting => {
                return Err(format!(
                    "`{word}` belongs to no program; begin with a program or `cmd=PROGRAM`"
                ));
            }
            _ => groups.push(vec![word]),
        }
    }
    if groups.len() > 2 {
        let programs: Vec<&str> = groups.iter().map(|group| group[0]).collect();
        return Err(format!(
            "expected one or two programs, found {} ({}); arguments of a program are a setting: `args='…'`",
            programs.len(),
            programs.join(", ")
        ));
    }
    groups.iter().map(|group| settings(group)).collect()
}

/// One program: its first word, then settings.
fn settings(group: &[&str]) -> Result<(Settings, Duration), String> {
    let (first, rest) = group
        .split_first()
        .map_or(("", group), |(first, rest)| (*first, rest));
    let command = first.strip_prefix("cmd=").unwrap_or(first);
    let mut timeout = DEFAULT_TIMEOUT;
    let mut words = vec![format!("cmd={command}")];
    for word in rest {
        if let Some(value) = word.strip_prefix("timeout=") {
            timeout = parse_seconds(value).map_err(|why| wrong_value("timeout", value, &why))?;
        } else if let Some(key) = OF_PLAYERS.iter().find(|key| word.starts_with(**key)) {
            return Err(format!(
                "`{key}…` is for players; a rules program has `timeout=SECONDS` for an answer, args, dir, name, \
                 option.NAME, starttime and sandbox"
            ));
        } else {
            words.push((*word).to_string());
        }
    }
    let game = Variant::ALL.iter().find(|variant| variant.name() == command);
    if let Some(game) = game {
        words[0] = format!("cmd={}", personality::DEFAULT);
        words.push(format!("option.{}={game}", Options::VARIANT));
        if !rest.iter().any(|word| word.starts_with("name=")) {
            words.push(format!("name={game}"));
        }
    }
    let mut settings: Settings = words.join(SEPARATOR).parse()?;
    settings.proto = Some(Dialect::Ugi);
    Ok((settings, timeout))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Vec<String>, String> {
        let words = shlex::split(line).unwrap();
        let programs = described(&words)?.into_iter();
        Ok(programs
            .map(|(settings, timeout)| format!("{} {timeout:?}", settings.words().join(" ")))
            .collect())
    }

    #[test]
    fn a_program_is_a_word_with_settings_behind_it() {
        for (line, programs) in [
            ("./nim.py", &["cmd=./nim.py proto=ugi 5s"][..]),
            ("./a=b/nim.py name=x", &["cmd=./a=b/nim.py name=x proto=ugi 5s"]),
            (
                "cmd=python3 'args=a.py -v' timeout=2 ./b option.size=5",
                &[
                    "cmd=python3 args=a.py -v proto=ugi 2s",
                    "cmd=./b proto=ugi option.size=5 5s",
                ],
            ),
            (
                "gridlock cmd=magnetic-cave name=x",
                &[
                    "cmd=lodestone name=gridlock proto=ugi option.UCI_Variant=gridlock 5s",
                    "cmd=lodestone name=x proto=ugi option.UCI_Variant=magnetic-cave 5s",
                ],
            ),
        ] {
            assert_eq!(read(line).unwrap(), programs, "{line}");
        }
        for (line, error) in [
            (
                "args=x ./a",
                "`args=x` belongs to no program; begin with a program or `cmd=PROGRAM`",
            ),
            (
                "a b c",
                "expected one or two programs, found 3 (a, b, c); arguments of a program are a setting: `args='…'`",
            ),
            (
                "a timeout=0",
                "`timeout=0`: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `0`",
            ),
        ] {
            assert_eq!(read(line).unwrap_err(), error);
        }
        assert!(
            read("./a st=1")
                .unwrap_err()
                .starts_with("`st=…` is for players; ")
        );
    }
}
