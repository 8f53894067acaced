//! The engine state: a position and a searcher. Generic over the game inside, one trait
//! object outside, so choosing the game costs one dynamic call per command.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use lodestone_game::board::{Move, MoveList};
use lodestone_game::players;
use lodestone_game::protocol::{Info, Limits, Query, Reply, Start, option_names};
use lodestone_game::text::{MAX_QUOTE, printable};
use lodestone_game::time::budget;
use lodestone_game::{Diagram, Facade, Game, PausingPerft, Variant, with_game};

use super::job::{Job, PendingSearch, PublishedMove, Work};
use super::options::Options;
use super::search_job::{MAX_WAIT, SearchJob, SearcherSlot};
use crate::book::{Book, BookMove};
use crate::game::Yardstick;
use crate::search::{RootStrategy, SearchLimits, Silent, Task, fallback_move};

/// A position of some game and a searcher for it. An error is a sentence for the client;
/// the state is unchanged then.
pub trait EngineState {
    /// Sets the position to `start` followed by `moves`.
    ///
    /// # Errors
    /// The FEN or a move is wrong.
    fn set_position(&mut self, start: &Start, moves: &[String]) -> Result<(), String>;

    /// Replaces the searcher by the one that the options name.
    ///
    /// # Errors
    /// Not enough memory for the transposition table.
    fn set_searcher(&mut self, options: &Options) -> Result<(), String>;

    /// Opens the book that the options name, or closes it. Returns how many positions it has, or
    /// why there is none, as a note for the client.
    fn set_book(&mut self, options: &Options) -> Option<String>;

    /// Makes the next search start with empty memory.
    fn new_game(&mut self);

    /// Clears the memory now if [`EngineState::new_game`] asked for it. Called while no
    /// search runs, so that clearing takes no search time.
    fn run_deferred(&mut self);

    /// Computes what the first search needs. Called for `isready` while no search runs, so that
    /// it takes no search time.
    fn prepare(&self);

    /// The answer to a `query`.
    fn answer(&self, query: &Query) -> Vec<Reply>;

    /// The board, its FEN, and the result if the game is over.
    fn describe(&self) -> String;

    /// The static evaluation of the position, as a line for `eval`.
    fn evaluation(&self) -> String;

    /// The job for a `go` that arrived at `arrival`, and a sentence about moves of
    /// `searchmoves` that it cannot use.
    fn search(
        &mut self,
        limits: &Limits,
        arrival: Instant,
        options: &Options,
    ) -> ((Job, Work), Option<String>);

    /// The job for `go perft`.
    fn perft(&self, depth: u32) -> (Job, Work);
}

/// The state for the game that the options name, at its start position.
pub(crate) fn new_state(options: &Options) -> Result<Box<dyn EngineState>, String> {
    Ok(with_game!(options.variant, G => Box::new(GameState::<G> {
        position: G::startpos(),
        played: Vec::new(),
        slot: Arc::new(SearcherSlot::new(options)?),
        book: None,
        clears_memory: false,
    })))
}

/// Opens or closes a file of exact values, for the game that knows its format. Returns what the
/// file answers, or why it cannot be used.
pub(crate) fn use_table(path: Option<&Path>) -> Option<String> {
    let mut results = Variant::ALL
        .iter()
        .map(|&variant| with_game!(variant, G => G::use_table(path)));
    results.find_map(|result| match result {
        Ok(note) if note.is_empty() => None,
        Ok(note) => Some(format!("{}: {note}", option_names::TABLE_PATH)),
        Err(error) => {
            let path = path.map_or_else(String::new, printable_path);
            Some(format!(
                "{}: {path}: {error}; the engine searches instead",
                option_names::TABLE_PATH
            ))
        }
    })
}

/// A message shows this many characters of a path.
const MAX_PATH: usize = 400;

fn printable_path(path: &Path) -> String {
    printable(&path.display().to_string(), MAX_PATH)
}

struct GameState<G> {
    position: G,
    /// The positions before this one with the moves played there.
    played: Vec<(G, Move)>,
    slot: Arc<SearcherSlot<G>>,
    /// The book of the option `OwnBook`.
    book: Option<Book>,
    /// Whether the next search starts with empty memory.
    clears_memory: bool,
}

/// A search waits at most 1/`WAIT_DIVISOR` of its time for the previous one to stop.
const WAIT_DIVISOR: u32 = 2;

