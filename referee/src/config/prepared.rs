//! What the program `prepare` of a wrapper makes of each version of a submission, such as a compiled program.
//!
//! It runs once, in an empty folder that `run` gets as its second argument. The folder is kept beside the wrapper, under
//! a name that follows from all files of both: all commands share it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use referee_core::failure::{Failure, Stop};
use referee_core::io::files;
use referee_core::io::interrupt::{self, Interrupt};
use referee_core::io::running_clock;
use referee_core::io::stderr::error_line;
use referee_core::io::text::{ShowPath, printable, time};
use referee_core::player::Surroundings;
use referee_core::process::{ExitInfo, Launch, MAX_OUTPUT, Process, Received};
use referee_core::system::files::{
    is_executable, look, make_accessible, make_executable, make_private_folder, not_executable, program_names,
};

use super::versions;
use crate::bots::missing;
use sha2::{Digest as _, Sha256};

/// The program of a wrapper that prepares a submission.
const PREPARE: &str = "prepare";

/// What the name of the folder beside the wrapper ends with.
const PREPARED: &str = ".prepared";

/// What the names of folders begin with in which it works.
const NEW: &str = ".new-";

/// How long it may take.
const LONGEST: Duration = Duration::from_mins(5);

/// How soon a signal is noticed.
const LOOK: Duration = Duration::from_millis(200);

/// The most lines of its output in a message, and the most characters of a line.
const MOST_LINES: usize = 30;
const LONGEST_LINE: usize = 300;

/// The program of a wrapper that prepares submissions, if it has one.
pub(super) fn program(wrapper: &Path) -> Result<Option<PathBuf>, Failure> {
    let names = program_names(&wrapper.join(PREPARE)).into_iter();
    let mut found =
        names.filter(|name| look(name).is_ok_and(|found| found.is_some_and(|found| found.is_file())));
    let Some(program) = found.next() else {
        return Ok(None);
    };
    if !is_executable(&program) {
        let why = not_executable(&program);
        return Err(Failure::Usage(format!(
            "the wrapper: `{PREPARE}` in {} {why}",
            wrapper.shown()
        )));
    }
    Ok(Some(program))
}

/// The folder that a version of a submission was prepared in, now or earlier. `submission` is its real folder, and `name`
/// that in messages; `launch` says how the program that prepares it is started in a folder.
///
/// # Errors
/// The program failed, which is the fault of the submission, or the folder cannot be made.
pub(super) fn folder(
    wrapper: &Path,
    submission: &Path,
    name: &Path,
    launch: impl FnOnce(&Path) -> Result<Launch, Failure>,
) -> Result<PathBuf, Failure> {
    let stop = || interrupt::check().map_err(io::Error::other);
    let digest = |folder: &Path| {
        versions::digest(folder, &stop)
            .map_err(|error| Failure::Start(format!("`{}`: {error}", folder.shown())))
    };
    let mut version = Sha256::new();
    for part in [digest(wrapper)?, digest(submission)?] {
        version.update(part);
    }
    // What is made may name the submission's folder.
    version.update(submission.as_os_str().as_encoded_bytes());
    // Beside the real folder: never in it, where other bots could read it.
    let mut all = wrapper
        .canonicalize()
        .map_err(|error| Failure::Usage(format!("the wrapper `{}`: {error}", wrapper.shown())))?
        .into_os_string();
    all.push(PREPARED);
    let all = PathBuf::from(all);
    let failed = |error: io::Error| Failure::Usage(format!("`{}`: {error}", all.shown()));
    make_private_folder(&all).map_err(failed)?;
    let kept = all.join(files::hexadecimal(version));
    if kept.is_dir() {
        return Ok(kept);
    }
    remove_stale(&all);
    // A name of its own, and nothing is in it: another command may be making the same, or was killed meanwhile.
    let new = tempfile::Builder::new()
        .prefix(NEW)
        .tempdir_in(&all)
        .map_err(failed)?;
    let refused = |why: &str| Failure::Start(format!("`{}` cannot be prepared: {why}", name.shown()));
    let made = run(&launch(new.path())?, wrapper, submission).map_err(|failure| match failure {
        Failure::Start(why) => refused(&why),
        // As the sentence about a failed program, but nobody is to blame.
        Failure::Stopped(Stop::Short(why)) => Stop::Short(refused(&why).to_string()).into(),
        failure => failure,
    });
    let is_taken = make_programs(new.path());
    made?;
    is_taken
        .and_then(|()| match fs::rename(new.path(), &kept) {
            // Another command has just made it.
            Err(_) if kept.is_dir() => Ok(()),
            renamed => renamed,
        })
        .map_err(|error| {
            refused(&format!(
                "what the wrapper's `{PREPARE}` has made cannot be kept: {error}"
            ))
        })?;
    Ok(kept)
}

