//! `referee rules`: checks a rules program, or compares two.

use std::process::ExitCode;

use super::{install_interrupt, verdict};
use crate::config::cli::RulesArgs;
use crate::config::roster;
use crate::config::rules_settings::RulesSettings;
use crate::io::failure::Failure;
use crate::io::progress::Task;
use crate::io::text::{counted, printable};
use crate::player::EngineSpec;
use crate::rules::check;
use crate::rules::compare::{self, Comparison};
use crate::rules::{GamesPlan, RulesError, RulesProgram};

/// Checks one program, or compares two.
pub fn run(args: &RulesArgs) -> Result<ExitCode, Failure> {
    let described = RulesSettings::read_all(&args.programs).map_err(Failure::Usage)?;
    let specs = described.iter().map(RulesSettings::spec);
    let specs: Vec<EngineSpec> = specs.collect::<Result<_, _>>()?;
    let plan = GamesPlan {
        games: args.games.get(),
        seed: args.seed,
        max_plies: usize::try_from(args.max_plies.get()).unwrap_or(usize::MAX),
    };
    let interrupt = install_interrupt()?;
    let task = Task::start("games", 0, plan.games);
    let mut programs = Vec::new();
    for (spec, settings) in specs.iter().zip(&described) {
        let (process, _) = roster::start_rules(spec, &interrupt)?;
        match RulesProgram::probe(spec.name.clone(), process, settings.timeout) {
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
                let start = |program: &RulesProgram| {
                    let started = roster::start_rules(&specs[0], &interrupt);
                    let (process, _) = started.map_err(|failure| not_again(program, failure))?;
                    Ok(program.sibling(process))
                };
                is_good &= check_one(&mut program, plan, &start, &task)?;
                program.dismiss();
            }
        }
    }
    Ok(verdict(is_good))
}

/// Checks a program and prints the report. Returns whether it is fit.
fn check_one(
    program: &mut RulesProgram,
    plan: GamesPlan,
    start: &dyn Fn(&RulesProgram) -> Result<RulesProgram, RulesError>,
    task: &Task,
) -> Result<bool, Failure> {
    task.print(&format!("Rules: {}", program.name))?;
    let report = check::check(program, plan, start, |games| task.set(games))?;
    report.lines.iter().try_for_each(|line| task.print(line))?;
    let result = if report.is_good {
        "is fit to be the rules of a game"
    } else {
        "has failed"
    };
    task.print(&format!("{} {result}.", program.name))?;
    Ok(report.is_good)
}

/// The fault of a program that does not start a second time.
fn not_again(program: &RulesProgram, failure: Failure) -> RulesError {
    match failure {
        Failure::Stopped(stop) => RulesError::Stopped(stop),
        failure => {
            let problem = format!("does not start a second time: {failure}");
            program.fault(&problem, "a program that can run twice at a time", None)
        }
    }
}

/// Reports why a program gives no answer.
fn failed(task: &Task, error: RulesError) -> Result<ExitCode, Failure> {
    let text = match error {
        RulesError::Stopped(stop) => return Err(stop.into()),
        RulesError::Fault(fault) => fault.to_string(),
        RulesError::Refused(error) => format!("a program refuses the start position: {error}"),
    };
    task.print(&format!("  FAIL  {text}"))?;
    Ok(verdict(false))
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
    let moves = counted(difference.line.plies, "move");
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
    let board = pair.iter_mut().find(|program| program.known().knows("board"));
    let board = board.and_then(|program| program.board(&difference.line).ok());
    if let Some(board) = board.filter(|board| !board.is_empty()) {
        text = format!("{text}\n\n{board}");
    }
    text
}
