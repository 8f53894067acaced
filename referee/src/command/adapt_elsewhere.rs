//! `referee adapt` on a system without pseudo-terminals.

use crate::config::cli::AdaptArgs;
use crate::io::failure::Failure;

/// Refuses.
pub fn run(_: &AdaptArgs) -> Result<(), Failure> {
    Err(Failure::Usage(
        "`referee adapt` needs pseudo-terminals, which this system does not have; \
         use it on Linux or macOS, or in WSL"
            .into(),
    ))
}
