//! `referee report --sprt-decide`: what a sequential test decides over the games of result
//! files.

use std::io::Write as _;
use std::process::ExitCode;

use serde::Serialize;

use super::reading::Progress;
use super::shown;
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;
use crate::report::table;
use crate::results::Accepted;
use crate::statistics::Sprt;
use crate::tournament::Tournament;
use crate::tournament::archive::{CountedLine, Match};
use crate::tournament::ordered_pairs::{OrderedPairs, TestState};

/// The exit status when more games are needed.
const UNDECIDED: u8 = 10;

/// The outcome as JSON; decided, it is the last line of a match with `--sprt`.
#[derive(Serialize)]
struct Outcome {
    sprt: State,
}

#[derive(Serialize)]
struct State {
    accepted: Option<Accepted>,
    pairs: u64,
    llr: f64,
}

/// Prints the decision on one match.
pub fn run(sprt: Sprt, is_json: bool, matches: &[Match], interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let usage = |why: String| Failure::Usage(format!("--sprt-decide: {why}"));
    let [one] = matches else {
        let count = matches.len();
        return Err(usage(format!(
            "the files are of {count} matches; name those of one"
        )));
    };
    let schedule = &one.header.schedule;
    let names = one.header.names();
    if schedule.format.follows_results() || names.len() > 2 {
        return Err(usage(format!(
            "the test compares two players; the match has {}",
            names.len()
        )));
    }
    if schedule.no_swap {
        return Err(usage(
            "the test counts pairs of games with colours swapped, and --no-swap played none".into(),
        ));
    }
    let state = tested(one, &sprt, interrupt)?;
    let TestState {
        pairs,
        llr,
        accepted,
        waiting,
    } = state;
    let text = if is_json {
        let outcome = Outcome {
            sprt: State { accepted, pairs, llr },
        };
        serde_json::to_string(&outcome).map_err(|error| Failure::Output(error.to_string()))?
    } else {
        let decided = accepted.map_or("Not decided", |_| "Decided");
        let plural = if pairs == 1 { "" } else { "s" };
        let next = 2 * pairs + 1;
        let behind = match waiting {
            0 => String::new(),
            _ => format!(
                "; {waiting} later games do not count before games {next} and {} are finished",
                next + 1
            ),
        };
        let llr = table::sprt_state(&sprt, llr, accepted);
        format!("{llr}\n{decided} by {pairs} pair{plural}{behind}")
    };
    Interrupt::end_at_the_next();
    shown(writeln!(std::io::stdout(), "{text}"))?;
    Ok(match accepted {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(UNDECIDED),
    })
}

/// The state of the test over all games of a match.
fn tested(one: &Match, sprt: &Sprt, interrupt: &Interrupt) -> Result<TestState, Failure> {
    let tournament = Tournament::new(&one.header).map_err(Failure::Usage)?;
    let mut games = Progress::start(interrupt, "games counted", 1, tournament.total());
    let mut pairs = OrderedPairs::default();
    let read = one.games(|line| {
        if let CountedLine::Game(game) = line {
            games.add(1)?;
            pairs.add(&tournament.fixture_of(&game)?, &game);
        }
        Ok(())
    });
    read.map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(pairs.test(sprt))
}
