//! `referee rules`: checks a rules program, or compares two.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use lodestone_game::protocol::OptionSpec;
use referee_core::failure::Failure;
use referee_core::game::title_of;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{counted, join, printable};
use referee_core::player::EngineSpec;
use referee_core::process::Process;
use referee_core::rules::{RulesError, RulesFault, RulesProgram};

use super::{install_interrupt, verdict};
use crate::config::cli::RulesArgs;
use crate::config::roster;
use crate::config::rules_settings::RulesSettings;
use crate::rules_check::GamesPlan;
use crate::rules_check::check;
use crate::rules_check::compare::{self, Comparison};
use crate::rules_check::options::{self, OptionValue};
use crate::terminal::progress::Task;

/// The most positions that are visited move by move from the start.
const VISITS: usize = 2000;

/// How to start a program, and what its first process has said.
struct CheckedProgram {
    spec: EngineSpec,
    timeout: Duration,
    interrupt: Arc<Interrupt>,
    /// What the program calls itself.
    title: String,
    announced: Vec<OptionSpec>,
}

impl CheckedProgram {
    /// Starts another process of the program. Its options are known to be right.
    fn start(&self, spec: &EngineSpec) -> Result<Process, RulesError> {
        match roster::start_rules(spec, &self.interrupt) {
            Ok(started) => Ok(started.process),
            Err(Failure::Stopped(stop)) => Err(RulesError::Stopped(stop)),
            Err(failure) => Err(RulesError::Fault(RulesFault {
                sentence: failure.to_string(),
                ..RulesFault::default()
            })),
        }
    }

    /// The same program at the same time.
    fn second(&self, program: &RulesProgram) -> Result<RulesProgram, RulesError> {
        let process = self.start(&self.spec).map_err(|error| match error {
            RulesError::Fault(fault) => {
                let problem = format!("does not start a second time: {fault}");
                program.fault(&problem, "a program that can run twice at a time", None)
            }
            error => error,
        })?;
        Ok(program.sibling(process))
    }

    /// The program with another value of an option.
    fn with(&self, value: &OptionValue) -> Result<RulesProgram, RulesError> {
        let mut spec = self.spec.clone();
        spec.name = format!("{} with {}", spec.name, options::shown(value));
        spec.options.push(value.clone());
        let process = self.start(&spec)?;
        RulesProgram::probe(spec.name, process, self.timeout)
    }
}

/// Checks one program, or compares two.
pub fn run(args: &RulesArgs) -> Result<ExitCode, Failure> {
    let described = RulesSettings::read_all(&args.programs).map_err(Failure::Usage)?;
    let specs = described.iter().map(RulesSettings::spec);
    let specs: Vec<EngineSpec> = specs.collect::<Result<_, _>>()?;
    let plan = GamesPlan {
        games: args.games.get(),
        seed: args.seed,
        max_plies: usize::try_from(args.max_plies.get()).unwrap_or(usize::MAX),
        visits: VISITS,
        until: None,
    };
    let interrupt = install_interrupt()?;
    let task = Task::start("games", 0, plan.games);
    let (mut programs, mut sources) = (Vec::new(), Vec::new());
    for (spec, settings) in specs.into_iter().zip(&described) {
        let started = roster::start_rules(&spec, &interrupt)?;
        let probed = RulesProgram::probe(spec.name.clone(), started.process, settings.timeout);
        let named = probed.and_then(|mut program| {
            let version = program.version(started.version.as_deref(), !spec.options.is_empty())?;
            programs.push(program);
            Ok(version)
        });
        let version = match named {
            Ok(version) => version,
            Err(error) => {
                task.print(&fail_line(error)?)?;
                return Ok(verdict(false));
            }
        };
        sources.push(CheckedProgram {
            title: title_of(
                settings.words.iter().map(String::as_str),
                &spec.name,
                version.as_deref(),
            )
            .to_string(),
            timeout: settings.timeout,
            interrupt: Arc::clone(&interrupt),
            announced: started.announced.specs().to_vec(),
            spec,
        });
    }
    let mut is_good = true;
    match <[RulesProgram; 2]>::try_from(programs) {
        Ok(pair) => is_good = compare_both(&sources, pair, plan, &task)?,
        Err(programs) => {
            for (mut program, source) in programs.into_iter().zip(&sources) {
                is_good &= check_one(&mut program, source, plan, &task)?;
                program.dismiss();
            }
        }
    }
    if is_good && sources.len() == 1 {
        let words: Vec<&str> = args.programs.iter().map(String::as_str).collect();
        task.print(&format!(
            "Next: `referee play --rules {}` plays the game.",
            join(&words)
        ))?;
    }
    Ok(verdict(is_good))
}

