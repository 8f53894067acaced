//! Hints and analysis: a thread that asks a program about positions of a board, one at a time. A new
//! question ends the search for the one before.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use referee::{LineView, PATIENCE, make_program};
use referee_core::game::clock::{Control, TimeControl};
use referee_core::game::{Game, Ruleset};
use referee_core::io::interrupt::Interrupt;
use referee_core::player::{Engine, NoMove, Player as _, Turn};

use super::state::{Advice, SharedState};
use super::watcher::Watcher;
use crate::known::KnownPlayer;

/// What the answers are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A move for the person: one second.
    Hint,
    /// The analysis of a position: up to a minute.
    Analysis,
}

impl Purpose {
    const fn time(self) -> Duration {
        match self {
            Purpose::Hint => Duration::from_secs(1),
            Purpose::Analysis => Duration::from_mins(1),
        }
    }
}

/// The time without a question after which the program ends.
const IDLE_TIME: Duration = Duration::from_mins(1);

/// The time without a page after which an analysis ends: longer than a page takes to load again.
const ABSENCE: Duration = Duration::from_secs(10);

/// What the thread is asked; `None` ends the search.
type Ask = Option<Question>;

/// A question about the last position of a game.
#[derive(Debug)]
struct Question {
    known: KnownPlayer,
    game: Game,
}

/// Asks programs.
#[derive(Debug)]
pub struct Adviser(Sender<Ask>);

impl Adviser {
    /// A thread that writes its answers to the state of the board.
    pub fn start(
        purpose: Purpose,
        rules: Ruleset,
        shared: &Arc<SharedState>,
        interrupt: &Arc<Interrupt>,
    ) -> Adviser {
        let (asks, questions) = channel();
        let worker = Worker {
            purpose,
            rules,
            shared: Arc::clone(shared),
            interrupt: Arc::clone(interrupt),
            engine: None,
            asked: 0,
        };
        // Without a thread, there are no answers.
        let _ = thread::Builder::new()
            .name("adviser".into())
            .spawn(move || worker.run(&questions));
        Adviser(asks)
    }

    /// Asks about the last position of a game.
    pub fn ask(&self, known: KnownPlayer, game: Game) {
        let _ = self.0.send(Some(Question { known, game }));
    }

    /// Ends the search.
    pub fn stop(&self) {
        let _ = self.0.send(None);
    }
}

/// The thread.
struct Worker {
    purpose: Purpose,
    rules: Ruleset,
    shared: Arc<SharedState>,
    interrupt: Arc<Interrupt>,
    /// The program that was asked last, with its id.
    engine: Option<(String, Engine)>,
    /// The number of questions so far.
    asked: u64,
}

