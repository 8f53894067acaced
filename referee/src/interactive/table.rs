//! Where people sit: the board as they see it, and what they say.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Instant;

use lodestone::board::{Bitboard, Move};
use lodestone::game::{AnyPosition, MoveError};

use super::talk::{self, Talk};
use super::wording::Wording;
use crate::display::{Drawing, Look};
use crate::games::{moves_pieces, sample_move};
use crate::interactive::console::{Console, Leave, Question};
use crate::io::text::{printable, wrapped};

/// A keyboard and a screen that one or two people share.
pub struct Table {
    /// Where they are asked.
    pub console: Console,
    /// How boards are drawn.
    pub look: Look,
    /// The board is upside down.
    flipped: bool,
    /// The piece whose target was asked for when something else was said, and
    /// the key of the position.
    chosen: Option<(u64, String)>,
}

/// A table that more than one player may hold.
pub type SharedTable = Rc<RefCell<Table>>;

/// What is before the person who is asked.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// The position.
    pub position: &'a dyn AnyPosition,
    /// The move that led to it.
    pub last: Option<Move>,
    /// The sentences for it.
    pub wording: &'a Wording,
    /// Whether this is a match, where everybody plays alone.
    pub in_match: bool,
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A move that can be played.
    Move(Move),
    /// A command.
    Talk(Talk),
}

impl Table {
    /// A table at this console.
    #[must_use]
    pub const fn new(console: Console, look: Look) -> Table {
        Table {
            console,
            look,
            flipped: false,
            chosen: None,
        }
    }

    /// Asks whoever is called `who` until the answer is a move that can be
    /// played, or a command.
    ///
    /// # Errors
    /// Where there will be no answer.
    pub fn listen(&mut self, who: &str, sight: Sight<'_>, deadline: Option<Instant>) -> Result<Said, Leave> {
        let text = match (moves_pieces(sight.wording.variant), who) {
            (false, _) => format!("{who}, your move:"),
            (true, "") => "Choose piece to move:".to_string(),
            (true, _) => format!("{who}, choose piece to move:"),
        };
        let words = words(sight, "");
        let question = Question {
            text: &text,
            words: &words,
            deadline,
        };
        let key = sight.position.key();
        if let Some((_, piece)) = self.chosen.take().filter(|(chosen_in, _)| *chosen_in == key)
            && let Some(said) = self.listen_for_target(&piece, sight, deadline)?
        {
            return Ok(said);
        }
        loop {
            let line = self.console.listen(&question)?;
            let understood = match Talk::parse(&line) {
                Some(talk) => talk.map(Said::Talk),
                None => match read_move(&line, sight) {
                    Ok(Step::Whole(one)) => Ok(Said::Move(one)),
                    Ok(Step::Piece(piece)) => match self.listen_for_target(&piece, sight, deadline)? {
                        Some(said) => Ok(said),
                        None => continue,
                    },
                    Err(why) => Err(why),
                },
            };
            match understood {
                Ok(said) => return Ok(said),
                Err(why) => self.console.explain(&why)?,
            }
        }
    }

    /// Asks where the piece on this cell goes; `None` where the person would
    /// rather choose another piece.
    fn listen_for_target(
        &mut self,
        piece: &str,
        sight: Sight<'_>,
        deadline: Option<Instant>,
    ) -> Result<Option<Said>, Leave> {
        let text = format!("Choose the new position for {piece}:");
        let words = words(sight, piece);
        let question = Question {
            text: &text,
            words: &words,
            deadline,
        };
        loop {
            let line = self.console.listen(&question)?;
            if line.is_empty() {
                return Ok(None);
            }
            let understood = match Talk::parse(&line) {
                Some(talk) => talk.map(Said::Talk),
                None => read_target(piece, &line, sight).map(Said::Move),
            };
            match understood {
                Ok(said) => {
                    if matches!(said, Said::Talk(_)) {
                        self.chosen = Some((sight.position.key(), piece.to_string()));
                    }
                    return Ok(Some(said));
                }
                Err(why) => self.console.explain(&why)?,
            }
        }
    }

