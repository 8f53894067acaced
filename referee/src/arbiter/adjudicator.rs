//! Ends games before their end, and checks what engines claim, by the rules of
//! [`game::adjudication`](crate::game::adjudication).
//!
//! The solver works between two moves, while no clock runs. Its limit is a number of
//! nodes and its memory is empty at the start of each game, so the same game is always
//! ended at the same move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lodestone::board::Side;
use lodestone::game::GameResult;
use lodestone::protocol::Limits;
use lodestone::score::Score;

use crate::game::Ruleset;
use crate::game::adjudication::{
    Adjudication, ClaimReport, ClaimVerdict, Rules, by_line, by_result, claimed_result, first_illegal,
    recurs_but_for_counters,
};
use crate::game::{Game, Played};
use crate::io::interrupt::{Interrupt, Stop};
use crate::io::text::printable;
use crate::player::verdict::Verdict;
use crate::player::{Engine, EngineSpec, NoMove, Player, Turn};
use crate::process::Opponent;

/// The node limit of the proof or refutation of one claim.
const CLAIM_NODES: u64 = 1_000_000;

/// The most of a position's text that a message quotes, in characters.
const MAX_TEXT: usize = 200;

/// The longest illegal move that a message quotes, in characters.
const MAX_QUOTED: usize = 20;

/// Ends the games of one slot and checks their claims.
pub(crate) struct Adjudicator {
    rules: Rules,
    /// The solver of `--prove`.
    prover: Option<Prover>,
    /// The solver of `--check-claims`. It has its own memory, so that `--prove` ends the
    /// same games with and without it.
    checker: Option<Prover>,
    /// The claims of the current game.
    claims: Vec<Option<(Side, Score, ClaimVerdict)>>,
    report: ClaimReport,
}

impl Adjudicator {
    /// An adjudicator whose solvers start with the first game.
    pub(crate) fn new(
        rules: Rules,
        solver: Option<&EngineSpec>,
        variant: Ruleset,
        interrupt: &Arc<Interrupt>,
    ) -> Adjudicator {
        let prover = |nodes, time: Option<Duration>| {
            Some(Prover {
                engine: Engine::new(solver?.clone(), variant, Arc::clone(interrupt)),
                limits: Limits {
                    nodes,
                    movetime: time.map(|time| time.as_millis() as i64),
                    ..Limits::default()
                },
                has_failed: false,
            })
        };
        Adjudicator {
            prover: rules.prove.and_then(|rule| prover(rule.nodes, rule.time)),
            checker: Some(CLAIM_NODES)
                .filter(|_| rules.checks_claims)
                .and_then(|nodes| prover(Some(nodes), None)),
            rules,
            claims: Vec::new(),
            report: ClaimReport::default(),
        }
    }

    /// Gets ready for a new game.
    pub(crate) fn begin(&mut self) -> Result<(), Stop> {
        self.claims.clear();
        self.report = ClaimReport::default();
        for solver in [&mut self.prover, &mut self.checker].into_iter().flatten() {
            solver.begin()?;
        }
        Ok(())
    }

    /// Checks the claim of the last move. Returns why the game ends here, although the
    /// rules do not end it.
    pub(crate) fn moved(&mut self, game: &Game) -> Result<Option<Adjudication>, Stop> {
        self.check_claim(game)?;
        if game.position().outcome().is_some() {
            return Ok(None);
        }
        self.adjudicate(game)
    }