impl Worker {
    fn run(mut self, questions: &Receiver<Ask>) {
        let mut next = None;
        loop {
            let asked = match next.take() {
                Some(asked) => asked,
                None => match questions.recv_timeout(IDLE_TIME) {
                    Ok(asked) => asked,
                    Err(RecvTimeoutError::Timeout) => {
                        self.engine = None;
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                },
            };
            // Only the last of several questions counts.
            let Some(question) = questions.try_iter().last().unwrap_or(asked) else {
                self.write(None);
                continue;
            };
            next = self.answer(&question, questions);
        }
    }

    fn write(&self, advice: Option<Advice>) {
        self.shared.update(|now| match self.purpose {
            Purpose::Hint => now.hint = advice,
            Purpose::Analysis => now.analysis = advice,
        });
    }

    /// Writes an advice if the board still shows the position.
    fn show(&self, game: &Game, mut advice: Advice) {
        let is_current = {
            let played = &self.shared.state().game.view.moves;
            played.get(..game.moves().len()) == Some(game.moves())
        };
        if is_current {
            advice.boards = LineView::of(game.position(), &advice.pv);
            self.write(Some(advice));
        }
    }

    /// Whether no page has followed an analysis for some time; `left` is when the last one was gone.
    fn is_unwanted(&self, left: &Cell<Option<Instant>>) -> bool {
        let is_followed = self.purpose == Purpose::Hint || self.shared.is_followed();
        left.set((!is_followed).then(|| left.get().unwrap_or_else(Instant::now)));
        left.get().is_some_and(|left| left.elapsed() >= ABSENCE)
    }

    /// Asks the program. Returns the question that ended the search.
    fn answer(&mut self, question: &Question, questions: &Receiver<Ask>) -> Option<Ask> {
        let Question { known, game } = question;
        self.asked += 1;
        let empty = Advice {
            player: known.id.clone(),
            number: self.asked,
            plies: game.moves().len(),
            ..Advice::default()
        };
        self.show(game, empty.clone());
        let engine = match self.engine.take() {
            Some((id, engine)) if id == known.id => Ok(engine),
            _ => {
                make_program(&known.settings, self.rules, 1, &self.interrupt, true).map(|(engine, _)| engine)
            }
        };
        match engine {
            Ok(engine) => self.search(engine, question, empty, questions),
            Err(failure) => {
                self.show(game, empty.failed(failure.to_string()));
                None
            }
        }
    }

    fn search(
        &mut self,
        mut engine: Engine,
        Question { known, game }: &Question,
        empty: Advice,
        questions: &Receiver<Ask>,
    ) -> Option<Ask> {
        let limits = known.settings.control();
        let control = Control {
            time: TimeControl::Move(self.purpose.time()),
            margin: PATIENCE,
            // An analysis has no other limit than its time.
            depth: limits.depth.filter(|_| self.purpose == Purpose::Hint),
            nodes: limits.nodes.filter(|_| self.purpose == Purpose::Hint),
            cpu: None,
        };
        let left = Cell::new(None);
        let mut watcher = Watcher {
            requests: questions,
            filter: Some,
            request: None,
            is_unwanted: &|| self.is_unwanted(&left),
            advice: empty,
            show: |advice| self.show(game, advice),
            shown: Instant::now(),
        };
        let mut turn = Turn {
            observer: Some(&mut watcher),
            ..Turn::apart(game, &control)
        };
        let answer = engine.think(game, &mut turn);
        let (next, last) = (watcher.request, watcher.advice);
        match answer {
            Ok(answer) => {
                let advice = Advice {
                    is_over: true,
                    text: Some(answer.mv.text),
                    score: answer.thought.info.score.map(|score| score.to_string()),
                    pv: answer.thought.info.pv,
                    ..last
                };
                self.show(game, advice);
                self.engine = Some((known.id.clone(), engine));
            }
            // A search that was ended leaves a program in an unknown state; dropping ends it.
            Err(NoMove::Stopped(_)) if next.is_none() => self.write(None),
            Err(NoMove::Stopped(_)) => {}
            Err(NoMove::Fault { fault, .. }) => self.show(game, last.failed(fault.detail(&known.name))),
            Err(_) => self.show(game, last.failed(format!("{} gives no move", known.name))),
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use referee::Settings;
    use referee_core::game::MoveSequence;

    use super::*;
    use crate::boards::state::BoardState;
    use crate::known::KnownKind;

    fn worker(purpose: Purpose) -> Worker {
        Worker {
            purpose,
            rules: Ruleset::default(),
            shared: SharedState::new(BoardState::default()),
            interrupt: Arc::new(Interrupt::unreachable().unwrap()),
            engine: None,
            asked: 0,
        }
    }

    #[test]
    fn an_analysis_is_wanted_while_a_page_follows() {
        let worker = worker(Purpose::Analysis);
        let left = Cell::new(Instant::now().checked_sub(ABSENCE));
        assert!(worker.is_unwanted(&left));
        let _page = worker.shared.follow();
        assert!(!worker.is_unwanted(&left));
    }

    #[test]
    fn a_page_shows_why_there_is_no_hint() {
        let mut worker = worker(Purpose::Hint);
        let known = KnownPlayer {
            id: "program:bot".into(),
            name: "bot".into(),
            about: String::new(),
            kind: KnownKind::Program,
            is_broken: false,
            has_time: false,
            has_protocol: false,
            settings: Settings::of_program("./no-such-program"),
        };
        let game = Game::begun(&MoveSequence::new(worker.rules, worker.rules.startpos()));
        worker.answer(&Question { known, game }, &channel().1);
        let hint = worker.shared.state().now.hint.clone().unwrap();
        assert!(hint.failure.unwrap().contains("no-such-program"));
    }
}
