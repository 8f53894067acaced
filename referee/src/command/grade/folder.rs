//! Grades all submissions of a folder. What one of them does costs the others nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use referee_core::failure::Failure;
use referee_core::io::files::{self, is_full};
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{ShowPath, counted, printable};
use referee_core::system::files::{Folder, is_left_out, make_private_folder, quote};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::course::Identity;
use super::facts::Facts;
use super::formats;
use super::play::{Course, NAME, NoFacts, without_games};
use super::points::{Limits, Results, plain};
use super::rubric::Rubric;
use crate::command::{in_order, install_interrupt, lock_folder, verdict};
use crate::config::cli::{GradeArgs, MatchArgs};
use crate::config::lookalikes;
use crate::config::own_files;
use crate::config::submissions::{self, RUN};
use crate::config::versions::{copy_whole, digest};
use crate::feedback::of_copy;
use crate::report::csv;
use crate::terminal::progress::{self, Stream, Task, rough_time};

/// The file of all grades.
const GRADES: &str = "grades.csv";

/// The text for an author, in the folder of a submission.
const FEEDBACK: &str = "feedback.txt";

/// The copy of what was graded, in the folder of a submission.
const COPY: &str = "hand-in";

/// The version of the submission whose games are kept.
const VERSION: &str = "version";

/// The longest name of a folder in GRADES, in bytes, that is that of the submission.
const MAX_NAME: usize = 200;

/// The most names of submissions that a message lists.
const MOST_NAMES: usize = 10;

/// Why a submission without a file is not graded.
const EMPTY: &str = "it is empty";

/// A submission, and what is known of it.
struct Submission {
    name: String,
    path: PathBuf,
    /// Its folder in GRADES.
    home: PathBuf,
    state: State,
}

enum State {
    /// It was graded before, and nothing has changed.
    Known(Facts),
    /// Its files are not taken, which is its own fault.
    Refused(Facts),
    /// It gets no grade: it has somebody else's files.
    Ungraded(String),
    Waiting,
}

/// Writes a message to standard error, above the progress.
fn say(text: &str) {
    let text: Vec<String> = text.split('\n').map(|line| printable(line, usize::MAX)).collect();
    // Nothing is lost if nobody reads it.
    let _ = progress::print(Stream::Stderr, &(text.join("\n") + "\n"));
}

/// Grades the submissions, those that have changed.
pub(super) fn grade(
    args: &GradeArgs,
    rubric: &Rubric,
    plan: &MatchArgs,
    out: &Path,
    interrupt: &Arc<Interrupt>,
) -> Result<ExitCode, Failure> {
    // Before anything is looked at that another command may change.
    let lock = || lock_folder(out, &format!("--out {}", out.shown()), "grade");
    let mut held = None;
    if out.is_dir() && !args.dry_run {
        held = Some(lock()?);
    }
    let stop = || interrupt.go_on();
    let or_signal = |failure: Failure| interrupt.caught().map_or(failure, Failure::from);
    let identity = Identity::of(rubric, &stop).map_err(or_signal)?;
    let limits = Limits::of(plan.run.each.as_ref());
    let submissions = submissions_in(args, rubric, out, &identity, &stop).map_err(or_signal)?;
    let waiting: Vec<usize> = (0..submissions.len())
        .filter(|number| matches!(submissions[*number].state, State::Waiting))
        .collect();
    let course = Course::new(rubric, plan, interrupt)?;
    for note in lookalikes::notes(submissions.iter().map(|one| one.name.as_str())) {
        say(&note);
    }
    announce(args, rubric, limits, &course, (submissions.len(), waiting.len()))?;
    if args.dry_run {
        return Ok(dry_run(&submissions));
    }
    make_private(out).map_err(|error| Failure::Usage(format!("--out {}: {error}", out.shown())))?;
    let _held = held.map_or_else(lock, Ok)?;
    let mut grades = Grades {
        rubric,
        limits,
        out,
        is_json: args.json,
        rows: BTreeMap::new(),
        ungraded: 0,
        causes: BTreeMap::new(),
    };
    for left in left_in(out, &submissions)? {
        say(&format!(
            "{}: there is no submission with this name any more",
            out.join(left).shown()
        ));
    }
    for one in &submissions {
        match &one.state {
            State::Known(facts) => grades.add(one, facts, "nothing new")?,
            State::Refused(facts) => grades.add(
                one,
                facts,
                &format!("not graded: {}", facts.refused.as_deref().unwrap_or_default()),
            )?,
            State::Ungraded(why) => grades.without(one, why),
            State::Waiting => {}
        }
    }
    let ended = grade_waiting(
        args,
        (&submissions, &waiting),
        (rubric, plan, &identity),
        &mut grades,
    );
    grades.write()?;
    if let Some(signal) = interrupt.caught() {
        say("Interrupted. Run the same command again to resume.");
        return Err(signal.into());
    }
    ended?;
    grades.say_causes();
    if grades.ungraded > 0 {
        say(&format!(
            "Submissions without a grade: {}. See the messages above for the reasons.",
            grades.ungraded
        ));
    }
    say(&format!(
        "Next: enter the grades of {}, and send each author {}.",
        out.join(GRADES).shown(),
        out.join("NAME").join(FEEDBACK).shown()
    ));
    Ok(verdict(grades.ungraded == 0))
}

