//! The referee from the outside: real binaries, real processes, real pipes.
//!
//! * [`absent`]: words that outputs must not have.
//! * [`adjudication`]: games that end before their end, and claims about results.
//! * [`analyze`]: analyses of finished games.
//! * `commands`: every command of the README and the manual (Unix).
//! * [`manual`]: the options that the manual lists, and those of other programs.
//! * [`matches`]: whole matches of built-in engines, their records and output.
//! * [`dialogue`]: the exact dialogue with a bot.
//! * [`adapt`]: programs made for people as bots; [`bridges`]: engines of other protocols; [`other_words`]: what they
//!   say otherwise than UCI.
//! * [`faults`]: misbehaving bots: verdicts and reasons.
//! * [`transcripts`]: transcripts of games lost by a fault, restarts, forfeited
//!   pairings, and write errors.
//! * [`check`]: `referee check`.
//! * [`command_line`]: wrong commands and paths, exit statuses, signals.
//! * [`help`]: help, completions, man pages, versions and messages.
//! * [`openings`]: making and playing books of openings.
//! * [`config`]: options and players from files and folders.
//! * [`file_system`]: files of others, what desktops leave, limits of file sizes, mounted files.
//! * [`facts`]: what records keep beside times and scores (`--record`).
//! * [`ladder`]: submissions that change, in runs that go on (`referee ladder`).
//! * [`grades`]: grades by a rubric, and submissions from an inbox.
//! * [`logs`]: the log of a match (`--log`).
//! * [`report`]: reports on result files; [`pgn_export`]: PGN files of matches and reports.
//! * [`show`]: looking at one game.
//! * [`play`]: games by hand through pipes.
//! * [`course_projects`]: whole sessions as the course projects describe them.
//! * [`by_hand`]: the commands of the prompt, broken input, people in a match.
//! * [`terminal`]: games by hand on a pseudo-terminal.
//! * [`standstill`]: a referee that was stopped meanwhile.
//! * [`stopping`]: every way to stop a game by hand or a match with a person.
//! * [`net`]: everything that enters or leaves, times everything that goes wrong.
//! * [`new_bot`]: writing a bot to start from.
//! * [`driver`]: drives a running program through pipes or a pseudo-terminal.
//! * [`rules`]: rules programs; [`rules_players`]: built-in players of their games;
//!   [`rules_matches`]: matches by their rules.
//! * [`same_match`]: resuming a match, and rejecting another one.
//! * [`tournaments`]: tournament formats, ratings, shards and events.
//! * `adapt_sandboxed`: the same programs in a sandbox (Linux).
//! * [`arranged`]: colours, seeds, fresh processes, pauses, selected openings.
//! * [`cutechess`]: the lines of cutechess-cli (`--output cutechess`).
//! * [`sequential`]: matches with an SPRT.
//! * [`slots`]: parallel games, their processes and the progress display.
//! * [`match_page`]: the page of a match (`--html`).
//! * [`leftovers`]: no process survives, and resource limits hold.
//! * [`survival`]: matches that are killed and resumed.
//! * [`recorded`]: summaries and result files without times, to compare runs.
//! * [`watching`]: boards and progress on a terminal.
//! * [`zoo`]: the zoo of bad bots, and what is said of each.
//! * [`pondering`]: engines that think in the opponent's time.
//! * [`tuning`]: tuning of an engine with a known best value (`referee tune`).
//! * [`trust`]: what strangers may have written, through every command that takes it.
//! * [`ugi`]: UGI matches and queries.
//! * `submissions`: a tournament with a hostile submission in the sandbox (Linux).
//! * [`soak`]: a long run of all bots, and the resources of the referee.
//! * [`strict`]: the first warning ends a match (`--strict`).
//! * [`your_bot`]: the mistakes that docs/check.md describes.
//! * [`support`]: shell bots, and the referee as a child process.
//!
//! The bots are shell scripts; `tests/every_system` has the tests for Windows.

// The tests choose the names of their files.
#![allow(clippy::disallowed_methods)]
#![cfg(unix)]

#[path = "../attacks/machine_code.rs"]
#[expect(dead_code, reason = "the attacks use the rest")]
mod machine_code;

mod absent;
mod adapt;
mod adapt_rules;
#[cfg(target_os = "linux")]
mod adapt_sandboxed;
mod adjudication;
mod analyze;
mod arranged;
mod bridges;
mod broken_rules;
mod by_hand;
mod check;
mod command_line;
#[cfg(unix)]
mod commands;
mod config;
mod course_projects;
#[cfg(unix)]
mod courses;
mod cutechess;
mod dialogue;
mod driver;
mod facts;
mod faults;
mod file_system;
mod grades;
mod help;
mod ladder;
#[cfg(target_os = "linux")]
mod leftovers;
mod logs;
mod manual;
mod match_page;
mod matches;
mod mistakes;
mod net;
mod new_bot;
mod nights;
mod notation;
mod openings;
mod other_words;
mod page;
mod pgn_export;
mod play;
mod pondering;
#[path = "../printed_games/mod.rs"]
mod printed_games;
mod python_package;
mod recorded;
mod report;
mod rules;
mod rules_matches;
mod rules_players;
mod same_match;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod sandboxed;
mod sequential;
mod shards;
mod short_machine;
mod show;
mod skip_broken;
mod slots;
#[cfg(target_os = "linux")]
mod soak;
mod standstill;
mod stopping;
mod strict;
#[cfg(target_os = "linux")]
mod submissions;
mod support;
mod survival;
mod terminal;
mod tournaments;
mod transcripts;
mod trust;
mod tuning;
mod ugi;
mod watching;
mod wrapper;
mod your_bot;
mod zoo;
#[path = "../zoo/table.rs"]
mod zoo_table;
