//! System calls of a half-move, counted by strace.

use std::io;
use std::process::{Command, Stdio};

/// Half-moves of the two runs. Their difference holds no start of a process.
const LONG: u64 = 2400;
const SHORT: u64 = 400;

/// Why nothing was counted.
#[derive(Debug)]
pub struct NotCounted(pub String);

/// System calls of one half-move, in all processes together: the calls of a long run
/// minus those of a short one, which leaves out the start and end of the processes.
/// `part` is the value of `--part`.
pub fn count(part: &str) -> Result<f64, NotCounted> {
    let calls = [LONG, SHORT].map(|half_moves| traced(part, half_moves));
    let [long, short] = calls;
    Ok((long? as f64 - short? as f64) / (LONG - SHORT) as f64)
}

/// All system calls of a run of this many half-moves.
fn traced(part: &str, half_moves: u64) -> Result<u64, NotCounted> {
    let failed = |error: &dyn std::fmt::Display| NotCounted(format!("strace failed: {error}"));
    let program = std::env::current_exe().map_err(|error| failed(&error))?;
    // The run itself writes nothing, so stderr holds only the table.
    let output = Command::new("strace")
        .args(["-f", "-c", "--"])
        .arg(program)
        .args(["--part", part, "--half-moves", &half_moves.to_string()])
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
        return Err(failed(&line.unwrap_or("it printed nothing")));
    }
    total(&text).ok_or_else(|| failed(&"it wrote no table"))
}

/// The sum of the fourth column in a table of `strace -c`, or `None` without a table.
/// The `errors` column behind it is empty in some lines.
fn total(table: &str) -> Option<u64> {
    let calls = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_call = matches!(words.len(), 5 | 6) && words.last() != Some(&"total");
        let numbers = words.first()?.parse::<f64>().is_ok();
        (is_call && numbers).then(|| words.get(3)?.parse::<u64>().ok())?
    };
    table.lines().filter_map(calls).reduce(|sum, count| sum + count)
}

/// The calls of a table are added, with and without the summary of older versions.
pub fn check_total() {
    const TABLE: &str = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 54.00    0.000120           0      2400           write
 46.00    0.000110          55         2         1 access
------ ----------- ----------- --------- --------- ----------------
100.00    0.000230           0      2402         1 total
";
    assert_eq!(total(TABLE), Some(2402));
    let older = TABLE.replace("0      2402", "       2402");
    assert_eq!(total(&older), Some(2402));
    let refused = "strace: ptrace(PTRACE_TRACEME): Operation not permitted\n";
    assert_eq!(total(refused), None);
    assert_eq!(total(""), None);
}