/// Grades the submissions that wait, several at a time.
fn grade_waiting(
    args: &GradeArgs,
    (submissions, waiting): (&[Submission], &[usize]),
    (rubric, plan, identity): (&Rubric, &MatchArgs, &Identity),
    grades: &mut Grades<'_>,
) -> Result<(), Failure> {
    let slots = (args.concurrency.get() as usize).min(waiting.len());
    let slot = || Course::new(rubric, plan, &install_interrupt()?);
    let slots = (0..slots).map(|_| slot()).collect::<Result<Vec<_>, Failure>>()?;
    let interrupts: Vec<Arc<Interrupt>> = slots.iter().map(|slot| Arc::clone(&slot.interrupt)).collect();
    let task = Task::start("submissions", 0, waiting.len() as u64);
    let (began, mut done) = (Instant::now(), 0);
    let (ended, _) = in_order::run(
        waiting.len(),
        slots,
        |course, number| {
            let one = &submissions[waiting[number]];
            task.set_detail(printable(&one.name, 30));
            let found = graded(one, course, rubric, identity);
            // A match that has failed has stopped all its games.
            if course.interrupt.is_stopped() && course.interrupt.caught().is_none() {
                course.interrupt = install_interrupt()?;
            }
            match found {
                Err(NoFacts::Ended(failure)) => Err(failure),
                Err(NoFacts::NoGrade(why)) => Ok(Err(why)),
                Ok(facts) => Ok(Ok(facts)),
            }
        },
        || interrupts.iter().for_each(|interrupt| interrupt.stop()),
        |number, found| {
            let one = &submissions[waiting[number]];
            done += 1;
            task.set(done as u64);
            let left = waiting.len() - done;
            match found {
                Ok(facts) => {
                    let time = rough_time(began.elapsed().mul_f64(left as f64 / done as f64));
                    let about = if left > 0 {
                        format!(", about {time}")
                    } else {
                        String::new()
                    };
                    grades.add(one, &facts, &format!("{left} left{about}"))?;
                    grades.write()
                }
                Err(why) => {
                    grades.without(one, &why);
                    Ok(())
                }
            }
        },
    );
    drop(task);
    ended
}

/// The facts about a copy of a submission. Its games are kept if they are of the same version.
fn graded(
    one: &Submission,
    course: &Course<'_>,
    rubric: &Rubric,
    identity: &Identity,
) -> Result<Facts, NoFacts> {
    let stop = || course.interrupt.go_on();
    let lost = |error: io::Error| NoFacts::Ended(Failure::Output(format!("{}: {error}", one.home.shown())));
    let (copy, games) = (one.home.join(COPY), one.home.join("games"));
    fs::create_dir_all(&one.home).map_err(lost)?;
    let taken = take(&one.path, &copy, &stop);
    if let Some(signal) = course.interrupt.caught() {
        return Err(NoFacts::Ended(signal.into()));
    }
    let version = match taken {
        Ok(version) => version,
        Err(error) if is_full(&error) => return Err(lost(error)),
        Err(error) if is_of_system(&error) => return Err(NoFacts::NoGrade(not_copied(&error))),
        Err(error) => return Ok(refused(rubric, &error.to_string())),
    };
    let key = identity.key(&version);
    let whole = format!("{key} {}", identity.wrapper.as_deref().unwrap_or_default());
    let kept = games.join(VERSION);
    if fs::read_to_string(&kept).ok().as_deref() != Some(whole.trim_end()) {
        remove(&games).map_err(lost)?;
        fs::create_dir(&games).map_err(lost)?;
        files::replace(&kept, whole.trim_end()).map_err(lost)?;
    }
    let player = submissions::submission(&copy, Some(NAME), rubric.wrapper.as_deref(), false);
    let facts = course.facts_of(player, &copy, &games)?;
    Ok(Facts {
        key,
        wrapper: identity.wrapper.clone(),
        ..facts
    })
}

