//! A second process of the same program. It is asked about the positions of random games backwards, so that
//! answers that depend on earlier questions, on chance or on the process differ.

use lodestone_game::random::Random;
use referee_core::game::PositionLine;
use referee_core::io::text::printable;
use referee_core::rules::program::{RulesFault, RulesState};
use referee_core::rules::{RulesError, RulesProgram};

/// What usually makes answers depend on earlier questions.
pub(super) const CHANGED: &str = "the usual cause: `play` changes the position that it gets, as where a copy of \
                                  the outer list keeps the old inner lists; or a position is not complete, and the \
                                  rest is a variable or chance";

/// The most characters of an answer in a message.
const MAX_SHOWN: usize = 200;

/// Asks both processes about a position of which the first one has said `state`. Returns whether they list
/// its moves in another order.
pub(super) fn compare(
    [first, second]: [&mut RulesProgram; 2],
    line: &PositionLine,
    state: &RulesState,
    random: &mut Random,
) -> Result<bool, RulesError> {
    let again = second.state(line).map_err(|error| match error {
        RulesError::Refused(error) => {
            let problem = format!("refuses a position that the first one knows: `{error}`");
            caused(second.fault(&problem, "no reply to `position`", Some(line)))
        }
        error => caused(error),
    })?;
    let difference = state.difference(&again, true);
    if let Some((query, answers)) = difference.or_else(|| state.other_difference(&again)) {
        return Err(differ(first, line, query, answers));
    }
    for ((query, one), (_, other)) in pictures(first, line)?.into_iter().zip(pictures(second, line)?) {
        if one != other {
            return Err(differ(first, line, query, [one, other]));
        }
    }
    if let Some(mv) = random.choose(&state.moves)
        && !state.is_over
        && second.known().knows("islegal")
        && !second.is_legal(line, mv)?
    {
        let answers = ["true", "false"].map(str::to_string);
        return Err(differ(first, line, &format!("islegal {mv}"), answers));
    }
    Ok(state.moves.len() > 1 && first.unsorted_moves(line)? != second.unsorted_moves(line)?)
}

/// Asks both processes for a random start.
pub(super) fn compare_setups(
    [first, second]: [&mut RulesProgram; 2],
    random: &mut Random,
) -> Result<(), RulesError> {
    let seed = random.below(1 << 32);
    let starts = [first.setup(seed)?, second.setup(seed)?].map(Option::unwrap_or_default);
    if starts[0] == starts[1] {
        return Ok(());
    }
    let problem = format!(
        "answers `query setup {seed}` with `{}`, but in a second process with `{}`",
        starts[0].cut(MAX_SHOWN),
        starts[1].cut(MAX_SHOWN)
    );
    Err(first.fault(&problem, "the same start for the same seed", None))
}

/// The answers that draw a position.
fn pictures(
    program: &mut RulesProgram,
    line: &PositionLine,
) -> Result<[(&'static str, String); 2], RulesError> {
    let grid = program.grid(line)?.unwrap_or_default();
    Ok([
        ("grid", grid.shown().to_string()),
        ("board", program.board(line)?),
    ])
}

/// The fault of a program whose processes differ.
fn differ(program: &RulesProgram, line: &PositionLine, query: &str, answers: [String; 2]) -> RulesError {
    let [one, other] = answers.map(|answer| printable(&answer, MAX_SHOWN));
    let query = printable(query, MAX_SHOWN);
    let problem = format!(
        "answers `query {query}` with `{one}`, but in a second process, after other questions, with `{other}`"
    );
    caused(program.fault(&problem, "the same answer", Some(line)))
}

/// The fault, with its usual cause. A process that was only slow has shown nothing of it.
pub(super) fn caused(error: RulesError) -> RulesError {
    match error {
        RulesError::Fault(fault) if !fault.is_late => RulesError::Fault(RulesFault {
            hint: fault.hint.or(Some(CHANGED)),
            ..fault
        }),
        error => error,
    }
}