    /// Shows the board.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn show_board(&mut self, sight: Sight<'_>) -> io::Result<()> {
        self.draw(sight, Bitboard::EMPTY)
    }

    /// Does what only shows something; `false` where the talk asks for more.
    ///
    /// # Errors
    /// Where nothing can be written.
    pub fn shows(&mut self, talk: &Talk, sight: Sight<'_>) -> io::Result<bool> {
        match talk {
            Talk::Help => self
                .console
                .say(&talk::help(sight.wording.variant, sight.in_match))?,
            Talk::Board => self.show_board(sight)?,
            Talk::Flip => {
                self.flipped = !self.flipped;
                self.show_board(sight)?;
            }
            Talk::Moves => self.show_moves(sight)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Shows every move, the cells where it ends marked on the board.
    fn show_moves(&mut self, sight: Sight<'_>) -> io::Result<()> {
        let moves = sight.position.legal_moves();
        let open = moves
            .iter()
            .fold(Bitboard::EMPTY, |open, one| open | one.to().into());
        self.draw(sight, open)?;
        let texts: Vec<String> = moves.iter().map(|&one| sight.position.move_text(one)).collect();
        let texts = sight.wording.moves(texts.iter().map(String::as_str));
        self.console.say(&match moves.len() {
            0 => "There are no moves: the game is over.".to_string(),
            1 => format!("The only move: {texts}"),
            count => wrapped(&format!("{count} moves: {texts}")),
        })
    }

    fn draw(&mut self, sight: Sight<'_>, open: Bitboard) -> io::Result<()> {
        let variant = sight.wording.variant;
        let drawing = Drawing {
            flipped: self.flipped,
            open,
            ..Drawing::new(variant, sight.position, sight.last, self.look)
        };
        let rest = match sight.position.plies_left() {
            _ if !moves_pieces(variant) => String::new(),
            1 => "One turn is left.\n".to_string(),
            turns => format!("{turns} turns are left.\n"),
        };
        self.console.say(&format!("\n{drawing}\n{rest}"))
    }
}

/// How much of a wrong move is repeated, in characters.
const REPEATED: usize = 40;

/// A move, or the first half of one.
enum Step {
    Whole(Move),
    /// The cell of a piece that can move.
    Piece(String),
}

/// What a line that is no command says.
fn read_move(line: &str, sight: Sight<'_>) -> Result<Step, String> {
    if line.is_empty() {
        let sample = sample_move(sight.wording.variant);
        return Err(format!("Type a move such as {sample}, or `help`."));
    }
    let two_steps = moves_pieces(sight.wording.variant);
    let text = if two_steps { joined(line) } else { line.to_string() };
    // Whatever is cut here is no move, and the answer repeats it.
    let text = printable(&text, REPEATED);
    let error = match sight.position.parse_move(&text) {
        Ok(one) => return Ok(Step::Whole(one)),
        Err(MoveError::Malformed(_)) if two_steps => match sight.position.parse_piece(&text) {
            Ok(_) => return Ok(Step::Piece(text.to_lowercase())),
            Err(error) => error,
        },
        Err(error) => error,
    };
    let hint = match (&error, Talk::meant(line, sight.in_match)) {
        (MoveError::Illegal(_), _) => String::new(),
        (_, Some(meant)) => format!("; did you mean `{meant}`?"),
        (_, None) => "; `help` lists the commands".to_string(),
    };
    Err(sight.wording.sentence(&error.to_string()) + &hint)
}

/// The move of this piece to where the line says, which may repeat the piece.
fn read_target(piece: &str, line: &str, sight: Sight<'_>) -> Result<Move, String> {
    let target = printable(&joined(line), REPEATED);
    let error = match sight.position.parse_move(&target) {
        Ok(one) => return Ok(one),
        Err(MoveError::Illegal(why)) => MoveError::Illegal(why),
        Err(MoveError::Malformed(_)) => match sight.position.parse_move(&(piece.to_string() + &target)) {
            Ok(one) => return Ok(one),
            Err(MoveError::Illegal(why)) => MoveError::Illegal(why),
            // No cell at all, which the message about a piece says best.
            Err(error) => sight.position.parse_piece(&target).err().unwrap_or(error),
        },
    };
    Err(sight.wording.sentence(&error.to_string()))
}

/// A move that was written as `c4 d4`, `c4-d4` or `c4 to d4`, in one word.
fn joined(line: &str) -> String {
    line.split(|sign: char| sign.is_whitespace() || sign == '-')
        .filter(|word| !word.eq_ignore_ascii_case("to"))
        .collect()
}

/// What can be completed: the moves, or the cells to which the piece on a cell
/// can go, and the commands.
fn words(sight: Sight<'_>, piece: &str) -> Vec<String> {
    let position = sight.position;
    let texts = position.legal_moves();
    let texts = texts.iter().map(|&one| position.move_text(one));
    let moves = texts.filter_map(|text| text.strip_prefix(piece).map(String::from));
    let commands = Talk::words(sight.in_match).map(String::from);
    moves.chain(commands).chain(["quit".to_string()]).collect()
}

#[cfg(test)]
mod tests {
    use lodestone::game::Variant;

    use super::*;

    #[test]
    fn a_move_is_written_in_many_ways() {
        for text in ["c4d4", "c4 d4", " C4-D4", "c4 - d4", "c4 to d4", "c4 TO d4"] {
            assert_eq!(joined(text).to_lowercase(), "c4d4", "{text}");
        }
    }

    #[test]
    fn a_variant_that_moves_pieces_reads_pieces() {
        for variant in Variant::ALL {
            let moves = variant.startpos().legal_moves();
            let slides = moves.iter().any(|one| one.from() != one.to());
            assert_eq!(moves_pieces(*variant), slides);
        }
    }
}