/// Whether a submission cannot be copied for a reason that is not in it, such as files that go while they are read.
pub(super) fn is_of_system(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    let own = [
        Kind::Other,
        Kind::PermissionDenied,
        Kind::InvalidInput,
        Kind::InvalidData,
    ];
    !own.contains(&error.kind())
}

/// Why there is no grade then.
pub(super) fn not_copied(error: &io::Error) -> String {
    format!("the submission could not be copied, perhaps because it was just replaced: {error}; grade again")
}

/// Copies a submission, and returns the hash of the copy. In the copy, no link changes while others are looked at. If the
/// submission is replaced meanwhile, the new one is copied.
pub(super) fn take(from: &Path, to: &Path, stop: &dyn Fn() -> io::Result<()>) -> io::Result<String> {
    const TRIES: usize = 5;
    const PAUSE: Duration = Duration::from_millis(100);
    for _ in 1..TRIES {
        match take_once(from, to, stop) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => std::thread::sleep(PAUSE),
            taken => return taken,
        }
    }
    take_once(from, to, stop)
}

fn take_once(from: &Path, to: &Path, stop: &dyn Fn() -> io::Result<()>) -> io::Result<String> {
    remove(to)?;
    let folder = Folder::open_real(from)?;
    let files = folder.path(from);
    // It has limits, which the copy of what may change has not.
    digest(&files, stop)?;
    copy_whole(&files, to, stop)?;
    let version = digest(to, stop)?;
    let around = to.parent().unwrap_or(Path::new("."));
    if let Some(problem) = own_files::problems(around, &[to.to_path_buf()], &[])
        .into_iter()
        .flatten()
        .next()
    {
        return Err(io::Error::other(of_copy(&problem.why, to)));
    }
    if is_empty(to) {
        return Err(io::Error::other(EMPTY));
    }
    Ok(version)
}

/// Whether there is nothing in a folder but what tools leave. One that cannot be read is none.
fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| {
        entries.all(|entry| entry.is_ok_and(|entry| is_left_out(&entry.file_name())))
    })
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Err(_) => Ok(()),
        Ok(found) if found.is_dir() => fs::remove_dir_all(folder),
        Ok(_) => fs::remove_file(folder),
    }
}

/// The facts about a submission whose files are not taken.
pub(super) fn refused(rubric: &Rubric, why: &str) -> Facts {
    let report = format!("Your submission is not graded: {}.\n", printable(why, usize::MAX));
    let facts = without_games(
        rubric,
        &report,
        why,
        "Your bot has not played: see the first test.\n",
    );
    Facts {
        refused: Some(why.into()),
        ..facts
    }
}

/// Makes the folder of all grades: games have the seed, and grades are nobody else's business.
fn make_private(out: &Path) -> io::Result<()> {
    if let Some(parent) = out.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent)?;
    }
    make_private_folder(out)
}