/// Removes what commands have left that were killed while a submission was prepared.
fn remove_stale(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else { return };
    for entry in entries.flatten() {
        let changed = entry.metadata().and_then(|data| data.modified());
        let age = changed.ok().and_then(|time| time.elapsed().ok());
        let is_new = entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes());
        if is_new && age.is_some_and(|age| age > 2 * LONGEST) {
            let _ = make_programs(&entry.path());
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Runs the program to its end.
fn run(launch: &Launch, wrapper: &Path, submission: &Path) -> Result<(), Failure> {
    let program = launch.program.shown();
    let start = |error: io::Error| Failure::Start(format!("`{program}` cannot be started: {error}"));
    let interrupt = Arc::new(Interrupt::unreachable().map_err(start)?);
    let mut process = Process::start(launch, interrupt).map_err(start)?;
    process.channel().close_stdin();
    let deadline = running_clock::now() + LONGEST;
    let mut lines: Vec<String> = Vec::new();
    // From the first error of a compiler on: it explains the others.
    let mut errors: Vec<String> = Vec::new();
    // Why it was stopped.
    let mut late = None;
    loop {
        let now = running_clock::now();
        match process.channel().receive((now + LOOK).min(deadline), None) {
            // A program that writes without end is stopped with the command, and at the deadline.
            Received::Line { .. } | Received::Overlong(_) | Received::Deadline if now >= deadline => {
                late = Some(format!("did not end within {}", time(LONGEST)));
                break;
            }
            Received::Line { text, .. } => {
                interrupt::check()?;
                let line = printable(text.raw(), LONGEST_LINE);
                if !errors.is_empty() || is_of_compiler(&line) {
                    errors.extend(Some(line.clone()).filter(|_| errors.len() < MOST_LINES));
                }
                lines.push(line);
            }
            Received::Deadline | Received::Overlong(_) => interrupt::check()?,
            Received::Closed => break,
            Received::Flood => {
                late = Some(format!("wrote more than {} MiB", MAX_OUTPUT >> 20));
                break;
            }
            Received::Stopped(signal) => return Err(signal.into()),
        }
        if lines.len() > 2 * MOST_LINES {
            lines.drain(..MOST_LINES);
        }
    }
    let exit = process.reap();
    if late.is_none() && exit.is_success() {
        return Ok(());
    }
    lines.extend(exit.stderr.iter().map(|line| printable(line, LONGEST_LINE)));
    if !errors.is_empty() {
        lines = errors;
    }
    let lacks = missing::program(&lines).filter(|name| missing::is_of_machine(name, Some(wrapper)));
    let lacks = lacks.map(|name| format!("; the program `{name}` is not installed on this machine"));
    let why = sentence(launch, submission, &exit, late, &lines);
    Err(match lacks {
        Some(lacks) => Stop::Short(why + &lacks).into(),
        None => Failure::Start(why),
    })
}

/// Whether a line begins an error of a compiler.
fn is_of_compiler(line: &str) -> bool {
    ["error:", "error[", "error TS", "error C"]
        .iter()
        .any(|sign| line.contains(sign))
}

/// Why a submission could not be prepared, with what the program wrote.
fn sentence(
    launch: &Launch,
    submission: &Path,
    exit: &ExitInfo,
    late: Option<String>,
    lines: &[String],
) -> String {
    let surroundings = Surroundings::refusing(launch, &exit.stderr);
    let surroundings = surroundings.map_or(String::new(), |why| format!("; {why}"));
    let own = format!("{}/", submission.shown());
    let shown = lines.iter().skip(lines.len().saturating_sub(MOST_LINES));
    let shown = shown.fold(String::new(), |text, line| {
        text + "\n  " + &line.replace(&own, "")
    });
    let how = late.unwrap_or_else(|| exit.how.to_string());
    // Tables have the first line alone.
    let error = lines
        .iter()
        .find(|line| is_of_compiler(line))
        .or_else(|| error_line(lines));
    let error = error.map_or(String::new(), |line| {
        format!("; it wrote `{}`", line.trim().replace(&own, ""))
    });
    let shown = if lines.len() > 1 { shown } else { String::new() };
    format!("the wrapper's `{PREPARE}` {how}{surroundings}{error}{shown}")
}

/// Makes programs and scripts executable: the sandbox may have refused that to the compiler. Folders become readable,
/// so that they can be kept or deleted.
pub(crate) fn make_programs(folder: &Path) -> io::Result<()> {
    make_accessible(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            make_programs(&path)?;
        } else if kind.is_file() && !is_executable(&path) {
            let mut head = [0; 4];
            let is_read = File::open(&path)
                .and_then(|mut file| file.read_exact(&mut head))
                .is_ok();
            if is_read && (head == *b"\x7fELF" || head.starts_with(b"#!")) {
                make_executable(&path)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)] // permissions and links
    fn programs_become_executable_but_nothing_behind_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("made")).unwrap();
        for name in ["made/run", "elsewhere"] {
            fs::write(path(name), "#!/bin/sh\n").unwrap();
        }
        std::os::unix::fs::symlink(path("elsewhere"), path("made/link")).unwrap();
        make_programs(&path("made")).unwrap();
        assert!(is_executable(&path("made/run")));
        assert!(!is_executable(&path("elsewhere")));
    }
}
