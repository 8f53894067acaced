//! Output of a rules program that is asked about a game.

use std::time::Duration;

use lodestone_game::text::is_printable;
use referee_core::game::PositionLine;
use referee_core::process::Process;
use referee_core::rules::program::{RulesError, RulesProgram, RulesState};

use super::support::{channel_of, one_line, stretched};

/// Number of letters for a `~`.
const LETTERS: usize = 50_000;

/// The answers to the queries that are asked one by one at the start. The program knows all but one, which no
/// program knows.
const PROBES: [&str; 15] = [
    "false",
    "true",
    "none",
    "",
    "false",
    "a",
    "text",
    "none",
    "0 0",
    "a",
    "none",
    "board",
    "columns 1 rows 1 cells .",
    "text",
    "none",
];

/// Maximum number of bytes of the answers.
const MAX_BYTES: usize = 1 << 20;

/// The most questions about positions of one game.
const MAX_PLIES: usize = 20;

/// What a rules program writes after the probes, before it ends: the answers about a position, then those
/// about the position after its first move, and so on, until one of them has an error or no move. Then
/// those about the board, the grid, a start and a move. A `~` stands for many letters.
pub fn rules(input: &[u8]) -> String {
    let mut output = Vec::new();
    for answer in PROBES {
        let response = if answer.is_empty() { "" } else { "response " };
        output.extend(format!("{response}{answer}\nreadyok\n").into_bytes());
    }
    let answers = stretched(input, LETTERS, MAX_BYTES);
    output.extend(answers);
    let process = Process::ended(channel_of(&output));
    let timeout = Duration::from_mins(1);
    let mut program = match RulesProgram::probe("program".into(), process, timeout) {
        Ok(program) => program,
        Err(error) => panic!("the probes are answered rightly: {error:?}"),
    };
    let mut line = PositionLine::start();
    let mut described = Vec::new();
    while line.plies < MAX_PLIES {
        match program.consistent_state(&line) {
            Ok(state) => {
                described.push(described_state(&state));
                let Some(mv) = state.moves.first() else { break };
                let next = line.after(mv);
                assert_eq!(next.last_move(), *mv);
                assert_eq!(next.moves_since(&line), Some(vec![mv.clone()]));
                line = next;
            }
            Err(error) => {
                described.push(described_error(error));
                break;
            }
        }
    }
    let board = program.board(&line).map(|board| {
        board
            .lines()
            .for_each(|line| assert_eq!(one_line(format!("board {line}")).len(), line.len() + 6));
        "a board".to_string()
    });
    described.push(board.unwrap_or_else(described_error));
    for answer in [program.grid(&line), program.setup(1)] {
        let answer = answer.map(|text| if text.is_some() { "a text" } else { "no text" }.to_string());
        described.push(answer.unwrap_or_else(described_error));
    }
    let is_legal = program.is_legal(&line, "a").map(|is_legal| is_legal.to_string());
    described.push(is_legal.unwrap_or_else(described_error));
    described.join("; ")
}

/// Checks a state, and describes it.
fn described_state(state: &RulesState) -> String {
    let RulesState {
        is_over,
        result,
        moves,
        text,
        reason,
        points,
        ..
    } = state;
    assert!(!is_over || result.is_some(), "{state:?}");
    assert!(*is_over || !moves.is_empty(), "{state:?}");
    for (index, mv) in moves.iter().enumerate() {
        assert!(
            !mv.is_empty()
                && mv
                    .chars()
                    .all(|letter| is_printable(letter) && !letter.is_whitespace()),
            "{mv:?}"
        );
        assert!(!moves[..index].contains(mv), "{mv} is listed twice");
    }
    one_line(text.as_deref().expect("the program has answered `query fen`"));
    for text in [reason, points].into_iter().flatten() {
        assert!(!text.raw().contains('\n') && !text.is_empty(), "{text:?}");
    }
    format!(
        "over {is_over}, result {}, {} moves, reason {}, points {}",
        result.is_some(),
        ["no", "one", "some"][moves.len().min(2)],
        reason.is_some(),
        points.is_some()
    )
}

/// Checks an error, and shows it.
fn described_error(error: RulesError) -> String {
    match error {
        RulesError::Fault(fault) => {
            fault
                .position
                .into_iter()
                .for_each(|position| drop(one_line(position)));
            one_line(fault.sentence)
        }
        RulesError::Refused(error) => one_line(error),
        RulesError::Stopped(stop) => panic!("no signal is sent: {stop}"),
    }
}
