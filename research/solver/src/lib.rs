//! Long computations with the engine `lodestone`: the program `lodestone-solver`.
//!
//! * [`solve`]: exact values of Magnetic Cave on boards of any size.
//! * [`tables`]: exact values of Gridlock with few pieces, into files.
//! * [`book`]: the making of opening books.
//!
//! Who wins with three in line on a board of 4×4? The observer sees each answer, and may end the search.
//!
//! ```
//! use lodestone_game::board::Side;
//! use lodestone_solver::solve::{
//!     BoardPosition, BoardRules, BoardValue, KnownAnswers, ProofObserver, ProofTable, ProvenAnswer, Prover,
//!     ProverProgress,
//! };
//!
//! struct Silent;
//!
//! impl ProofObserver for Silent {
//!     fn on_question(&mut self, _: Side) {}
//!     fn on_answer(&mut self, _: &ProvenAnswer) {}
//!     fn on_proof(&mut self, _: &ProvenAnswer) -> bool {
//!         true
//!     }
//!     fn on_progress(&mut self, _: ProverProgress<'_>) -> bool {
//!         true
//!     }
//! }
//!
//! let start = BoardPosition::start(BoardRules { width: 4, height: 4, connect: 3 });
//! let table = ProofTable::new(16).ok_or("16 megabytes are not available")?;
//! let known = KnownAnswers::default();
//! let value = Prover::new(table, &known, &mut Silent, 0).value(&start);
//! assert_eq!(value, Some(BoardValue::Win));
//! # Ok::<(), &str>(())
//! ```
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::print_stdout
    )
)]

mod arguments;
pub mod book;
mod line_file;
pub mod solve;
pub mod tables;