impl<G: RootStrategy + Yardstick> GameState<G> {
    /// The legal moves that `searchmoves` lists, or all if it lists none. Also a sentence
    /// about words that are no legal moves.
    fn moves_to_search(&self, searchmoves: &[String]) -> (MoveList, Option<String>) {
        let mut moves = self.position.legal_moves();
        let (mut listed, mut skipped, mut first_error) = (Vec::new(), Vec::new(), None);
        for text in searchmoves {
            match self.position.parse_move(text) {
                Ok(mv) => listed.push(mv),
                Err(error) => {
                    skipped.push(text.as_str());
                    first_error.get_or_insert(error);
                }
            }
        }
        if !listed.is_empty() {
            moves = moves.iter().copied().filter(|mv| listed.contains(mv)).collect();
        }
        let report = first_error.map(|error| {
            if listed.is_empty() {
                format!("searchmoves: {error}; all moves are searched")
            } else {
                let skipped = printable(&skipped.join(" "), MAX_QUOTE);
                format!("searchmoves: {error}; skipped: {skipped}")
            }
        });
        (moves, report)
    }

    /// The move of the book for a `go` that asks for a move to play; `None` if it asks for
    /// analysis, or the book has no move.
    fn book_move(&self, limits: &Limits, options: &Options) -> Option<BookMove> {
        let asks_for_move = limits.is_bounded()
            && !limits.ponder
            && limits.mate.is_none()
            && limits.searchmoves.is_empty()
            && options.search.multipv == 1
            && options.player() == players::DEFAULT;
        self.book.as_ref().filter(|_| asks_for_move)?.find(&self.position)
    }
}

/// The plies for which a clock must last, with this player: only `lodestone` has a solver.
fn plies_on_clock<G: RootStrategy>(root: &G, player: &str) -> u32 {
    if player == players::DEFAULT {
        root.plies_on_clock()
    } else {
        root.plies_left()
    }
}

/// The job that answers a `go` with a move of a book at once.
fn book_job<G: Game>(
    BookMove { line, score }: BookMove,
    published: &PublishedMove,
    pending: PendingSearch,
    options: &Options,
) -> (Job, Work) {
    published.set(&line);
    let (mut job, work) = Job::new(Some(pending), |_, _| ());
    job.has_ended = true;
    let best = line.first().map_or_else(String::new, |&mv| G::move_text(mv));
    job.reports.push(Reply::InfoString(format!("book move {best}")));
    job.reports.push(Reply::Info(Info {
        depth: Some(line.len() as u32),
        score: Some(score),
        score_words: options.score_words,
        nodes: Some(0),
        time: Some(0),
        pv: line.into_iter().map(G::move_text).collect(),
        ..Info::default()
    }));
    (job, work)
}

impl<G: RootStrategy + Yardstick> EngineState for GameState<G> {
    fn set_position(&mut self, start: &Start, moves: &[String]) -> Result<(), String> {
        let mut position = match start {
            Start::Startpos => G::startpos(),
            Start::Fen(fen) => G::from_fen(fen).map_err(|error| error.to_string())?,
        };
        let mut played = Vec::with_capacity(moves.len());
        for (number, text) in (1..).zip(moves) {
            let mv = position
                .parse_move(text)
                .map_err(|error| format!("move {number}: {error}"))?;
            played.push((position, mv));
            position = position.play(mv);
        }
        self.position = position;
        self.played = played;
        Ok(())
    }

    fn set_searcher(&mut self, options: &Options) -> Result<(), String> {
        self.slot.replace(options)?;
        self.clears_memory = false;
        Ok(())
    }

    fn set_book(&mut self, options: &Options) -> Option<String> {
        self.book = None;
        let (name, game) = (option_names::OWN_BOOK, G::INFO.name);
        let path = options.book_file.as_deref();
        if !options.own_book {
            return path.map(|_| format!("{}: set {name} to true to use it", option_names::BOOK_FILE));
        }
        let book = match path {
            Some(path) => Book::open::<G>(path)
                .map_err(|error| format!("{}: {}: {error}", option_names::BOOK_FILE, printable_path(path))),
            None => Book::embedded::<G>()
                .ok_or_else(|| format!("{name}: there is no book for {game} in this program")),
        };
        Some(match book {
            Ok(book) => {
                let note = format!("{name}: {game}, {} positions", book.len());
                self.book = Some(book);
                note
            }
            Err(error) => format!("{error}; the engine searches instead"),
        })
    }

    fn new_game(&mut self) {
        self.clears_memory = true;
    }

    fn run_deferred(&mut self) {
        if self.clears_memory && self.slot.if_idle(|searcher| searcher.new_game()).is_some() {
            self.clears_memory = false;
        }
    }

    fn prepare(&self) {
        self.slot.if_idle(|searcher| searcher.prepare());
    }

