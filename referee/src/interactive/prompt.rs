//! Where people sit: the board as they see it, and what they say.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lodestone::board::{Bitboard, Move};
use lodestone::game::{AnyPosition, GameInfo, MoveError};

use super::commands::{self, PromptCommand};
use super::messages::Messages;
use crate::display::{Drawing, Look};
use crate::interactive::console::{Console, Leave, Question};
use crate::io::text::{printable, wrapped};

/// A keyboard and a screen that one or two people share.
pub struct Prompt {
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
#[derive(Clone)]
pub struct SharedPrompt(Arc<Mutex<Prompt>>);

impl SharedPrompt {
    /// A prompt for one player or two.
    #[must_use]
    pub fn new(prompt: Prompt) -> SharedPrompt {
        SharedPrompt(Arc::new(Mutex::new(prompt)))
    }

    /// Exclusive access to the prompt.
    pub fn lock(&self) -> MutexGuard<'_, Prompt> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is before the person who is asked.
#[derive(Clone, Copy)]
pub struct PositionView<'a> {
    /// The position.
    pub position: &'a dyn AnyPosition,
    /// The move that led to it.
    pub last: Option<Move>,
    /// The sentences for it.
    pub messages: &'a Messages,
    /// Whether this is a match, where everybody plays alone.
    pub in_match: bool,
}

impl PositionView<'_> {
    /// The facts of the game.
    fn info(&self) -> &'static GameInfo {
        self.position.info()
    }
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// A move that can be played.
    Move(Move),
    /// A command.
    Command(PromptCommand),
}

