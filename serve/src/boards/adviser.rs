//! Hints and analysis: a thread that asks a program about positions of a board, one at a time. A new
//! question ends the search for the one before.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use lodestone::protocol::Info;
use referee::game::clock::{Control, TimeControl};
use referee::game::{Game, Observer, Ruleset};
use referee::interactive::session::{PATIENCE, start_engine};
use referee::io::interrupt::{Interrupt, Stop};
use referee::player::{Engine, NoMove, Player as _, Turn};

use super::state::{Advice, Shared};
use crate::known::Known;

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

/// The shortest time between two reports.
const REPORTING: Duration = Duration::from_millis(200);

/// The time without a question after which the program ends.
const REST: Duration = Duration::from_mins(1);

/// What the thread is asked.
#[derive(Debug)]
enum Ask {
    Search(Box<Question>),
    Stop,
}

/// A question about the last position of a game.
#[derive(Debug)]
struct Question {
    known: Known,
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
        shared: &Arc<Shared>,
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
    pub fn ask(&self, known: Known, game: Game) {
        let _ = self.0.send(Ask::Search(Box::new(Question { known, game })));
    }

    /// Ends the search.
    pub fn stop(&self) {
        let _ = self.0.send(Ask::Stop);
    }
}

/// The thread.
struct Worker {
    purpose: Purpose,
    rules: Ruleset,
    shared: Arc<Shared>,
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
                None => match questions.recv_timeout(REST) {
                    Ok(asked) => asked,
                    Err(RecvTimeoutError::Timeout) => {
                        self.engine = None;
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                },
            };
            // Only the last of several questions counts.
            let Ask::Search(question) = questions.try_iter().last().unwrap_or(asked) else {
                self.show(|_| true, None);
                continue;
            };
            next = self.answer(&question, questions);
        }
    }

    /// Writes an advice if the board still shows the position.
    fn show(&self, is_current: impl Fn(&[String]) -> bool, advice: Option<Advice>) {
        if !is_current(&self.shared.state().game.view.moves) {
            return;
        }
        self.shared.update(|state| match self.purpose {
            Purpose::Hint => state.hint = advice,
            Purpose::Analysis => state.analysis = advice,
        });
    }

    /// Asks the program. Returns the question that ended the search.
    fn answer(&mut self, question: &Question, questions: &Receiver<Ask>) -> Option<Ask> {
        let Question { known, game } = question;
        let moves = game.moves();
        let is_current = |played: &[String]| played.get(..moves.len()) == Some(moves);
        self.asked += 1;
        let empty = Advice {
            player: known.id.clone(),
            number: self.asked,
            plies: moves.len(),
            ..Advice::default()
        };
        self.show(is_current, Some(empty.clone()));
        let kept = self.engine.take().filter(|(id, _)| *id == known.id);
        let started = kept.map_or_else(
            || {
                let started = start_engine(&known.settings, self.rules, 1, &self.interrupt);
                started.map(|(engine, _)| engine)
            },
            |(_, engine)| Ok(engine),
        );
        let fail = |why: String| {
            let advice = Advice {
                failure: Some(why),
                is_over: true,
                ..empty.clone()
            };
            self.show(is_current, Some(advice));
        };
        let mut engine = match started {
            Ok(engine) => engine,
            Err(failure) => {
                fail(failure.to_string());
                return None;
            }
        };
        let limits = known.settings.control();
        let control = Control {
            time: TimeControl::Move(self.purpose.time()),
            margin: PATIENCE,
            // An analysis has no other limit than its time.
            depth: limits.depth.filter(|_| self.purpose == Purpose::Hint),
            nodes: limits.nodes.filter(|_| self.purpose == Purpose::Hint),
        };
        let mut report = Report {
            empty: &empty,
            show: |advice| self.show(is_current, Some(advice)),
            questions,
            next: None,
            shown: Instant::now(),
            advice: empty.clone(),
        };
        let mut turn = Turn {
            observer: Some(&mut report),
            ..Turn::apart(game, &control)
        };
        let answer = engine.think(game, &mut turn);
        let (next, last) = (report.next, report.advice);
        match answer {
            Ok(answer) => {
                let thought = &answer.thought;
                let advice = Advice {
                    is_over: true,
                    text: Some(answer.mv.text.clone()),
                    score: thought.score.map(|score| score.to_string()),
                    pv: thought.line.clone(),
                    ..last
                };
                self.show(is_current, Some(advice));
                self.engine = Some((known.id.clone(), engine));
            }
            // A search that was ended leaves a program in an unknown state; dropping ends it.
            Err(NoMove::Stopped(_)) => {}
            Err(why) => {
                fail(match why {
                    NoMove::Fault { fault, .. } => fault.detail(&known.name),
                    _ => format!("{} gives no move", known.name),
                });
            }
        }
        next
    }
}

/// Writes what a program reports while it searches.
struct Report<'a, F> {
    empty: &'a Advice,
    show: F,
    questions: &'a Receiver<Ask>,
    /// What ended the search.
    next: Option<Ask>,
    shown: Instant,
    advice: Advice,
}

impl<F: Fn(Advice)> Observer for Report<'_, F> {
    fn asks(&mut self, _: &Game) -> bool {
        true
    }

    fn thinking(&mut self, elapsed: Duration, info: &Info) -> Result<(), Stop> {
        match self.questions.try_recv() {
            Ok(next) => {
                self.next = Some(next);
                return Err(Stop::Quit);
            }
            Err(TryRecvError::Disconnected) => return Err(Stop::Quit),
            Err(TryRecvError::Empty) => {}
        }
        self.advice = reported(self.empty, elapsed, info);
        if self.shown.elapsed() >= REPORTING && info.score.is_some() {
            self.shown = Instant::now();
            (self.show)(self.advice.clone());
        }
        Ok(())
    }
}

/// An advice with what a program reports.
pub fn reported(empty: &Advice, elapsed: Duration, info: &Info) -> Advice {
    Advice {
        elapsed: elapsed.as_millis() as u64,
        depth: info.depth,
        score: info.score.map(|score| score.to_string()),
        nodes: info.nodes,
        pv: info.pv.clone(),
        ..empty.clone()
    }
}