    /// Checks the claim of the last move.
    fn check_claim(&mut self, game: &Game) -> Result<(), Stop> {
        let (Some(checker), Some(played)) = (&mut self.checker, game.last()) else {
            return Ok(());
        };
        let mut before = game.clone();
        before.take_back();
        let position = before.position();
        let Played {
            mover,
            number,
            thought,
            ..
        } = played;
        if let Some(illegal) = first_illegal(position, &thought.line) {
            self.report.illegal_lines.push(number as u64);
            self.report.remarks[mover.index()].get_or_insert_with(|| {
                let illegal = printable(illegal, MAX_QUOTED);
                format!("showed a line with the illegal move `{illegal}` at move {number}")
            });
        }
        let claim = thought
            .score
            .and_then(|score| Some((score, claimed_result(score, mover)?)));
        let Some((score, claimed)) = claim else {
            self.claims.push(None);
            return Ok(());
        };
        let verdict = match checker.prove(&before)? {
            Some(proven) if proven == claimed => ClaimVerdict::Right,
            Some(_) => ClaimVerdict::Wrong,
            None => by_line(score, position, &thought.line),
        };
        if verdict == ClaimVerdict::Wrong {
            self.report.remarks[mover.index()].get_or_insert_with(|| {
                format!("claimed `{score}` wrongly at move {number}: {}", position.fen())
            });
        }
        self.claims.push(Some((mover, score, verdict)));
        Ok(())
    }

    /// Why the game ends after its last move.
    fn adjudicate(&mut self, game: &Game) -> Result<Option<Adjudication>, Stop> {
        let position = game.position();
        if let (Some(rule), Some(prover)) = (self.rules.prove, &mut self.prover)
            && rule.asks(position.plies_left())
            && let Some(result) = prover.prove(game)?.filter(|&result| rule.accepts(result))
        {
            let plies_left = position.plies_left();
            return Ok(Some(Adjudication::Proven { result, plies_left }));
        }
        let plies = game.moves().len();
        if let Some(limit) = self.rules.max_plies.filter(|limit| plies as u64 >= *limit) {
            return Ok(Some(Adjudication::Limit(limit)));
        }
        if let Some(count) = self.rules.repetition.filter(|count| occurrences(game) >= *count) {
            return Ok(Some(Adjudication::Repetition(count)));
        }
        if self.rules.draw.is_none() && self.rules.resign.is_none() {
            return Ok(None);
        }
        let scores = scores_in_turn(game);
        if let Some(rule) = self.rules.draw.filter(|rule| rule.applies(plies, &scores)) {
            return Ok(Some(Adjudication::Draw(rule, plies)));
        }
        let loser = game.mover_before(1).unwrap_or(position.side_to_move().opponent());
        let resigned = self.rules.resign.filter(|rule| rule.applies(&scores));
        Ok(resigned.map(|rule| Adjudication::Resign(rule, loser)))
    }

    /// The claims of a game that ended so; `None` unless claims are checked.
    pub(crate) fn end(&mut self, game: &Game, verdict: &Verdict) -> Option<ClaimReport> {
        if let Some(count) = self.rules.repetition {
            warn_of_counters(game, count);
        }
        self.checker.as_ref()?;
        let result = certain_result(verdict);
        let mut report = std::mem::take(&mut self.report);
        for claim in &self.claims {
            report.verdicts.push(claim.map(|(player, score, verdict)| {
                let verdict = match verdict {
                    ClaimVerdict::Unverified => by_result(score, player, result),
                    verdict => verdict,
                };
                if verdict == ClaimVerdict::Wrong {
                    report.remarks[player.index()]
                        .get_or_insert_with(|| format!("claimed `{score}`, which the game did not confirm"));
                }
                verdict
            }));
        }
        Some(report)
    }

    /// The processes of the solvers, for a shutdown together.
    pub(crate) fn into_engines(self) -> impl Iterator<Item = Engine> {
        [self.prover, self.checker]
            .into_iter()
            .flatten()
            .map(|prover| prover.engine)
    }
}

/// Warns once, after a game with a position that would have occurred `count` times if its text had no
/// number that counts, such as that of the move.
fn warn_of_counters(game: &Game, count: u64) {
    static HAS_WARNED: AtomicBool = AtomicBool::new(false);
    if HAS_WARNED.load(Ordering::Relaxed) {
        return;
    }
    let texts: Vec<String> = game.positions().iter().map(|position| position.fen()).collect();
    let Some(index) = recurs_but_for_counters(&texts, count as usize) else {
        return;
    };
    if !HAS_WARNED.swap(true, Ordering::Relaxed) {
        log::warn!(
            "--repetition {count} does not see repetitions in this game: a position after move {index} occurred {count} \
             times but for a number that counts in its text, `{}`; leave such numbers out of the text",
            printable(&texts[index], MAX_TEXT)
        );
    }
}

