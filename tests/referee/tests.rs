//! The referee from the outside: real binaries, real processes, real pipes.
//!
//! * [`matches`]: whole matches of built-in engines, their records and score.
//! * [`dialogue`]: what a bot hears, word by word.
//! * [`faults`]: bots that misbehave, and who loses why.
//! * [`command_line`]: wrong commands and paths, exit statuses, signals.
//! * [`play`]: a person at the keyboard, through pipes.
//! * [`support`]: bots made of a few lines of shell, and the referee as a child
//!   process.

mod command_line;
mod dialogue;
mod faults;
mod matches;
mod play;
mod support;
