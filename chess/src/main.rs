//! `referee-chess`: the rules of chess and Chess960 for `referee`, which starts it for `--rules chess`.
//!
//! * `game`: the methods of a rules program.
//! * `position`: a position with those before it, its end, and its moves in the notation of engines.
//! * `fen`: positions as text.
//! * `notation`: moves as people write them.
//! * `tables`: results from Syzygy tablebases.

mod fen;
mod game;
mod notation;
mod position;
#[cfg_attr(
    not(any(target_arch = "x86_64", target_vendor = "apple")),
    path = "no_tables.rs"
)]
mod tables;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => referee_rules::run(game::Chess::default()),
        Some("--version") => println!("referee-chess {}", env!("CARGO_PKG_VERSION")),
        Some(_) => {
            eprintln!(
                "referee-chess: expected no arguments; `referee match … --rules chess` starts this program"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