/// Checks a program and prints the report. Returns whether it is fit.
fn check_one(
    program: &mut RulesProgram,
    source: &CheckedProgram,
    plan: GamesPlan,
    task: &Task,
) -> Result<bool, Failure> {
    let title = &source.title;
    task.print(&format!("Rules: {title}"))?;
    let start = |program: &RulesProgram| source.second(program);
    let report = check::check(program, plan, &start, |games| task.set(games))?;
    report.lines.iter().try_for_each(|line| task.print(line))?;
    let is_good = report.is_good && check_options(source, plan, task)?;
    let result = if is_good {
        "passes the checks of a rules program"
    } else {
        "has failed"
    };
    task.print(&format!("{title} {result}."))?;
    Ok(is_good)
}

/// Plays a few games with each value of an option that a match may set. Returns whether no fault came.
fn check_options(source: &CheckedProgram, plan: GamesPlan, task: &Task) -> Result<bool, Failure> {
    let (values, left_out) = options::values(&source.announced, &source.spec.options);
    let mut good = Vec::new();
    for value in &values {
        task.set_detail(options::shown(value));
        let played = source.with(value).and_then(|mut program| {
            let played = check::play_games(&mut program, plan.with_option());
            program.dismiss();
            played
        });
        match played {
            Ok(()) => good.push(options::shown(value)),
            Err(error) => task.print(&fail_line(error)?)?,
        }
    }
    if !good.is_empty() {
        let text = format!("  ok    options         random games with {}", good.join(", "));
        task.print(&text)?;
    }
    if left_out > 0 {
        task.print(&format!(
            "  warn  options         {left_out} more values were not tried"
        ))?;
    }
    Ok(good.len() == values.len())
}

/// Compares two programs, also with values of options that both announce, and prints the first difference.
/// Returns whether there is none.
fn compare_both(
    sources: &[CheckedProgram],
    pair: [RulesProgram; 2],
    plan: GamesPlan,
    task: &Task,
) -> Result<bool, Failure> {
    let compare = |pair: Result<[RulesProgram; 2], RulesError>, plan: GamesPlan| -> Result<bool, Failure> {
        let compared = pair.and_then(|mut pair| {
            let compared = compare::compare(&mut pair, plan, |games| task.set(games));
            Ok((compared?, pair))
        });
        let (compared, mut pair) = match compared {
            Ok(compared) => compared,
            Err(error) => {
                task.print(&fail_line(error)?)?;
                return Ok(false);
            }
        };
        task.print(&compared_text(&compared, &mut pair))?;
        pair.into_iter().for_each(RulesProgram::dismiss);
        Ok(compared.difference.is_none())
    };
    if !compare(Ok(pair), plan)? {
        return Ok(false);
    }
    let [one, other] = sources else { return Ok(true) };
    let both = one
        .announced
        .iter()
        .filter(|option| other.announced.contains(option));
    let both: Vec<OptionSpec> = both.cloned().collect();
    let given = [one.spec.options.clone(), other.spec.options.clone()].concat();
    for value in options::values(&both, &given).0 {
        let pair = one.with(&value).and_then(|one| Ok([one, other.with(&value)?]));
        if !compare(pair, plan.with_option())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The line of a fault.
fn fail_line(error: RulesError) -> Result<String, Failure> {
    match error {
        RulesError::Stopped(stop) => Err(stop.into()),
        RulesError::Fault(fault) => Ok(format!("  FAIL  {fault}")),
        RulesError::Refused(error) => Ok(format!("  FAIL  a program refuses the start position: {error}")),
    }
}

/// The result of a comparison, for people.
fn compared_text(compared: &Comparison, pair: &mut [RulesProgram; 2]) -> String {
    let [one, other] = [pair[0].name.clone(), pair[1].name.clone()];
    let mut text = String::new();
    if let Some([form, other_form]) = &compared.forms {
        let has_starts = pair.iter().any(|program| program.known().knows("setup"));
        let starts = if has_starts && compared.difference.is_none() {
            ", and starts of `query setup` are not played"
        } else {
            ""
        };
        text = format!(
            "The texts of the start position differ, so texts are not compared{starts}:\n  {one}: {form}\n  \
             {other}: {other_form}\n"
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
