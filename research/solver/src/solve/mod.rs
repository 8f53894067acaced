//! The command `lodestone-solver solve`: exact values of Magnetic Cave on boards of any size, from the
//! start or any other position.
//!
//! The size of the board and the number of bricks in line are data. The solver of the engine is
//! made for the board of the game, and the two are compared by `tests/solver/small_boards.rs`.

mod board_position;
mod certificate;
mod checker;
mod checkpoint;
mod command;
mod idle_rows;
mod node;
mod prover;
mod static_bounds;

pub use board_position::{BoardPosition, BoardRules, BoardValue, openings};
pub use checker::{CertificateReport, CheckProgress, CheckedAnswers, check_certificate};
pub use command::{HELP, SolveRequest};
pub use prover::{KnownAnswers, ProofObserver, ProofTable, ProvenAnswer, Prover, ProverProgress};
