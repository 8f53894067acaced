//! The rules of every game behind one trait, and the list of the games.
//!
//! * [`Game`] is rules only: start, moves, play, outcome, key, notation.
//! * [`Evaluate`] adds what the search wants to know.
//! * [`Yardstick`] is what the frozen player `plain` wants to know.
//! * [`Variant`] names the games. Generic code reaches a game through
//!   [`Variant::visit`], once a command; code that only needs the rules, such
//!   as a referee, uses [`AnyPosition`].
//!
//! ```
//! use lodestone::game::Variant;
//!
//! let mut position = Variant::from_name("magnetic-cave").unwrap().startpos();
//! let corner = position.parse_move("a8").unwrap();
//! position.play(corner);
//! assert_eq!(position.fen(), "x7/8/8/8/8/8/8/8 o");
//! assert!(position.parse_move("d4").is_err());
//! ```

mod any;
mod diagram;
pub mod fen;
pub mod gridlock;
mod info;
pub mod magnetic_cave;
mod outcome;
mod perft;
mod symmetry;

pub use any::AnyPosition;
pub use diagram::Diagram;
pub use fen::FenError;
pub use info::GameInfo;
pub use outcome::{EndReason, GameResult, Outcome};
pub use perft::{perft, perft_unless};

use std::fmt::{self, Debug};

use crate::board::{Bitboard, Cell, Move, MoveList, Side};
use crate::quoted::quoted;
use crate::random::Random;
use crate::score::Value;

/// The rules of a game of two players who move in turn. A value is one
/// position, small enough to be copied for each move played.
pub trait Game: Copy + Eq + Debug + Send + Sync + 'static {
    /// The facts of the game that do not depend on a position.
    const INFO: GameInfo;

    /// Where the protocol's `startpos` begins.
    fn startpos() -> Self;

    /// A start drawn by chance as `setup` says. A game that always begins the
    /// same way gives its [`Game::startpos`].
    fn random_start(setup: Setup, random: &mut Random) -> Self;

    /// The position that a FEN describes. Its first field is the board, its
    /// second the side to move.
    ///
    /// # Errors
    /// Says which character is wrong and what would be right.
    fn from_fen(fen: &str) -> Result<Self, FenError>;

    /// The position as a FEN.
    fn fen(&self) -> String;

    /// Who is to move; who would be, in a finished position.
    fn side_to_move(&self) -> Side;

    /// The cells that `side`'s bricks or pieces stand on.
    fn pieces(&self, side: Side) -> Bitboard;

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// The moves of a position whose [`Game::outcome`] is `None`, in rising
    /// order. In a finished position the result means nothing.
    fn generate_moves(&self) -> MoveList;

    /// The position after a legal move.
    #[must_use]
    fn play(&self, mv: Move) -> Self;

    /// A number that is the same however a position was reached, and almost
    /// surely different for different positions.
    fn key(&self) -> u64;

    /// A number that is the same for a position and its images: the turned and
    /// mirrored positions in which the same sides play the same game. Almost
    /// surely different for all others. It takes longer than [`Game::key`] and
    /// is nothing for a search.
    fn symmetry_key(&self) -> u64;

    /// At most this many plies are still to be played.
    fn plies_left(&self) -> u32;

    /// A move from its text, any letter case.
    ///
    /// # Errors
    /// A text that is no move at all and a move that cannot be played are two
    /// different errors.
    fn parse_move(&self, text: &str) -> Result<Move, MoveError>;

    /// The piece that a move of the side to move begins with, any letter case,
    /// for people who say first which piece moves and then where to.
    ///
    /// # Errors
    /// Says what is wrong with the piece; in a game whose pieces never move,
    /// with any.
    fn parse_piece(&self, text: &str) -> Result<Cell, MoveError> {
        Err(MoveError::Malformed(format!(
            "{} is no piece: in this game nothing moves once it is placed",
            quoted(text)
        )))
    }

    /// The text of a move, lower case.
    fn move_text(mv: Move) -> String;

    /// The name of a cell, lower case.
    fn cell_text(cell: Cell) -> String;

    /// The cells to mark on a drawn board, such as the line that won.
    fn highlights(&self) -> Bitboard {
        Bitboard::EMPTY
    }

    /// Why the game ended as it did, as a sentence for people.
    fn explain(&self, outcome: Outcome) -> String;

    /// The legal moves in rising order; none in a finished position.
    fn legal_moves(&self) -> MoveList {
        match self.outcome() {
            None => self.generate_moves(),
            Some(_) => MoveList::new(),
        }
    }
}

