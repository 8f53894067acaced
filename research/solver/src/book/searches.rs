//! Searches for a book, and the file that keeps their results.
//!
//! The first line of the file names the game and the nodes of a search. Every other line is a
//! result: `FEN; MOVES; MOVE VALUE CHECKSUM`, with the moves to choose from, the best of them, and a
//! checksum of the line.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use lodestone::book::{BookScore, ScoredMove};
use lodestone::search::{LastReport, Lodestone, RootStrategy, SearchLimits, SearchOptions, Searcher, Task};
use lodestone_game::Game;
use lodestone_game::random::checksum;

use super::tree::BookQuestion;
use crate::line_file::{LineFile, read_whole_lines};

/// Size of the transposition table of a search, in megabytes.
const HASH: usize = 16;

/// Answers questions by search, or from earlier runs.
#[derive(Debug)]
pub struct BookSearches<G: RootStrategy> {
    nodes: u64,
    players: Vec<Lodestone<G>>,
    /// The move and its value by question, as in the file.
    known: HashMap<String, String>,
    /// The results that a run appends.
    file: Option<LineFile>,
    /// The number of answers, and of those from files.
    pub answered: (usize, usize),
}

impl<G: RootStrategy> BookSearches<G> {
    /// Searches of `nodes` nodes each, on `threads` threads.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(nodes: u64, threads: usize) -> Result<BookSearches<G>, String> {
        let players = (0..threads.max(1)).map(|_| Lodestone::with_hash(HASH));
        let players = players
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        Ok(BookSearches {
            nodes,
            players,
            known: HashMap::new(),
            file: None,
            answered: (0, 0),
        })
    }

    /// Uses the results of a file, to which another run may append.
    ///
    /// # Errors
    /// A sentence: the file cannot be read, or a line is wrong.
    pub fn read(&mut self, path: &Path) -> Result<(), String> {
        let header = self.header();
        read_whole_lines(path, &header, |number, line| self.add(number, line))
    }

    /// Opens or creates the file that this run appends to, and uses its results. A last line
    /// without an end, from a run that was killed, is removed.
    ///
    /// # Errors
    /// A sentence: the file cannot be used, another run uses it, or a line is wrong.
    pub fn open(&mut self, path: &Path) -> Result<(), String> {
        let header = self.header();
        let foreign = "it has no searches of lodestone";
        let file = LineFile::open(path, &header, foreign, |number, line| self.add(number, line))?;
        self.file = Some(file);
        Ok(())
    }

    fn header(&self) -> String {
        format!(
            "lodestone book searches 1: {}, {} nodes a search",
            G::INFO.name,
            self.nodes
        )
    }

    /// Adds a result of a file.
    fn add(&mut self, number: usize, line: &str) -> Result<(), String> {
        let wrong = || format!("line {number} is damaged: it does not fit its checksum; remove it");
        let (result, sum) = line.rsplit_once(' ').ok_or_else(wrong)?;
        let (question, answer) = result.rsplit_once("; ").ok_or_else(wrong)?;
        if sum != sum_of(result) {
            return Err(wrong());
        }
        self.known.insert(question.to_string(), answer.to_string());
        Ok(())
    }

    /// The answers to these questions, in their order. Searches run at the same time; each starts
    /// with empty memory, so an answer depends on its question only.
    ///
    /// # Errors
    /// A sentence: the file cannot be written, or its result is none.
    pub fn answer(&mut self, questions: &[BookQuestion<G>]) -> Result<Vec<ScoredMove>, String> {
        let texts: Vec<String> = questions.iter().map(question_text).collect();
        let is_new = |index: &usize| !self.known.contains_key(&texts[*index]);
        let new: Vec<usize> = (0..questions.len()).filter(is_new).collect();
        self.answered.0 += questions.len();
        self.answered.1 += questions.len() - new.len();
        let (nodes, next) = (self.nodes, AtomicUsize::new(0));
        let (known, file) = (&mut self.known, &mut self.file);
        let results = Mutex::new(Ok((known, file)));
        let work = |player: &mut Lodestone<G>| {
            while let Some(&index) = new.get(next.fetch_add(1, Ordering::Relaxed)) {
                let (mv, score) = search(player, &questions[index], nodes);
                let answer = format!("{} {score}", G::move_text(mv));
                let mut results = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let Ok((known, file)) = results.as_mut() else {
                    return;
                };
                let written = file.as_mut().map_or(Ok(()), |file| {
                    let result = format!("{}; {answer}", texts[index]);
                    file.append(&format!("{result} {}", sum_of(&result)))
                });
                known.insert(texts[index].clone(), answer);
                if let Err(error) = written {
                    *results = Err(error);
                }
            }
        };
        // A system without threads cannot start one, so the first player has this thread.
        if let Some((first, others)) = self.players.split_first_mut() {
            thread::scope(|scope| {
                for player in others.iter_mut().take(new.len().saturating_sub(1)) {
                    scope.spawn(|| work(player));
                }
                work(first);
            });
        }
        results
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)?;
        let parse = |(question, text): (&BookQuestion<G>, &String)| {
            let answer = self.known.get(text).map_or("", String::as_str);
            parse_answer(question, answer).map_err(|error| format!("the search `{text}`: {error}"))
        };
        questions.iter().zip(&texts).map(parse).collect()
    }
}

fn sum_of(result: &str) -> String {
    format!("{:016x}", checksum(result.as_bytes()))
}

fn question_text<G: Game>(question: &BookQuestion<G>) -> String {
    let moves: Vec<String> = question.moves.iter().map(|&mv| G::move_text(mv)).collect();
    format!("{}; {}", question.position.fen(), moves.join(" "))
}

fn parse_answer<G: Game>(question: &BookQuestion<G>, answer: &str) -> Result<ScoredMove, String> {
    let (mv, score) = answer.split_once(' ').unwrap_or((answer, ""));
    let mv = question
        .position
        .parse_move(mv)
        .map_err(|error| error.to_string())?;
    let score: BookScore = score.parse()?;
    Ok((mv, score))
}

/// The best move and its value after this number of nodes, without contempt.
fn search<G: RootStrategy>(player: &mut Lodestone<G>, question: &BookQuestion<G>, nodes: u64) -> ScoredMove {
    player.new_game();
    let last = LastReport::default();
    let task = Task {
        limits: SearchLimits::nodes(nodes),
        options: SearchOptions::without_contempt(),
        ..Task::new(question.moves.clone(), &last)
    };
    let best = player.search(&question.position, &task);
    let report = last.into_inner();
    let mv = report.as_ref().and_then(|report| report.line.first().copied());
    let score = report.map_or(BookScore::Cp(0), |report| report.score.into());
    (mv.unwrap_or(best), score)
}
