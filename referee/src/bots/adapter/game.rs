//! Which game a program has to play so that its next move answers a position.

use std::time::Duration;

use lodestone::board::{Move, Side};
use lodestone::game::{AnyPosition, Variant};

use super::dialogue::{DialogueEnd, DialogueObserver, ProgramDialogue, start_value};
use super::pattern::Reading;
use super::program::AdaptedProgram;
use super::spec::AdapterSpec;
use crate::io::text::printable;

/// A position as a client describes it: a start and moves.
#[derive(Clone, Debug)]
pub struct GameLine {
    /// The position before the moves.
    pub start: Box<dyn AnyPosition>,
    /// Legal moves.
    pub moves: Vec<Move>,
}

impl GameLine {
    /// The position after the first `count` moves.
    pub fn position_after(&self, count: usize) -> Box<dyn AnyPosition> {
        let mut position = self.start.clone();
        for mv in self.moves.iter().take(count) {
            position.play(*mv);
        }
        position
    }

    /// The position after all moves.
    pub fn position(&self) -> Box<dyn AnyPosition> {
        self.position_after(self.moves.len())
    }

    /// How a program that plays the next move gets to this position: the number of moves
    /// before the position from which it begins.
    fn beginning(&self, spec: &AdapterSpec) -> Result<usize, String> {
        if spec.takes_placement {
            // The first player moves first, from any placement.
            let back = match self.position().side_to_move() {
                Side::First => 0,
                Side::Second => 1,
            };
            return self.moves.len().checked_sub(back).ok_or_else(|| {
                "this program lets the first player move first, but the position has the second player to move"
                    .to_string()
            });
        }
        if self.start.fen() == spec.variant.startpos().fen() {
            return Ok(0);
        }
        let name = spec.variant;
        let how = if spec.variant.info().has_setup {
            "no line of [start] tells it where the pieces are (`each`, `{first_cells}`, `{fen}`)"
        } else {
            "a match with it has no `--openings`"
        };
        Err(format!(
            "this program plays {name} only from the start position: {how}"
        ))
    }
}

/// A game of a program, for a client.
#[derive(Debug)]
pub struct AdaptedGame<'a> {
    dialogue: ProgramDialogue<'a>,
    start: String,
    /// All moves from the start, up to the program's own last move.
    moves: Vec<Move>,
}

/// What the program has answered.
#[derive(Debug, PartialEq, Eq)]
pub struct AdaptedAnswer {
    /// The move as the protocol writes it, or what the program wrote instead.
    pub text: String,
    /// Why it cannot be played.
    pub problem: Option<String>,
}

/// Starts the program of a game.
pub fn start_program(
    spec: &AdapterSpec,
    position: &dyn AnyPosition,
    side: Side,
) -> Result<AdaptedProgram, DialogueEnd> {
    let command = spec.command(|slot| start_value(spec, position, side, slot));
    AdaptedProgram::start(&command, &spec.dir).map_err(|error| DialogueEnd::Problem {
        message: format!("`{}` cannot be started: {error}", command.program.display()),
        screen: Vec::new(),
    })
}

impl<'a> AdaptedGame<'a> {
    /// Starts a game and plays it up to the client's position. `started` is the program, if
    /// it runs already.
    pub fn start(
        spec: &'a AdapterSpec,
        started: Option<AdaptedProgram>,
        line: &GameLine,
        observer: &mut dyn DialogueObserver,
    ) -> Result<AdaptedGame<'a>, DialogueEnd> {
        let problem = |message: String| DialogueEnd::Problem {
            message,
            screen: Vec::new(),
        };
        let begin = line.beginning(spec).map_err(problem)?;
        let base = line.position_after(begin);
        let side = line.position().side_to_move();
        let program = match started {
            Some(program) => program,
            None => start_program(spec, base.as_ref(), side)?,
        };
        let mut dialogue = ProgramDialogue::start(spec, program, side, base, observer)?;
        for mv in line.moves.iter().skip(begin) {
            let position = dialogue.position();
            if position.side_to_move() != side {
                dialogue.opponent_moves(*mv, observer)?;
                continue;
            }
            let expected = position.move_text(*mv);
            let answer = dialogue.await_answer(None, observer)?;
            if answer != Reading::Move(*mv) {
                return Err(problem(format!(
                    "this program chooses all its moves itself, but the game has {expected} where it plays \
                     another move: play without `--openings`"
                )));
            }
            dialogue.program_moves(*mv);
        }
        Ok(AdaptedGame {
            dialogue,
            start: line.start.fen(),
            moves: line.moves.clone(),
        })
    }

    /// The program and its terminal.
    pub const fn program(&mut self) -> &mut AdaptedProgram {
        self.dialogue.program()
    }

    /// The opponent's move that leads from here to the client's position; `None` if it is
    /// another game.
    pub fn continuation(&self, line: &GameLine) -> Option<Move> {
        let (last, before) = line.moves.split_last()?;
        let continues = self.start == line.start.fen() && before == self.moves.as_slice();
        (continues && !self.dialogue.is_to_move()).then_some(*last)
    }

    /// The program's answer if this is the position that it has just answered.
    pub fn known_answer(&self, line: &GameLine) -> Option<Move> {
        let (last, before) = self.moves.split_last()?;
        let is_same = self.start == line.start.fen() && before == line.moves.as_slice();
        (is_same && !self.dialogue.is_to_move()).then_some(*last)
    }

    /// Types a move of the opponent.
    pub fn opponent_moves(
        &mut self,
        mv: Move,
        observer: &mut dyn DialogueObserver,
    ) -> Result<(), DialogueEnd> {
        self.dialogue.opponent_moves(mv, observer)?;
        self.moves.push(mv);
        Ok(())
    }

    /// Waits for the program's move. After the `allowed` time it is late.
    pub fn await_answer(
        &mut self,
        allowed: Option<Duration>,
        observer: &mut dyn DialogueObserver,
    ) -> Result<AdaptedAnswer, DialogueEnd> {
        let reading = self.dialogue.await_answer(allowed, observer)?;
        let position = self.dialogue.position();
        let text = match &reading {
            Reading::Move(mv) => position.move_text(*mv),
            Reading::Other(text) => {
                printable(&text.to_lowercase().replace(char::is_whitespace, ""), MAX_MOVE)
            }
        };
        Ok(match position.parse_move(&text) {
            Ok(mv) => {
                self.dialogue.program_moves(mv);
                self.moves.push(mv);
                AdaptedAnswer { text, problem: None }
            }
            Err(error) => AdaptedAnswer {
                text,
                problem: Some(error.to_string()),
            },
        })
    }

    /// The position that the program has on its board.
    pub fn position(&self) -> &dyn AnyPosition {
        self.dialogue.position()
    }
}

/// Maximum length of a text that is no move, in characters.
const MAX_MOVE: usize = 20;

/// The start position of a trial game.
pub fn trial_start(spec: &AdapterSpec) -> Box<dyn AnyPosition> {
    let variant: Variant = spec.variant;
    if spec.takes_placement {
        let mut random = lodestone::random::Random::new(1);
        return variant.random_start(lodestone::game::Setup::default(), &mut random);
    }
    variant.startpos()
}
