//! Why a submission is not collected.

use std::io;

use thiserror::Error;

/// Why nothing is collected, and what to do about it: a clause for the instructor, and sentences for the student.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{why}{}{instructor}", if instructor.is_empty() { "" } else { "; " })]
pub(crate) struct Refusal {
    pub why: String,
    pub instructor: &'static str,
    pub student: &'static str,
}

impl Refusal {
    pub(super) fn new(why: impl Into<String>, instructor: &'static str, student: &'static str) -> Refusal {
        Refusal {
            why: why.into(),
            instructor,
            student,
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        io::Error::other(refusal)
    }
}