/// How often the position of the game has occurred.
fn occurrences(game: &Game) -> u64 {
    let fen = game.position().fen();
    let positions = game.positions().iter();
    positions.filter(|position| position.fen() == fen).count() as u64
}

/// The scores of both players in turn, up to the last move. Where one of them has moved several
/// times in a row, its earlier moves are compared with earlier ones of the opponent.
fn scores_in_turn(game: &Game) -> Vec<Option<Score>> {
    let thoughts = game.thoughts();
    let movers: Vec<Side> = game.movers().skip(game.opening_plies()).collect();
    let Some(&last) = movers.last() else {
        return Vec::new();
    };
    let of = |side: Side| {
        let own = movers
            .iter()
            .zip(thoughts)
            .rev()
            .filter(move |(mover, _)| **mover == side);
        own.map(|(_, thought)| thought.score)
    };
    let mut others = of(last.opponent());
    let in_turn = of(last).flat_map(|own| [Some(own), others.next()]);
    let mut scores: Vec<Option<Score>> = in_turn.map_while(|score| score).collect();
    scores.reverse();
    scores
}

/// The result of a game that ended by the rules or by proof.
fn certain_result(verdict: &Verdict) -> Option<GameResult> {
    match verdict {
        Verdict::Rules { outcome, .. } => Some(outcome.result),
        Verdict::Adjudicated(Adjudication::Proven { result, .. }) => Some(*result),
        _ => None,
    }
}

/// A solver of one slot: a process of the built-in engine that proves results. It knows nothing of
/// the players, and no clock of theirs runs while it searches.
struct Prover {
    engine: Engine,
    limits: Limits,
    /// Whether it failed in this game.
    has_failed: bool,
}

/// How much later than its limit the solver may answer. It bounds the wait for a process
/// that hangs.
const PATIENCE: Duration = Duration::from_mins(10);

impl Prover {
    /// Prepares for a new game. The memory of the solver is empty then, so its answers
    /// depend on this game alone.
    fn begin(&mut self) -> Result<(), Stop> {
        self.engine.end_game();
        self.has_failed = false;
        match self.engine.begin() {
            Ok(()) => Ok(()),
            Err(miss) => self.failed(miss),
        }
    }

    /// The result of the current position with perfect play, if the solver proves it within its
    /// limits.
    fn prove(&mut self, game: &Game) -> Result<Option<GameResult>, Stop> {
        if self.has_failed {
            return Ok(None);
        }
        let mut turn = Turn {
            limits: self.limits.clone(),
            time: Some(Duration::from_millis(
                self.limits.movetime.unwrap_or_default() as u64
            )),
            margin: PATIENCE,
            opponent: Opponent::default(),
            observer: None,
        };
        match self.engine.think(game, &mut turn) {
            Ok(answer) => {
                let mover = game.position().side_to_move();
                let score = answer.thought.score;
                Ok(score.and_then(|score| claimed_result(score, mover)))
            }
            Err(miss) => self.failed(miss).map(|()| None),
        }
    }

    /// A failure of the solver never ends a match: it proves nothing more in this game.
    fn failed(&mut self, miss: NoMove) -> Result<(), Stop> {
        match miss {
            NoMove::Stopped(stop) => return Err(stop),
            NoMove::Fault { fault, .. } => {
                log::warn!(
                    "{}; it proves nothing more in this game",
                    fault.sentence("the solver")
                );
            }
            NoMove::Resigned => {}
        }
        self.has_failed = true;
        self.engine.reset();
        Ok(())
    }
}