/// How much a search counts on the mistakes of its opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contempt {
    /// The side that the search thinks for.
    pub side: Side,
    /// From 0, for an equal, to 100, for a player that looks four plies ahead.
    pub percent: u8,
}

/// What the search wants to know of a game beyond its rules.
pub trait Evaluate: Game {
    /// What is seen of a position at once and used more than once.
    type NodeInfo;

    /// A position in a search to the end of the game.
    type SolverPosition: SolverPosition;

    /// Whether a position of which the table knows no move had better be searched a ply
    /// less deep: it costs less until the next iteration, which knows one (internal
    /// iterative reduction).
    const INTERNAL_ITERATIVE_REDUCTION: bool;

    /// Looks at an unfinished position.
    fn node_info(&self) -> Self::NodeInfo;

    /// What the rules force on the side to move, as far as it can be seen
    /// without search.
    fn forced(&self, info: &Self::NodeInfo) -> Forced;

    /// The moves worth trying where nothing is forced, in rising order: every
    /// move left out loses to the opponent's next one, and at least one is left.
    fn candidates(&self, info: &Self::NodeInfo) -> MoveList;

    /// The key of the search's table: like [`Game::key`], and where it pays the same
    /// for a position and its images.
    fn table_key(&self) -> u64;

    /// About how many positions it takes to search to the end of the longest
    /// game; `u64::MAX` where nothing is known but that it is many.
    fn solver_cost(&self) -> u64;

    /// By side, whether it can still win at all, however both sides play. A
    /// game that cannot tell says yes.
    fn can_win(&self) -> [bool; 2];

    /// The position for a search to the end of the game.
    fn solver_position(&self) -> Self::SolverPosition;

    /// What the position is worth for the side to move, judged without search,
    /// within ±[`crate::score::MAX_EVAL`]; without `contempt` as between equals.
    fn evaluate(&self, info: &Self::NodeInfo, contempt: Option<Contempt>) -> Value;

    /// How promising a move looks before anything is known of it; higher is
    /// searched earlier.
    fn order_hint(&self, mv: Move) -> i32;

    /// The players of the course assignments for this game.
    const REFERENCE_PLAYERS: &'static [ReferencePlayer<Self>];
}

/// A position of a search to the end of the game, where nothing is judged and all
/// that matters is who can still win.
pub trait SolverPosition: Copy {
    /// Who is to move.
    fn side_to_move(&self) -> Side;

    /// At most this many plies are still to be played.
    fn plies_left(&self) -> u32;

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// As [`Evaluate::forced`].
    fn forced(&self) -> Forced;

    /// A number that is the same for positions in which the same moves lead to
    /// the same results, as far as that shows at a glance; almost surely different
    /// for all others.
    fn key(&self) -> u64;

    /// Whether `side` can be kept from winning, as far as that shows at a glance,
    /// where nothing is forced.
    fn can_be_held(&self, side: Side) -> bool;

    /// Whether `side` wins whatever its opponent does, as far as that shows at a
    /// glance, where nothing is forced.
    fn is_won(&self, side: Side) -> bool;