/// The submissions of a folder, with what is known of them.
fn submissions_in(
    args: &GradeArgs,
    rubric: &Rubric,
    out: &Path,
    identity: &Identity,
    stop: &dyn Fn() -> io::Result<()>,
) -> Result<Vec<Submission>, Failure> {
    let folder = &args.folder;
    let here = |error: io::Error| Failure::Usage(format!("{}: {error}", folder.shown()));
    let grades = out
        .canonicalize()
        .unwrap_or_else(|_| std::path::absolute(out).unwrap_or_default());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(here)? {
        let entry = entry.map_err(here)?;
        let (name, path) = (entry.file_name(), entry.path());
        let is_hidden = name.as_encoded_bytes().starts_with(b".") || is_left_out(&name);
        // What a link leads to is asked below.
        let is_folder = path.is_dir() || path.is_symlink() && !path.is_file();
        let has_grades = !path.is_symlink() && path.canonicalize().is_ok_and(|path| grades.starts_with(path));
        if !is_hidden && is_folder && !has_grades {
            paths.push(path);
        }
    }
    paths.sort();
    let run = folder.join(RUN);
    if paths.is_empty() || run.is_file() && !run.is_symlink() {
        return Err(Failure::Usage(format!(
            "{}: expected a folder of submissions, each a folder with a file `{RUN}`",
            folder.shown()
        )));
    }
    let problems = own_files::problems(folder, &paths, &identity.files);
    let homes = homes(&paths, out);
    let mut submissions = Vec::new();
    for (path, (home, problem)) in paths.into_iter().zip(homes.into_iter().zip(problems)) {
        let name = printable(
            &path.file_name().unwrap_or_default().to_string_lossy(),
            usize::MAX,
        );
        let state = match problem {
            _ if path.is_symlink() => State::Ungraded(of_link(&path)),
            Some(problem) if problem.is_shared => State::Ungraded(problem.why),
            Some(problem) => State::Refused(refused(rubric, &of_copy(&problem.why, &path))),
            None if is_empty(&path) => State::Refused(refused(rubric, EMPTY)),
            None => match digest(&path, stop) {
                Ok(version) => known(&home, &identity.key(&version), identity, args.accept),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(here(error)),
                Err(error) if is_of_system(&error) => State::Waiting,
                Err(error) => State::Refused(refused(rubric, &error.to_string())),
            },
        };
        submissions.push(Submission {
            name,
            path,
            home,
            state,
        });
    }
    tell_apart(&mut submissions);
    Ok(submissions)
}

/// Adds the folders of their grades to names that are printed alike, as those with bytes that are not UTF-8 are.
fn tell_apart(submissions: &mut [Submission]) {
    let mut counts = HashMap::<String, usize>::new();
    for one in &*submissions {
        *counts.entry(one.name.clone()).or_default() += 1;
    }
    for one in submissions.iter_mut().filter(|one| counts[&one.name] > 1) {
        let home = one.home.file_name().unwrap_or_default().shown();
        let _ = write!(one.name, " ({home})");
    }
}

/// Why a submission that is a link gets no grade: its target may be of others, and may change at any time.
fn of_link(path: &Path) -> String {
    let target = fs::read_link(path).unwrap_or_default();
    let target = path.parent().unwrap_or(Path::new("")).join(target);
    let word = |path: &Path| quote(&path.to_string_lossy()).unwrap_or_default();
    let (path, target) = (word(path), word(&target));
    format!(
        "it is a link, which could lead to other people's files; copy the files: `rm {path} && cp -rP {target} {path}`"
    )
}

/// The facts of an earlier run, if they are those of this submission.
fn known(home: &Path, key: &str, identity: &Identity, accepts: bool) -> State {
    /// What is read of them, in bytes.
    const MOST: u64 = 64 << 20;
    #[derive(Deserialize)]
    struct Known {
        extra_data: Facts,
    }
    let text = files::read(&home.join("results.json"), MOST).ok().flatten();
    let known: Option<Known> = text.and_then(|text| serde_json::from_slice(&text).ok());
    match known.map(|known| known.extra_data) {
        Some(facts) if facts.key == key && (accepts || facts.wrapper == identity.wrapper) => {
            State::Known(facts)
        }
        _ => State::Waiting,
    }
}

