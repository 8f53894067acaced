//! Tries inputs on a target.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use lodestone::random::Random;

use crate::mutate::mutated;
use crate::targets::Target;

/// An input that takes longer has found a fault as well: they are bounded.
const TOO_LONG: Duration = Duration::from_secs(3);

/// After this nobody waits for the end of an input.
const NEVER_ENDS: Duration = Duration::from_secs(20);

/// So many inputs are kept, those of the corpus included.
const MOST_KEPT: usize = 4000;

/// Longer inputs are not kept, or they would soon be all that is tried.
const LONGEST_KEPT: usize = 2048;

/// So many words of an answer tell it from others.
const MOST_WORDS: usize = 60;

/// How often is told how far a search is.
const NEWS: Duration = Duration::from_millis(200);

/// What was tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    /// How many inputs.
    pub inputs: u64,
    /// How many different answers there were.
    pub answers: usize,
    /// The longest time that one input took.
    pub slowest: Duration,
}

/// Tries the inputs of the corpus and then mutations of them.
#[derive(Debug)]
pub struct Search<'a> {
    target: &'a Target,
    random: Random,
    kept: Vec<Vec<u8>>,
    answers: HashSet<u64>,
    tried: Tried,
    /// Gets every input before it is tried.
    current: Option<PathBuf>,
}

impl<'a> Search<'a> {
    /// A search that begins with these inputs; the same seed tries the same.
    pub fn new(target: &'a Target, corpus: Vec<Vec<u8>>, seed: u64) -> Search<'a> {
        Search {
            target,
            random: Random::new(seed),
            kept: corpus,
            answers: HashSet::new(),
            tried: Tried::default(),
            current: None,
        }
    }

    /// Tries every input that it began with, unchanged.
    pub fn replay(&mut self) {
        for input in self.kept.clone() {
            self.attempt(&input);
        }
    }

    /// Tries one more input; gives it back where the answer was a new one.
    pub fn step(&mut self) -> Option<Vec<u8>> {
        let input = self.random.choose(&self.kept).cloned().unwrap_or_default();
        let input = mutated(&input, &self.kept, &mut self.random);
        let is_new = self.attempt(&input);
        if !is_new || input.len() > LONGEST_KEPT || self.kept.len() >= MOST_KEPT {
            return None;
        }
        self.kept.push(input.clone());
        Some(input)
    }

    /// What was tried so far.
    pub fn tried(&self) -> Tried {
        Tried {
            answers: self.answers.len(),
            ..self.tried
        }
    }

    /// Whether the answer to this input is a new one.
    fn attempt(&mut self, input: &[u8]) -> bool {
        if let Some(path) = &self.current {
            // Only a help in finding what went wrong.
            let _ = fs::write(path, input);
        }
        let start = Instant::now();
        let witness = Witness(input);
        let answer = (self.target.answer)(input);
        drop(witness);
        self.tried.inputs += 1;
        self.tried.slowest = self.tried.slowest.max(start.elapsed());
        self.answers.insert(shape(&answer, input))
    }
}

/// Shows the input that made a target panic.
struct Witness<'a>(&'a [u8]);

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the input: \"{}\"", self.0.escape_ascii());
        }
    }
}

/// A number for the words of an answer that it does not repeat from its input.
fn shape(answer: &str, input: &[u8]) -> u64 {
    let input = String::from_utf8_lossy(input);
    let mut hasher = DefaultHasher::new();
    answer
        .split(|sign: char| !sign.is_ascii_alphabetic())
        .filter(|word| word.len() > 2 && !input.contains(word))
        .take(MOST_WORDS)
        .for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}

/// Searches for so long. What is being tried lies in the file `current`, so that
/// it is there still where it ends the program. `found` gets each input with a
/// new answer, and the number of that answer.
///
/// # Errors
/// A sentence, where an input broke something or took too long; that input lies
/// in `current` then.
pub fn search(
    target: &'static Target,
    corpus: Vec<Vec<u8>>,
    seed: u64,
    time: Duration,
    current: &Path,
    mut found: impl FnMut(&[u8], usize),
) -> Result<Tried, String> {
    let (sender, receiver) = mpsc::channel();
    let mut search = Search::new(target, corpus, seed);
    search.current = Some(current.to_path_buf());
    let searching = thread::spawn(move || {
        search.replay();
        let start = Instant::now();
        let mut told = start;
        while start.elapsed() < time && search.tried.slowest < TOO_LONG {
            let input = search.step();
            if input.is_none() && told.elapsed() < NEWS {
                continue;
            }
            told = Instant::now();
            if sender.send((search.tried(), input)).is_err() {
                return;
            }
        }
        let _ = sender.send((search.tried(), None));
    });
    let name = target.name;
    let shown = current.display();
    let mut tried = Tried::default();
    loop {
        match receiver.recv_timeout(NEVER_ENDS) {
            Ok((now, input)) => {
                tried = now;
                if let Some(input) = input {
                    found(&input, tried.answers);
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!(
                    "{name}: no end within {NEVER_ENDS:?}; the input is {shown}"
                ));
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    if searching.join().is_err() {
        return Err(format!("{name}: a promise is broken; the input is {shown}"));
    }
    if tried.slowest >= TOO_LONG {
        let slowest = tried.slowest;
        return Err(format!("{name}: {slowest:?} for one input, which is {shown}"));
    }
    let _ = fs::remove_file(current);
    Ok(tried)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(answer: fn(&[u8]) -> String) -> &'static Target {
        Box::leak(Box::new(Target { name: "test", answer }))
    }

    #[test]
    fn what_answers_something_new_is_kept() {
        let target = target(|input| if input.contains(&b'b') { "found" } else { "nothing" }.to_string());
        let mut search = Search::new(target, vec![b"a".to_vec()], 1);
        search.replay();
        let found: Vec<Vec<u8>> = (0..10_000).filter_map(|_| search.step()).collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].contains(&b'b'));
        assert_eq!(search.tried().answers, 2);
        assert_eq!(search.tried().inputs, 10_001);
    }

    #[test]
    fn an_input_that_breaks_something_is_left_behind() {
        let folder = tempfile::TempDir::new().unwrap();
        let current = folder.path().join("test");
        let target = target(|input| {
            assert!(!input.contains(&b'!'));
            String::new()
        });
        let time = Duration::from_mins(1);
        let error = search(target, vec![b"!".to_vec()], 1, time, &current, |_, _| ());
        assert!(error.unwrap_err().contains("a promise is broken"));
        assert_eq!(fs::read(&current).unwrap(), b"!");
        let none = search(
            target,
            vec![b"a".to_vec()],
            1,
            Duration::ZERO,
            &current,
            |_, _| (),
        );
        assert_eq!(none.unwrap().inputs, 1, "the corpus is tried whole");
        assert!(!current.exists());
    }

    #[test]
    fn what_an_answer_repeats_is_no_news() {
        let shape = |answer: &str| shape(answer, b"some words 12");
        assert_eq!(
            shape("line 12: there is no `some`"),
            shape("line 3: there is no `words`")
        );
        assert_ne!(
            shape("line 12: there was no `some`"),
            shape("line 12: there is no `some`")
        );
    }
}