    /// Calls `see` with each move worth trying where nothing is forced, and with how
    /// promising it looks, from 0: of moves that lead to the same results only
    /// one, and none that loses to the opponent's next move.
    fn moves(&self, see: impl FnMut(Move, i32));

    /// The position after a move.
    #[must_use]
    fn play(&self, mv: Move) -> Self;
}

/// What the frozen yardstick `plain` wants to know of a game. Nothing here may
/// ever change: its node counts are pinned.
pub trait Yardstick: Game {
    /// The judged value for the side to move, within ±10 000.
    fn plain_value(&self) -> Value;

    /// The key of `plain`'s own table.
    fn plain_key(&self) -> u64;
}

/// What the rules force on the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    /// Nothing that shows at a glance.
    Nothing,
    /// This move wins at once.
    Win(Move),
    /// Every other move loses to the opponent's next one.
    Only(Move),
    /// Every move loses to the opponent's next one; this is one of them.
    Loss(Move),
}

/// A player of a course assignment: alpha-beta of fixed depth on this
/// evaluation.
#[derive(Clone, Copy, Debug)]
pub struct ReferencePlayer<G> {
    /// The name that `Personality` takes.
    pub name: &'static str,
    /// The worth of any position, finished or not, for the first player.
    pub evaluate: fn(&G) -> i32,
}

/// What a person chooses before a game with a random start: the options
/// `--pieces` and `--turns`. Only games with [`GameInfo::has_setup`] read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Pieces of each side, 1 to [`Setup::MAX_PIECES`].
    pub pieces: u32,
    /// The turn limit in plies, 1 to [`Setup::MAX_TURNS`].
    pub turns: u32,
}

impl Setup {
    /// The most pieces of a side: on 49 cells, one stays empty.
    pub const MAX_PIECES: u32 = 24;

    /// The highest turn limit.
    pub const MAX_TURNS: u32 = 1000;
}

impl Default for Setup {
    /// Five pieces and forty turns.
    fn default() -> Setup {
        Setup { pieces: 5, turns: 40 }
    }
}

/// Why a text is no move of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// The text does not have the form of a move; the sentence says what would.
    Malformed(String),
    /// A move that cannot be played here; the sentence says why.
    Illegal(String),
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::Malformed(why) | MoveError::Illegal(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for MoveError {}

/// Generic code that is to run for a game known only by its [`Variant`].
pub trait GameVisitor {
    /// What it gives back.
    type Output;

    /// Runs for the game `G`.
    fn visit<G: Evaluate + Yardstick>(self) -> Self::Output;
}

/// The registry: each game is one line here and one folder beside this file.
macro_rules! games {
    ($($(#[$doc:meta])* $variant:ident => $game:ty),* $(,)?) => {
        /// The games that Lodestone plays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Variant {
            $($(#[$doc])* $variant),*
        }

        impl Variant {
            /// All games, the default first.
            pub const ALL: &'static [Variant] = &[$(Variant::$variant),*];

            /// The facts of this game.
            pub const fn info(self) -> &'static GameInfo {
                match self { $(Variant::$variant => &<$game as Game>::INFO),* }
            }

            /// Runs generic code for this game.
            pub fn visit<V: GameVisitor>(self, visitor: V) -> V::Output {
                match self { $(Variant::$variant => visitor.visit::<$game>()),* }
            }
        }
    };
}

games! {
    /// 8×8, five bricks in line win.
    MagneticCave => magnetic_cave::MagneticCave,
    /// 7×7, the blocked player loses, more room wins at the turn limit.
    Gridlock => gridlock::Gridlock,
}

impl Variant {
    /// The name that `UCI_Variant` and `--variant` take.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The game of this name, any letter case.
    pub fn from_name(name: &str) -> Option<Variant> {
        Variant::ALL
            .iter()
            .copied()
            .find(|variant| variant.name().eq_ignore_ascii_case(name))
    }
}

impl Default for Variant {
    fn default() -> Variant {
        Variant::ALL[0]
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
