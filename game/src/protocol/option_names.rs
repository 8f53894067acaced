//! The names of the engine's options.

/// Chooses the game.
pub const VARIANT: &str = "UCI_Variant";
/// Size of the transposition table.
pub const HASH: &str = "Hash";
/// Empties it.
pub const CLEAR_HASH: &str = "Clear Hash";
/// Number of threads.
pub const THREADS: &str = "Threads";
/// Number of lines.
pub const MULTI_PV: &str = "MultiPV";
/// How much the search counts on mistakes.
pub const CONTEMPT: &str = "Contempt";
/// Scores as `mate N`. Without the prefix `UCI_`: cutechess drops options with it that it does not know.
pub const MATE_SCORES: &str = "Mate Scores";
/// Allows to think in the opponent's time.
pub const PONDER: &str = "Ponder";
/// Time per move that is reserved for communication.
pub const MOVE_OVERHEAD: &str = "Move Overhead";
/// A file of exact values.
pub const TABLE_PATH: &str = "TablePath";
/// Lets `lodestone` play moves of a book.
pub const OWN_BOOK: &str = "OwnBook";
/// A file with a book.
pub const BOOK_FILE: &str = "BookFile";
/// Seeds the player `random`.
pub const SEED: &str = "Seed";
/// Chooses the player.
pub const PERSONALITY: &str = "Personality";

/// All of them, in the order in which `uci` announces them.
pub const ALL: [&str; 14] = [
    VARIANT,
    HASH,
    CLEAR_HASH,
    THREADS,
    MULTI_PV,
    CONTEMPT,
    MATE_SCORES,
    PONDER,
    MOVE_OVERHEAD,
    TABLE_PATH,
    OWN_BOOK,
    BOOK_FILE,
    SEED,
    PERSONALITY,
];
