//! The command `lodestone-solver book` grows a [`BookTree`] by searches with a fixed number of nodes, so that
//! a run can be repeated. [`BookSearches`] keeps their results in a file, from which an interrupted
//! run continues.

mod command;
mod searches;
mod tree;

pub use command::{BookRequest, HELP};
pub use searches::BookSearches;
pub use tree::{BookQuestion, BookTree};
