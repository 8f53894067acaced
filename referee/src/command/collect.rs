//! `referee collect`: makes submissions of what students have sent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use referee_core::failure::Failure;
use referee_core::io::files;
use referee_core::io::text::{ShowPath, columns, counted, padded, printable};
use referee_core::system::files::quote;

use super::{install_interrupt, lock_folder, verdict};
use crate::config::cli::CollectArgs;
use crate::feedback::{FileNames, not_collected};
use crate::inbox::{self, Collected, Done, is_late};
use crate::terminal::progress::Task;

/// The widest column of names.
const MAX_NAME: usize = 40;

/// Collects the submissions, and says what was done with each.
pub fn run(args: &CollectArgs) -> Result<ExitCode, Failure> {
    let usage = |why: String| Failure::Usage(why);
    let CollectArgs { inbox, folder, .. } = args;
    for (place, what) in [(Some(inbox), "the inbox"), (args.wrapper.as_ref(), "--wrapper")] {
        if let Some(place) = place.filter(|place| !place.is_dir()) {
            let unpack = match inbox::ending(&place.to_string_lossy()) {
                Some(_) if place.is_file() => "; unpack it first",
                _ => "",
            };
            return Err(usage(format!(
                "{what}: {} is not a folder{unpack}",
                place.shown()
            )));
        }
    }
    let real = |path: &Path| path.canonicalize().ok();
    if folder.exists() && real(inbox) == real(folder) {
        return Err(usage(format!(
            "{}: this is the inbox; the submissions need a separate folder",
            folder.shown()
        )));
    }
    let make = |folder: &Path| {
        let is_new = !folder.exists();
        let made = fs::create_dir_all(folder).and_then(|()| fs::read_dir(folder).map(drop));
        made.map(|()| is_new)
    };
    let is_new = make(folder).map_err(|error| usage(format!("{}: {error}", folder.shown())))?;
    if let Some(feedback) = &args.feedback
        && let Err(error) = make(feedback)
    {
        if is_new {
            // An empty folder; nothing is lost if it stays.
            let _ = fs::remove_dir(folder);
        }
        return Err(usage(format!("--feedback {}: {error}", feedback.shown())));
    }
    let _held = lock_folder(folder, &folder.shown(), "collect")?;
    let interrupt = install_interrupt()?;
    let task = Task::start("submissions", 0, 0);
    let (mut done, mut counts) = (0, BTreeMap::<&str, usize>::new());
    let mut names = FileNames::default();
    let mut report = |one: Collected| {
        done += 1;
        task.set(done);
        *counts.entry(word(&one.done)).or_default() += 1;
        if let (Some(feedback), Done::Refused { why, .. }) = (&args.feedback, &one.done) {
            let text = not_collected(
                &one.name,
                &one.sent,
                (&why.why, why.student),
                one.done.has_earlier(),
            );
            files::replace(&feedback.join(names.of(&one.name)), &text)?;
        }
        let name = padded(
            &printable(&one.name, usize::MAX),
            MAX_NAME.min(columns(&one.name).max(12)),
        );
        task.print(&format!("{name}  {}", sentence(&one, folder)))
    };
    let wrapper = args.wrapper.as_deref();
    let collected = inbox::collect(inbox, folder, wrapper, &|| interrupt.go_on(), &mut report);
    drop(task);
    if let Some(signal) = interrupt.caught() {
        return Err(signal.into());
    }
    collected.map_err(|error| Failure::Output(error.to_string()))?;
    let count = |word: &str| counts.get(word).copied().unwrap_or_default();
    let good = ["new", "replaced", "unchanged"].map(|word| (count(word), word));
    let parts = good.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    let total = counted(good.iter().map(|(count, _)| count).sum(), "submission");
    let refused = count("not collected");
    let details = if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    };
    super::print(&format!("{total} collected{details}, {refused} not\n"))?;
    Ok(verdict(refused == 0))
}

/// What was done with a submission, in a word.
const fn word(done: &Done) -> &'static str {
    match done {
        Done::New => "new",
        Done::Replaced => "replaced",
        Done::Unchanged => "unchanged",
        Done::Refused { .. } => "not collected",
        Done::Gone => "not in the inbox",
    }
}

/// What was done with a submission, as a sentence for the instructor.
fn sentence(one: &Collected, folder: &Path) -> String {
    let mut text = word(&one.done).to_string();
    if let Some(inner) = &one.inner {
        let _ = write!(text, ", from `{inner}` in it");
    }
    if is_late(&one.name) {
        text += ", late";
    }
    if let Some(other) = &one.same_as {
        let _ = write!(text, ", the same files as {}", printable(other, usize::MAX));
    }
    let place = folder.join(&one.name);
    match &one.done {
        Done::Refused { why, has_earlier } => {
            let sent: Vec<String> = one.sent.iter().map(|path| path.shown()).collect();
            let why = printable(&why.to_string(), usize::MAX);
            let _ = write!(text, ": {}: {why}", sent.join(", "));
            if *has_earlier {
                let _ = write!(text, "; the earlier submission stays in {}", place.shown());
            }
        }
        Done::Gone => {
            let place = quote(&place.to_string_lossy()).unwrap_or_default();
            let _ = write!(text, " any more; if it was withdrawn, delete it: `rm -r {place}`");
        }
        _ => {}
    }
    text
}