/// The folders of submissions in GRADES: their names, or similar ones where these cannot be folders there. Who has one
/// keeps it, also if somebody submits under a name that differs only in letter case.
fn homes(paths: &[PathBuf], out: &Path) -> Vec<PathBuf> {
    let present: HashSet<_> = fs::read_dir(out)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    let mut taken: HashSet<String> = HashSet::from([GRADES.to_string()]);
    let mut found: HashMap<&Path, PathBuf> = HashMap::new();
    let mut order: Vec<&PathBuf> = paths.iter().collect();
    order.sort_by_key(|path| !path.file_name().is_some_and(|name| present.contains(name)));
    for path in order {
        let raw = path.file_name().unwrap_or_default();
        let mut name = raw.to_string_lossy().into_owned();
        if raw.to_str() != Some(&*printable(&name, usize::MAX))
            || name.len() > MAX_NAME
            || taken.contains(&name.to_lowercase())
        {
            let plain = |sign: char| {
                if sign.is_ascii_alphanumeric() || "._-".contains(sign) {
                    sign
                } else {
                    '_'
                }
            };
            let mut number = files::hexadecimal(Sha256::new_with_prefix(raw.as_encoded_bytes()));
            number.truncate(8);
            name = name.chars().map(plain).take(100).collect::<String>() + "-" + &number;
        }
        while !taken.insert(name.to_lowercase()) {
            name.push('_');
        }
        found.insert(path, out.join(name));
    }
    paths
        .iter()
        .map(|path| found.remove(path.as_path()).unwrap_or_default())
        .collect()
}

/// The names of folders in GRADES whose submissions are gone.
fn left_in(out: &Path, submissions: &[Submission]) -> Result<Vec<std::ffi::OsString>, Failure> {
    let homes: HashSet<_> = submissions
        .iter()
        .filter_map(|one| one.home.file_name())
        .collect();
    let mut left = Vec::new();
    let here = |error: io::Error| Failure::Usage(format!("--out {}: {error}", out.shown()));
    for entry in fs::read_dir(out).map_err(here)? {
        let name = entry?.file_name();
        if !homes.contains(&*name) && out.join(&name).join("results.json").is_file() {
            left.push(name);
        }
    }
    left.sort();
    Ok(left)
}

/// Tests the course if there is something to grade, and says how long that takes.
fn announce(
    args: &GradeArgs,
    rubric: &Rubric,
    limits: Limits,
    course: &Course<'_>,
    (all, waiting): (usize, usize),
) -> Result<(), Failure> {
    let mut text = format!("{}, {waiting} to grade", counted(all, "submission"));
    if waiting > 0 {
        let moves = course.test()?;
        let games: u64 = rubric.opponents.iter().map(|opponent| opponent.games).sum();
        let _ = write!(text, ", {games} games each, of about {moves} moves");
        if let Some(st) = limits.st {
            let at_once = course.args.run.concurrency.get();
            let rounds: u64 = rubric
                .opponents
                .iter()
                .map(|opponent| opponent.games.div_ceil(at_once))
                .sum();
            let turns = waiting.div_ceil(args.concurrency.get() as usize) as f64 * rounds as f64;
            let minutes = turns * moves as f64 * st / 60.0;
            let _ = write!(text, ": up to about {minutes:.1} minutes, and the checks");
        }
    }
    say(&text);
    Ok(())
}

/// Says of each submission what would be done.
fn dry_run(submissions: &[Submission]) -> ExitCode {
    for one in submissions {
        let text = match &one.state {
            State::Known(_) => continue,
            State::Refused(facts) => format!("not graded: {}", facts.refused.as_deref().unwrap_or_default()),
            State::Ungraded(why) => format!("no grade, because {why}"),
            State::Waiting if one.home.exists() => "to grade again: something has changed".into(),
            State::Waiting => "to grade".into(),
        };
        say(&format!("{}: {text}", one.name));
    }
    verdict(true)
}

/// The grades so far.
struct Grades<'a> {
    rubric: &'a Rubric,
    limits: Limits,
    out: &'a Path,
    is_json: bool,
    /// The rows of grades.csv, by the names and the folders of the grades.
    rows: BTreeMap<(String, PathBuf), Vec<(String, String)>>,
    ungraded: usize,
    /// Why submissions did not play, with their names.
    causes: BTreeMap<String, Vec<String>>,
}

