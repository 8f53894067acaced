//! The referee from the outside: real binaries, real processes, real pipes.
//!
//! * [`manual`]: the options that the manual lists.
//! * [`matches`]: whole matches of built-in engines, their records and score.
//! * [`dialogue`]: what a bot hears, word by word.
//! * [`faults`]: bots that misbehave, and who loses why.
//! * [`evidence`]: what is left of games lost by a fault, pairings given up, and
//!   files that cannot be written.
//! * [`command_line`]: wrong commands and paths, exit statuses, signals.
//! * [`openings`]: books of openings, made and played.
//! * [`config`]: options and players from files and folders.
//! * [`report`]: what result files came to, and games as PGN.
//! * [`play`]: a person at the keyboard, through pipes.
//! * [`seeds`]: the course projects' sessions, from the first line to the last.
//! * [`by_hand`]: what can be asked for at the table, broken input, people in a
//!   match.
//! * [`terminal`]: the same on a real pseudo-terminal.
//! * [`tournament_document`]: the lines of docs/tournament.md.
//! * [`conversation`]: a program that is talked to while it runs.
//! * [`same_match`]: what goes on with a result file, and what is refused.
//! * [`tournaments`]: who plays whom, and what is made of the results.
//! * [`sequential`]: matches that a test ends.
//! * [`slots`]: many games at a time, their processes, and the progress shown.
//! * [`leftovers`]: what engines start and use, and that nothing of it stays.
//! * [`survival`]: matches that are killed, cut off and run again.
//! * [`recorded`]: what a match leaves behind, without what differs from run to
//!   run.
//! * [`zoo`]: bots that do everything wrong, and what becomes of each ([`fates`]).
//! * [`ugi`]: the same by UGI, and what its engines claim of positions.
//! * [`soak`]: all of them for long, and what the referee holds meanwhile.
//! * [`support`]: bots made of a few lines of shell, and the referee as a child
//!   process.

mod by_hand;
mod command_line;
mod config;
mod conversation;
mod dialogue;
mod evidence;
mod fates;
mod faults;
#[cfg(target_os = "linux")]
mod leftovers;
mod manual;
mod matches;
mod openings;
mod play;
#[path = "../printed_games/mod.rs"]
mod printed_games;
mod recorded;
mod report;
mod same_match;
mod seeds;
mod sequential;
mod slots;
#[cfg(target_os = "linux")]
mod soak;
mod support;
mod survival;
mod terminal;
mod tournament_document;
mod tournaments;
mod ugi;
mod zoo;
