//! How many system calls a half-move takes, counted by strace.

use std::io;
use std::process::{Command, Stdio};

use clap::ValueEnum;

use crate::config::cli::RelayPart;
use crate::config::roster;

/// A run of so many half-moves, and one of so many less, differ by no start.
const LONG: u64 = 2400;
const SHORT: u64 = 400;

/// Why nothing was counted.
#[derive(Debug)]
pub struct NotCounted(pub String);

/// How many system calls a half-move takes in all processes together: the
/// calls of a long run less those of a short one, so that none counts that starts
/// or ends a process.
///
/// # Errors
/// Where there is no strace, or it may not look.
pub fn count(part: RelayPart) -> Result<f64, NotCounted> {
    let calls = [LONG, SHORT].map(|half_moves| traced(part, half_moves));
    let [long, short] = calls;
    Ok((long? as f64 - short? as f64) / (LONG - SHORT) as f64)
}

/// All calls of a run of so many half-moves.
fn traced(part: RelayPart, half_moves: u64) -> Result<u64, NotCounted> {
    let failed = |error: &dyn std::fmt::Display| NotCounted(format!("strace failed: {error}"));
    let program = roster::own_path().map_err(|error| failed(&error))?;
    let word = part.to_possible_value();
    let word = word.as_ref().map_or("", |value| value.get_name());
    // The run itself writes nothing, so what is on stderr is the table.
    let output = Command::new("strace")
        .args(["-f", "-c", "--"])
        .arg(program)
        .args([
            "bench-relay",
            "--part",
            word,
            "--half-moves",
            &half_moves.to_string(),
        ])
        .env("LC_ALL", "C")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => NotCounted("strace is not installed".to_string()),
            _ => failed(&error),
        })?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let line = text.lines().find(|line| !line.trim().is_empty());
        return Err(failed(&line.unwrap_or("it said nothing")));
    }
    total(&text).ok_or_else(|| failed(&"it wrote no table"))
}

/// The calls in a table of `strace -c`: the fourth column, `errors` behind it
/// being empty in some lines. `None` where there is no line of it.
fn total(table: &str) -> Option<u64> {
    let calls = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_call = matches!(words.len(), 5 | 6) && words.last() != Some(&"total");
        let numbers = words.first()?.parse::<f64>().is_ok();
        (is_call && numbers).then(|| words.get(3)?.parse::<u64>().ok())?
    };
    table.lines().filter_map(calls).reduce(|sum, count| sum + count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 54.00    0.000120           0      2400           write
 46.00    0.000110          55         2         1 access
------ ----------- ----------- --------- --------- ----------------
100.00    0.000230           0      2402         1 total
";

    #[test]
    fn the_calls_of_a_table_are_added() {
        assert_eq!(total(TABLE), Some(2402));
        // As older ones end.
        let older = TABLE.replace("0      2402", "       2402");
        assert_eq!(total(&older), Some(2402));
        assert_eq!(
            total("strace: ptrace(PTRACE_TRACEME): Operation not permitted\n"),
            None
        );
        assert_eq!(total(""), None);
    }
}