    fn answer(&self, query: &Query) -> Vec<Reply> {
        Reply::to(query, &Facade(self.position))
    }

    fn describe(&self) -> String {
        let mut text = format!("{}\nFen: {}", Diagram::of(&self.position), self.position.fen());
        if let Some(outcome) = self.position.outcome() {
            let _ = write!(
                text,
                "\nResult: {} ({})",
                outcome.result,
                self.position.explain(outcome)
            );
        }
        text
    }

    fn evaluation(&self) -> String {
        if self.position.outcome().is_some() {
            return "Evaluation: none, the game is over".to_string();
        }
        let position = &self.position;
        let text = self.slot.if_idle(|searcher| {
            let learned = if searcher.has_learned_evaluation() {
                "learned"
            } else {
                "counted"
            };
            match (searcher.exact_points(position), searcher.evaluate(position)) {
                (Some(1), _) => "win (side to move), proven".to_string(),
                (Some(0), _) => "draw (side to move), proven".to_string(),
                (Some(_), _) => "loss (side to move), proven".to_string(),
                (None, Some(value)) => format!("{value} (side to move), {learned}"),
                (None, None) => "none, this player has no evaluation".to_string(),
            }
        });
        format!(
            "Evaluation: {}",
            text.unwrap_or_else(|| "none during a search".to_string())
        )
    }

    fn search(
        &mut self,
        limits: &Limits,
        arrival: Instant,
        options: &Options,
    ) -> ((Job, Work), Option<String>) {
        let root = self.position;
        let (moves, unusable) = self.moves_to_search(&limits.searchmoves);
        let published = PublishedMove::new(fallback_move(&root, &moves));
        let plies = plies_on_clock(&root, options.player());
        let budget = budget(limits, root.side_to_move(), plies, options.time);
        let pending = PendingSearch::new(limits, arrival, budget, published.clone(), G::move_text);
        if pending.has_no_move() {
            return (Job::new(Some(pending), |_, _| ()), unusable);
        }
        if let Some(book_move) = self.book_move(limits, options) {
            return (book_job::<G>(book_move, &published, pending, options), unusable);
        }
        let earlier = self.played.iter().map(|(position, _)| position);
        let mut search = SearchJob {
            root,
            task: Task {
                earlier: earlier.filter_map(G::repetition_key).collect(),
                opponent: G::shallow_opponent(&self.played),
                limits: SearchLimits {
                    depth: limits.depth_limit(),
                    nodes: limits.nodes,
                    mate: limits.mate,
                    deadlines: pending.deadlines.clone(),
                },
                options: options.search,
                ..Task::new(moves, &Silent)
            },
            arrival,
            published,
            options: options.clone(),
            clears_memory: std::mem::take(&mut self.clears_memory),
            max_wait: budget.map_or(MAX_WAIT, |budget| MAX_WAIT.min(budget.hard / WAIT_DIVISOR)),
            interrupted: None,
        };
        let slot = Arc::clone(&self.slot);
        let job = Job::in_slices(Some(pending), move |stop, reports, slice| {
            search.run(&slot, stop, reports, slice)
        });
        (job, unusable)
    }

    fn perft(&self, depth: u32) -> (Job, Work) {
        let position = self.position;
        let moves = if depth == 0 {
            MoveList::default()
        } else {
            position.legal_moves()
        };
        let (mut counted, mut total) = (0, u64::from(depth == 0));
        let mut current = None;
        Job::in_slices(None, move |stop, reports, slice| {
            let end = slice.map(|slice| Instant::now() + slice);
            let pauses = || stop.is_set() || end.is_some_and(|end| Instant::now() >= end);
            while let Some(&mv) = moves.get(counted) {
                let count = current.get_or_insert_with(|| PausingPerft::new(position.play(mv), depth - 1));
                match count.run(pauses) {
                    Some(count) => {
                        total += count;
                        reports.push(Reply::Text(format!("{}: {count}", G::move_text(mv))));
                        (counted, current) = (counted + 1, None);
                    }
                    None if stop.is_set() => {
                        reports.push(Reply::InfoString(
                            "perft was stopped: the count is incomplete".into(),
                        ));
                        break;
                    }
                    None => return false,
                }
            }
            reports.push(Reply::Text(format!("Nodes searched: {total}")));
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::*;

    #[test]
    fn only_the_player_with_a_solver_saves_no_time_for_solved_positions() {
        let root = MagneticCave::startpos();
        let plies = |player| plies_on_clock(&root, player);
        assert_eq!(["lodestone", "plain", "random"].map(plies), [44, 64, 64]);
    }
}
