//! Runs a target on inputs: those of the corpus, then mutations.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use lodestone_game::random::Random;

use crate::mutate::mutated;
use crate::targets::Target;

/// An input that is slower twice counts as a failure, because inputs are bounded: 8 MiB take an unoptimised build up to
/// 3.5 s on a slow machine.
const MAX_INPUT_TIME: Duration = Duration::from_secs(12);

/// An input that takes this long counts as an endless loop. One that is too slow may run twice before.
const HANG_TIMEOUT: Duration = MAX_INPUT_TIME.saturating_mul(3);

/// Maximum number of inputs to mutate, including the corpus.
const MAX_KEPT: usize = 4000;

/// Longer inputs, in bytes, are not kept; otherwise they would soon dominate.
const MAX_KEPT_LENGTH: usize = 2048;

/// Number of words that distinguish answers.
const MAX_WORDS: usize = 60;

/// Interval between progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// The folder with the inputs of a target in the repository: `fuzz/corpus/TARGET`.
pub fn corpus_folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

/// The inputs of a target, sorted by file name.
///
/// # Errors
/// The folder or a file in it cannot be read.
pub fn corpus(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let entries = fs::read_dir(corpus_folder(target))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}

/// When a search ends.
#[derive(Clone, Copy, Debug)]
pub enum Length {
    /// After this time.
    Time(Duration),
    /// After this number of mutations.
    Mutations(u64),
}

/// Results of a search so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Number of inputs.
    pub inputs: u64,
    /// Number of different answers.
    pub answers: usize,
    /// The time of the slowest input.
    pub slowest: Duration,
}

/// A search for inputs with new answers. The same seed gives the same inputs.
#[derive(Debug)]
pub struct Search<'a> {
    target: &'a Target,
    random: Random,
    kept: Vec<Vec<u8>>,
    answers: HashSet<u64>,
    statistics: Statistics,
    max_input_time: Duration,
    /// A file that gets each input before it runs.
    current: Option<PathBuf>,
}

impl<'a> Search<'a> {
    /// A search that starts with these inputs.
    pub fn new(target: &'a Target, corpus: Vec<Vec<u8>>, seed: u64) -> Search<'a> {
        Search {
            target,
            random: Random::new(seed),
            kept: corpus,
            answers: HashSet::new(),
            statistics: Statistics::default(),
            max_input_time: MAX_INPUT_TIME,
            current: None,
        }
    }

    /// Runs every input of the corpus unchanged.
    pub fn replay(&mut self) {
        for input in self.kept.clone() {
            self.run(&input);
        }
    }

    /// Runs one mutation. Returns and keeps it if its answer is new.
    pub fn step(&mut self) -> Option<Vec<u8>> {
        let input = self.random.choose(&self.kept).cloned().unwrap_or_default();
        let input = mutated(&input, &self.kept, &mut self.random);
        let is_new = self.run(&input);
        if !is_new || input.len() > MAX_KEPT_LENGTH || self.kept.len() >= MAX_KEPT {
            return None;
        }
        self.kept.push(input.clone());
        Some(input)
    }

    /// The results so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            answers: self.answers.len(),
            ..self.statistics
        }
    }

    /// Runs one input. Returns whether its answer is new.
    fn run(&mut self, input: &[u8]) -> bool {
        if let Some(path) = &self.current {
            // Only for debugging.
            let _ = fs::write(path, input);
        }
        let (answer, mut time) = self.timed_answer(input);
        if time >= self.max_input_time {
            // A busy machine may have delayed it.
            time = self.timed_answer(input).1.min(time);
        }
        self.statistics.inputs += 1;
        self.statistics.slowest = self.statistics.slowest.max(time);
        self.answers.insert(fingerprint(&answer, input))
    }

    fn timed_answer(&self, input: &[u8]) -> (String, Duration) {
        let start = Instant::now();
        let guard = ShowOnPanic(input);
        let answer = (self.target.answer)(input);
        drop(guard);
        (answer, start.elapsed())
    }
}

/// Prints the input if the target panics.
struct ShowOnPanic<'a>(&'a [u8]);

impl Drop for ShowOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("input: \"{}\"", self.0.escape_ascii());
        }
    }
}

/// A hash of the words of an answer that do not come from its input.
fn fingerprint(answer: &str, input: &[u8]) -> u64 {
    let input = String::from_utf8_lossy(input);
    let mut hasher = DefaultHasher::new();
    answer
        .split(|character: char| !character.is_ascii_alphabetic())
        .filter(|word| word.len() > 2 && !input.contains(word))
        .take(MAX_WORDS)
        .for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}