impl Grades<'_> {
    /// Writes the files of a submission.
    fn add(&mut self, one: &Submission, facts: &Facts, news: &str) -> Result<(), Failure> {
        let results = Results::of(self.rubric, facts, self.limits);
        let lost = |error: io::Error| Failure::Output(format!("{}: {error}", one.home.shown()));
        fs::create_dir_all(&one.home).map_err(lost)?;
        write(&one.home.join(FEEDBACK), &results.feedback(&one.name)).map_err(lost)?;
        write(
            &one.home.join("results.json"),
            &formats::gradescope(&results, facts, None),
        )
        .map_err(lost)?;
        self.rows.insert(
            (one.name.clone(), one.home.clone()),
            results.row(self.rubric, &one.name, facts),
        );
        if let Some(cause) = &facts.cause {
            self.causes
                .entry(cause.clone())
                .or_default()
                .push(one.name.clone());
        }
        say(&format!(
            "{}: {} points; {news}",
            one.name,
            plain(results.points())
        ));
        if self.is_json {
            let line = json!({"name": one.name, "points": results.points(), "max_points": results.most(), "facts": facts});
            progress::print(Stream::Stdout, &format!("{line}\n"))?;
        }
        Ok(())
    }

    fn without(&mut self, one: &Submission, why: &str) {
        self.ungraded += 1;
        say(&format!("{}: no grade, because {why}", one.name));
        if let Some(first) = why.lines().next() {
            self.causes
                .entry(first.to_string())
                .or_default()
                .push(one.name.clone());
        }
    }

    /// Writes grades.csv, if there is a grade.
    fn write(&self) -> Result<(), Failure> {
        let path = self.out.join(GRADES);
        let Some(first) = self.rows.values().next() else {
            return Ok(());
        };
        let headings = csv::line(first.iter().map(|(heading, _)| Some(heading.clone())));
        let rows = self
            .rows
            .values()
            .map(|row| csv::line(row.iter().map(|(_, cell)| Some(cell.clone()))));
        let text = headings + &rows.collect::<String>();
        write(&path, &text).map_err(|error| Failure::Output(format!("{}: {error}", path.shown())))
    }

    /// Says what several submissions have in common that did not play: perhaps it is the course's fault.
    fn say_causes(&self) {
        for (cause, names) in self.causes.iter().filter(|(_, names)| names.len() > 1) {
            let shown = names
                .iter()
                .take(MOST_NAMES)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let more = if names.len() > MOST_NAMES { ", …" } else { "" };
            say(&format!(
                "{} did not play for the same reason: {cause} ({shown}{more})",
                counted(names.len(), "submission")
            ));
        }
    }
}

/// Writes a file completely or not at all; one that has this text stays as it is.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let is_same = !path.is_symlink() && fs::read(path).is_ok_and(|old| old == text.as_bytes());
    if is_same {
        Ok(())
    } else {
        files::replace(path, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_copy() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("ann"), folder.path().join("copy"));
        fs::create_dir(&from).unwrap();
        fs::write(from.join("run"), "a").unwrap();
        let before = digest(&from, &|| Ok(())).unwrap();
        // Another file is put there after the first look at it.
        let count = std::cell::Cell::new(0);
        let stop = || {
            count.set(count.get() + 1);
            if count.get() == 2 {
                fs::write(from.join("run"), "b")?;
            }
            Ok(())
        };
        let version = take(&from, &to, &stop).unwrap();
        assert_eq!(fs::read_to_string(to.join("run")).unwrap(), "b");
        assert_ne!(version, before);
    }

    #[test]
    fn a_submission_that_changes_while_it_is_copied_is_copied_again() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("ann"), folder.path().join("copy"));
        fs::create_dir(&from).unwrap();
        for name in ["old", "new"] {
            fs::write(from.join(name), "").unwrap();
        }
        let stop = || {
            let _ = fs::remove_file(from.join("old"));
            Ok(())
        };
        take(&from, &to, &stop).unwrap();
        assert!(to.join("new").is_file());
    }

    #[test]
    fn a_submission_that_goes_while_it_is_copied_has_no_grade() {
        let folder = tempfile::tempdir().unwrap();
        let error = take(
            &folder.path().join("ann"),
            &folder.path().join("copy"),
            &|| Ok(()),
        )
        .unwrap_err();
        assert!(is_of_system(&error), "{error}");
        assert!(!is_of_system(&io::Error::other(
            "more than 100 folders in each other"
        )));
    }
}