impl Prompt {
    /// A table at this console.
    #[must_use]
    pub const fn new(console: Console, look: Look) -> Prompt {
        Prompt {
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
    pub fn ask(
        &mut self,
        who: &str,
        view: PositionView<'_>,
        deadline: Option<Instant>,
    ) -> Result<Entered, Leave> {
        let text = match (view.info().slides, who) {
            (false, _) => format!("{who}, your move:"),
            (true, "") => "Choose piece to move:".to_string(),
            (true, _) => format!("{who}, choose piece to move:"),
        };
        let words = completions(view, "");
        let question = Question {
            text: &text,
            words: &words,
            deadline,
        };
        let key = view.position.key();
        if let Some((_, piece)) = self.chosen.take().filter(|(chosen_in, _)| *chosen_in == key)
            && let Some(entered) = self.ask_for_target(&piece, view, deadline)?
        {
            return Ok(entered);
        }
        loop {
            let line = self.console.ask_line(&question)?;
            let entered = match PromptCommand::parse(&line) {
                Some(command) => command.map(Entered::Command),
                None => match read_move(&line, view) {
                    Ok(MoveInput::Whole(one)) => Ok(Entered::Move(one)),
                    Ok(MoveInput::Piece(piece)) => match self.ask_for_target(&piece, view, deadline)? {
                        Some(entered) => Ok(entered),
                        None => continue,
                    },
                    Err(why) => Err(why),
                },
            };
            match entered {
                Ok(entered) => return Ok(entered),
                Err(why) => self.console.print_wrapped(&why)?,
            }
        }
    }

    /// Asks where the piece on this cell goes; `None` where the person would
    /// rather choose another piece.
    fn ask_for_target(
        &mut self,
        piece: &str,
        view: PositionView<'_>,
        deadline: Option<Instant>,
    ) -> Result<Option<Entered>, Leave> {
        let text = format!("Choose the new position for {piece}:");
        let words = completions(view, piece);
        let question = Question {
            text: &text,
            words: &words,
            deadline,
        };
        loop {
            let line = self.console.ask_line(&question)?;
            if line.is_empty() {
                return Ok(None);
            }
            let entered = match PromptCommand::parse(&line) {
                Some(command) => command.map(Entered::Command),
                None => read_target(piece, &line, view).map(Entered::Move),
            };
            match entered {
                Ok(entered) => {
                    if matches!(entered, Entered::Command(_)) {
                        self.chosen = Some((view.position.key(), piece.to_string()));
                    }
                    return Ok(Some(entered));
                }
                Err(why) => self.console.print_wrapped(&why)?,
            }
        }
    }

    /// Shows the board.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn show_board(&mut self, view: PositionView<'_>) -> io::Result<()> {
        self.print_board(view, Bitboard::EMPTY)
    }

    /// Does what only shows something; `false` where the talk asks for more.
    ///
    /// # Errors
    /// Where nothing can be written.
    pub fn try_show(&mut self, command: &PromptCommand, view: PositionView<'_>) -> io::Result<bool> {
        match command {
            PromptCommand::Help => self
                .console
                .print(&commands::help(view.messages.variant, view.in_match))?,
            PromptCommand::Board => self.show_board(view)?,
            PromptCommand::Flip => {
                self.flipped = !self.flipped;
                self.show_board(view)?;
            }
            PromptCommand::Moves => self.show_moves(view)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Shows every move, the cells where it ends marked on the board.
    fn show_moves(&mut self, view: PositionView<'_>) -> io::Result<()> {
        let moves = view.position.legal_moves();
        let open = moves
            .iter()
            .fold(Bitboard::EMPTY, |open, one| open | one.to().into());
        self.print_board(view, open)?;
        let texts: Vec<String> = moves.iter().map(|&one| view.position.move_text(one)).collect();
        let texts = view.messages.move_list(texts.iter().map(String::as_str));
        self.console.print(&match moves.len() {
            0 => "There are no moves: the game is over.".to_string(),
            1 => format!("The only move: {texts}"),
            count => wrapped(&format!("{count} moves: {texts}")),
        })
    }

    fn print_board(&mut self, view: PositionView<'_>, open: Bitboard) -> io::Result<()> {
        let drawing = Drawing {
            flipped: self.flipped,
            open,
            ..Drawing::new(view.position, view.last, self.look)
        };
        let rest = match view.position.plies_left() {
            _ if !view.info().has_setup => String::new(),
            1 => "One turn is left.\n".to_string(),
            turns => format!("{turns} turns are left.\n"),
        };
        self.console.print(&format!("\n{drawing}\n{rest}"))
    }
}

/// How much of a wrong move is repeated, in characters.
const SHOWN: usize = 40;

/// A move, or the first half of one.
enum MoveInput {
    Whole(Move),
    /// The cell of a piece that can move.
    Piece(String),
}

/// What a line that is no command says.
fn read_move(line: &str, view: PositionView<'_>) -> Result<MoveInput, String> {
    if line.is_empty() {
        let sample = view.info().shown(view.info().sample_move);
        return Err(format!("Type a move such as {sample}, or `help`."));
    }
    let two_steps = view.info().slides;
    let text = if two_steps {
        without_separators(line)
    } else {
        line.to_string()
    };
    // Whatever is cut here is no move, and the answer repeats it.
    let text = printable(&text, SHOWN);
    let error = match view.position.parse_move(&text) {
        Ok(one) => return Ok(MoveInput::Whole(one)),
        Err(MoveError::Malformed(_)) if two_steps => match view.position.parse_piece(&text) {
            Ok(_) => return Ok(MoveInput::Piece(text.to_lowercase())),
            Err(error) => error,
        },
        Err(error) => error,
    };
    let hint = match (&error, PromptCommand::suggestion(line, view.in_match)) {
        (MoveError::Illegal(_), _) => String::new(),
        (_, Some(meant)) => format!("; did you mean `{meant}`?"),
        (_, None) => "; `help` lists the commands".to_string(),
    };
    Err(view.messages.for_people(&error.to_string()) + &hint)
}

/// The move of this piece to where the line says, which may repeat the piece.
fn read_target(piece: &str, line: &str, view: PositionView<'_>) -> Result<Move, String> {
    let target = printable(&without_separators(line), SHOWN);
    let error = match view.position.parse_move(&target) {
        Ok(one) => return Ok(one),
        Err(MoveError::Illegal(why)) => MoveError::Illegal(why),
        Err(MoveError::Malformed(_)) => match view.position.parse_move(&(piece.to_string() + &target)) {
            Ok(one) => return Ok(one),
            Err(MoveError::Illegal(why)) => MoveError::Illegal(why),
            // No cell at all, which the message about a piece says best.
            Err(error) => view.position.parse_piece(&target).err().unwrap_or(error),
        },
    };
    Err(view.messages.for_people(&error.to_string()))
}

/// A move that was written as `c4 d4`, `c4-d4` or `c4 to d4`, in one word.
fn without_separators(line: &str) -> String {
    line.split(|sign: char| sign.is_whitespace() || sign == '-')
        .filter(|word| !word.eq_ignore_ascii_case("to"))
        .collect()
}

/// What can be completed: the moves, or the cells to which the piece on a cell
/// can go, and the commands.
fn completions(view: PositionView<'_>, piece: &str) -> Vec<String> {
    let position = view.position;
    let texts = position.legal_moves();
    let texts = texts.iter().map(|&one| position.move_text(one));
    let moves = texts.filter_map(|text| text.strip_prefix(piece).map(String::from));
    let commands = PromptCommand::names(view.in_match).map(String::from);
    moves.chain(commands).chain(["quit".to_string()]).collect()
}

#[cfg(test)]
mod tests {
    use lodestone::game::Variant;

    use super::*;

    #[test]
    fn a_move_is_written_in_many_ways() {
        for text in ["c4d4", "c4 d4", " C4-D4", "c4 - d4", "c4 to d4", "c4 TO d4"] {
            assert_eq!(without_separators(text).to_lowercase(), "c4d4", "{text}");
        }
    }

    #[test]
    fn a_variant_that_moves_pieces_reads_pieces() {
        for variant in Variant::ALL {
            let moves = variant.startpos().legal_moves();
            let slides = moves.iter().any(|one| one.from() != one.to());
            assert_eq!(variant.info().slides, slides);
        }
    }
}