/// Runs the corpus, then mutations until `length` is reached. The file `current` holds the input
/// that runs, so it survives a crash of the process. `found` gets each input with a new
/// answer, and the number of answers so far.
///
/// # Errors
/// A sentence if a property does not hold or an input takes too long. The input is then
/// in `current`.
pub fn search(
    target: &'static Target,
    corpus: Vec<Vec<u8>>,
    seed: u64,
    length: Length,
    current: &Path,
    found: impl FnMut(&[u8], usize),
) -> Result<Statistics, String> {
    watch(Search::new(target, corpus, seed), length, current, found)
}

/// Runs a search in a thread, to notice an input that never ends.
fn watch(
    mut search: Search<'static>,
    length: Length,
    current: &Path,
    mut found: impl FnMut(&[u8], usize),
) -> Result<Statistics, String> {
    let name = search.target.name;
    let max_input_time = search.max_input_time;
    let (sender, receiver) = mpsc::channel();
    search.current = Some(current.to_path_buf());
    let thread = thread::spawn(move || {
        search.replay();
        let start = Instant::now();
        let mut reported = start;
        let mut mutations = 0;
        let is_at_end = |mutations| match length {
            Length::Time(time) => start.elapsed() >= time,
            Length::Mutations(most) => mutations >= most,
        };
        while !is_at_end(mutations) && search.statistics.slowest < max_input_time {
            mutations += 1;
            let input = search.step();
            if input.is_none() && reported.elapsed() < PROGRESS_INTERVAL {
                continue;
            }
            reported = Instant::now();
            if sender.send((search.statistics(), input)).is_err() {
                return;
            }
        }
        let _ = sender.send((search.statistics(), None));
    });
    let shown = current.display();
    let mut statistics = Statistics::default();
    loop {
        match receiver.recv_timeout(HANG_TIMEOUT) {
            Ok((now, input)) => {
                statistics = now;
                if let Some(input) = input {
                    found(&input, statistics.answers);
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!(
                    "{name}: does not end within {HANG_TIMEOUT:?}; the input is {shown}"
                ));
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    if thread.join().is_err() {
        return Err(format!("{name}: a property does not hold; the input is {shown}"));
    }
    if statistics.slowest >= max_input_time {
        let slowest = statistics.slowest;
        return Err(format!("{name}: {slowest:?} for one input, which is {shown}"));
    }
    let _ = fs::remove_file(current);
    Ok(statistics)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(answer: fn(&[u8]) -> String) -> &'static Target {
        Box::leak(Box::new(Target { name: "test", answer }))
    }

    #[test]
    fn keeps_inputs_with_new_answers() {
        let target = target(|input| if input.contains(&b'b') { "found" } else { "nothing" }.to_string());
        let mut search = Search::new(target, vec![b"a".to_vec()], 1);
        search.replay();
        let found: Vec<Vec<u8>> = (0..10_000).filter_map(|_| search.step()).collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].contains(&b'b'));
        assert_eq!(search.statistics().answers, 2);
        assert_eq!(search.statistics().inputs, 10_001);
    }

    #[test]
    fn leaves_a_failing_input_in_the_file() {
        let folder = tempfile::TempDir::new().unwrap();
        let current = folder.path().join("test");
        let target = target(|input| {
            assert!(!input.contains(&b'!'));
            String::new()
        });
        let minute = Length::Time(Duration::from_mins(1));
        let error = search(target, vec![b"!".to_vec()], 1, minute, &current, |_, _| ());
        assert!(error.unwrap_err().contains("a property does not hold"));
        assert_eq!(fs::read(&current).unwrap(), b"!");
        let none = search(
            target,
            vec![b"a".to_vec()],
            1,
            Length::Mutations(7),
            &current,
            |_, _| (),
        );
        assert_eq!(none.unwrap().inputs, 8, "the whole corpus is run, then mutations");
        assert!(!current.exists());
    }

    #[test]
    fn words_of_the_input_do_not_make_an_answer_new() {
        let fingerprint = |answer: &str| fingerprint(answer, b"some words 12");
        assert_eq!(
            fingerprint("line 12: there is no `some`"),
            fingerprint("line 3: there is no `words`")
        );
        assert_ne!(
            fingerprint("line 12: there was no `some`"),
            fingerprint("line 12: there is no `some`")
        );
    }

    #[test]
    fn an_input_that_is_always_slow_is_a_failure() {
        let folder = tempfile::TempDir::new().unwrap();
        let current = folder.path().join("test");
        let target = target(|_| {
            thread::sleep(Duration::from_millis(10));
            String::new()
        });
        let mut search = Search::new(target, vec![b"a".to_vec()], 1);
        search.max_input_time = Duration::from_millis(10);
        let error = watch(search, Length::Mutations(0), &current, |_, _| ());
        assert!(error.unwrap_err().contains(" for one input"));
    }
}
