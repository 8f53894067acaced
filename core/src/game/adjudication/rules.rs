//! The rules of `--draw`, `--resign` and `--prove`.
//!
//! `--draw` and `--resign` follow cutechess
//! (<https://github.com/cutechess/cutechess>, `gameadjudicator.cpp`): a player's scores are
//! compared over its own consecutive moves after the opening, each from its own point of
//! view. A proven win or loss is beyond any threshold, a proven draw is 0, and a move
//! without a score ends the count.

use std::fmt;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::score::Score;

use crate::game::clock::{TimeControl, parse_seconds};
use crate::io::as_text::Text;
use crate::io::key_values::{KeyValues, at_least, one_of};

/// `--draw`: a game is a draw when both players find it even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// The number of full moves, two plies each, that must have been played; those of the
    /// opening count.
    pub number: u64,
    /// The number of consecutive moves of each player, at least 1.
    pub count: u64,
    /// The largest absolute score of these moves, in centipawns.
    pub score: u32,
}

/// `--resign`: a player loses when it finds its position lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// The number of consecutive moves, at least 1.
    pub count: u64,
    /// The scores of these moves are at most minus this, in centipawns.
    pub score: u32,
    /// Whether the opponent's last `count` scores must be at least `score`.
    pub two_sided: bool,
}

/// `--prove`: a game ends when a solver proves its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProveRule {
    /// The largest number of plies left at which the solver is asked.
    pub empty: u64,
    /// The node limit of one proof.
    pub nodes: Option<u64>,
    /// The time limit of one proof.
    pub time: Option<Duration>,
    /// The results that end a game.
    pub results: ProvenResults,
}

/// Which proven results end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProvenResults {
    /// Wins and draws.
    #[default]
    Both,
    /// Wins of either player.
    Win,
    Draw,
}

/// The score of a move in centipawns, so that proven results compare with evaluations.
fn centipawns(score: Score) -> i64 {
    match score {
        Score::Cp(value) => value.into(),
        Score::Win(_) => i64::MAX,
        Score::Loss(_) => i64::MIN,
        Score::Draw => 0,
    }
}

/// Whether the last `count` of every second score, beginning `back` plies before the last,
/// exist and fit.
fn all_fit(scores: &[Option<Score>], back: usize, count: u64, fits: impl Fn(i64) -> bool) -> bool {
    let mut of_player = scores.iter().rev().skip(back).step_by(2);
    (0..count).all(|_| {
        let score = of_player.next().copied().flatten();
        score.is_some_and(|score| fits(centipawns(score)))
    })
}

impl DrawRule {
    /// Whether a game is a draw after `plies` moves, those of the opening included;
    /// `scores` are those of the moves after the opening.
    pub(crate) fn applies(&self, plies: usize, scores: &[Option<Score>]) -> bool {
        let limit = i64::from(self.score);
        let is_even = |score: i64| (-limit..=limit).contains(&score);
        plies as u64 / 2 >= self.number
            && all_fit(scores, 0, self.count, is_even)
            && all_fit(scores, 1, self.count, is_even)
    }
}

impl ResignRule {
    /// Whether the player of the last move loses; `scores` are those of the moves after
    /// the opening.
    pub(crate) fn applies(&self, scores: &[Option<Score>]) -> bool {
        let limit = i64::from(self.score);
        all_fit(scores, 0, self.count, |score| score <= -limit)
            && (!self.two_sided || all_fit(scores, 1, self.count, |score| score >= limit))
    }
}

impl ProveRule {
    /// The default of `empty`. In Magnetic Cave, hardly any proof is found earlier with the
    /// default number of nodes.
    pub(crate) const DEFAULT_EMPTY: u64 = 34;

    /// The default of `nodes`, unless there is a time limit.
    pub(crate) const DEFAULT_NODES: u64 = 100_000;

    /// Whether the solver is asked with this number of plies left.
    pub(crate) fn asks(&self, plies_left: u32) -> bool {
        u64::from(plies_left) <= self.empty
    }

    /// Whether this proven result ends a game.
    pub(crate) const fn accepts(&self, result: GameResult) -> bool {
        match self.results {
            ProvenResults::Both => true,
            ProvenResults::Win => matches!(result, GameResult::Win(_)),
            ProvenResults::Draw => matches!(result, GameResult::Draw),
        }
    }
}

const RESULTS: [(&str, ProvenResults); 3] = [
    ("both", ProvenResults::Both),
    ("win", ProvenResults::Win),
    ("draw", ProvenResults::Draw),
];

/// The list of `--draw`, with every value.
impl Text for DrawRule {
    fn text(&self) -> impl fmt::Display {
        let DrawRule { number, count, score } = self;
        format!("movenumber={number} movecount={count} score={score}")
    }

    fn read(text: &str) -> Result<DrawRule, String> {
        let values = KeyValues::of_text(text, &["movenumber", "movecount", "score"])?;
        let example = "movenumber=20 movecount=4 score=10";
        Ok(DrawRule {
            number: values.required("movenumber", example, |text| at_least(0, text))?,
            count: values.required("movecount", example, |text| at_least(1, text))?,
            score: values.required("score", example, |text| at_least(0, text))?,
        })
    }
}

/// The list of `--resign`, with every value.
impl Text for ResignRule {
    fn text(&self) -> impl fmt::Display {
        let (count, score, two_sided) = (self.count, self.score, self.two_sided);
        format!("movecount={count} score={score} twosided={two_sided}")
    }

    fn read(text: &str) -> Result<ResignRule, String> {
        let values = KeyValues::of_text(text, &["movecount", "score", "twosided"])?;
        let example = "movecount=3 score=600";
        let two_sided = |text: &str| one_of(text, &[("true", true), ("false", false)]);
        Ok(ResignRule {
            count: values.required("movecount", example, |text| at_least(1, text))?,
            score: values.required("score", example, |text| at_least(1, text))?,
            two_sided: values.optional("twosided", two_sided)?.unwrap_or(false),
        })
    }
}

/// The list of `--prove`, with every value.
impl Text for ProveRule {
    fn text(&self) -> impl fmt::Display {
        let nodes = self.nodes.map(|nodes| format!(" nodes={nodes}"));
        let time = self.time.map(|time| format!(" st={}", TimeControl::Move(time)));
        let result = RESULTS.iter().find(|(_, results)| *results == self.results);
        format!(
            "empty={}{}{} result={}",
            self.empty,
            nodes.unwrap_or_default(),
            time.unwrap_or_default(),
            result.map_or("", |(word, _)| word)
        )
    }

    fn read(text: &str) -> Result<ProveRule, String> {
        let values = KeyValues::of_text(text, &["empty", "nodes", "st", "result"])?;
        let empty = values.optional("empty", |text| at_least(1, text))?;
        let time = values.optional("st", parse_seconds)?;
        let nodes = values.optional("nodes", |text| at_least(1, text))?;
        let results = values.optional("result", |text| one_of(text, &RESULTS))?;
        Ok(ProveRule {
            empty: empty.unwrap_or(Self::DEFAULT_EMPTY),
            nodes: nodes.or(time.is_none().then_some(Self::DEFAULT_NODES)),
            time,
            results: results.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::random::Random;
    use sentences::{assert_rows, expect};

    use super::*;

    /// The counters of cutechess, one score at a time: the obvious way to say the same.
    struct Counters {
        draw: DrawRule,
        resign: ResignRule,
        plies: usize,
        /// Consecutive even scores of both players together.
        even: u64,
        losing: [u64; 2],
        winning: [u64; 2],
    }

    impl Counters {
        /// Adds the score of the next move. Returns whether the game is a draw, and whether
        /// its mover loses.
        fn add(&mut self, mover: usize, score: Option<Score>) -> (bool, bool) {
            self.plies += 1;
            let Some(score) = score else {
                self.even = 0;
                (self.losing[mover], self.winning[mover]) = (0, 0);
                return (false, false);
            };
            let bound = |limit: u32| limit as i32;
            let (is_even, is_losing, is_winning) = match score {
                Score::Cp(cp) => (
                    cp.abs() <= bound(self.draw.score),
                    cp <= -bound(self.resign.score),
                    cp >= bound(self.resign.score),
                ),
                Score::Win(_) => (false, false, true),
                Score::Loss(_) => (false, true, false),
                Score::Draw => (true, false, false),
            };
            let count = |counter: &mut u64, fits: bool| *counter = if fits { *counter + 1 } else { 0 };
            count(&mut self.even, is_even);
            count(&mut self.losing[mover], is_losing);
            count(&mut self.winning[mover], is_winning);
            let is_draw = self.plies / 2 >= self.draw.number as usize && self.even >= 2 * self.draw.count;
            let has_won = self.winning[1 - mover] >= self.resign.count;
            let is_lost = self.losing[mover] >= self.resign.count && (!self.resign.two_sided || has_won);
            (is_draw, is_lost)
        }
    }

    #[test]
    fn rules_agree_with_counters_on_random_scores() {
        let mut random = Random::new(18);
        let (mut draws, mut losses, mut games) = (0, 0, 0);
        for _ in 0..3000 {
            let below = |random: &mut Random, bound: u64| random.below(bound) as u32;
            let draw = DrawRule {
                number: below(&mut random, 12).into(),
                count: 1 + u64::from(below(&mut random, 4)),
                score: below(&mut random, 30),
            };
            let resign = ResignRule {
                count: 1 + u64::from(below(&mut random, 4)),
                score: 1 + below(&mut random, 60),
                two_sided: random.below(2) == 0,
            };
            let opening = random.below(5) as usize;
            let mut counters = Counters {
                draw,
                resign,
                plies: opening,
                even: 0,
                losing: [0; 2],
                winning: [0; 2],
            };
            let first = random.below(2) as usize;
            let range = 10 + random.below(100) as i32;
            let mut scores = Vec::new();
            for ply in 0..40 {
                let mover = (first + ply) % 2;
                // The mood of a game, so that scores follow each other.
                let mood = if mover == 0 { range / 2 } else { -range / 2 };
                let score = match random.below(20) {
                    0 => None,
                    1 => Some(Score::Win(5)),
                    2 => Some(Score::Loss(4)),
                    3 => Some(Score::Draw),
                    _ => Some(Score::Cp(
                        mood / 3 + random.below(range as u64) as i32 - range / 2,
                    )),
                };
                scores.push(score);
                let expected = counters.add(mover, score);
                let found = (
                    draw.applies(opening + scores.len(), &scores),
                    resign.applies(&scores),
                );
                assert_eq!(found, expected, "{draw:?} {resign:?} {opening} {scores:?}");
                draws += u32::from(found.0);
                losses += u32::from(found.1);
                games += 1;
            }
        }
        assert!(draws > games / 100 && losses > games / 100, "{draws} {losses}");
    }

    #[test]
    fn rules_read_their_own_text() {
        for text in [
            "movenumber=20 movecount=4 score=10",
            "movenumber=0 movecount=1 score=0",
        ] {
            assert_eq!(DrawRule::read(text).unwrap().text().to_string(), text);
        }
        let text = "movecount=3 score=600 twosided=true";
        assert_eq!(ResignRule::read(text).unwrap().text().to_string(), text);
        for (text, full) in [
            ("", "empty=34 nodes=100000 result=both"),
            ("empty=20 result=win", "empty=20 nodes=100000 result=win"),
            ("st=0.5", "empty=34 st=0.5 result=both"),
            ("st=1 nodes=7 result=draw", "empty=34 nodes=7 st=1 result=draw"),
        ] {
            let rule = ProveRule::read(text).unwrap();
            assert_eq!(rule.text().to_string(), full);
            assert_eq!(ProveRule::read(full), Ok(rule));
        }
    }

    #[test]
    fn a_proof_is_asked_for_up_to_the_limit_and_ends_games_of_its_results() {
        use lodestone_game::board::Side::Second;

        for (result, wins, draws) in [("both", true, true), ("win", true, false), ("draw", false, true)] {
            let rule = ProveRule::read(&format!("empty=20 result={result}")).unwrap();
            assert_eq!([20, 21].map(|plies| rule.asks(plies)), [true, false]);
            let found = [GameResult::Win(Second), GameResult::Draw].map(|result| rule.accepts(result));
            assert_eq!(found, [wins, draws], "{result}");
        }
    }

    #[test]
    fn errors_name_the_word() {
        let table = expect![[r#"
            draw | movecount=1 score=2 | `movenumber` is missing; example: `movenumber=20 movecount=4 score=10`
            draw | movenumber=1 movecount=0 score=2 | `movecount=0`: expected a whole number of at least 1
            draw | movenumber=1 movecount=1 score=-2 | `score=-2`: expected a whole number of at least 0
            draw | movenumber=1 movecount=1 score=5000000000 | `score=5000000000`: expected a whole number of at least 0
            draw | movenumer=1
                | unknown key `movenumer`; did you mean `movenumber`? The keys are movenumber, movecount, score
            draw | score=1 score=2 | `score` is given twice
            draw | score | expected KEY=VALUE, found `score`
            resign | movecount=2 score=0 | `score=0`: expected a whole number of at least 1
            resign | movecount=2 score=1 twosided=1 | `twosided=1`: expected `true` or `false`
            prove | empty=0 | `empty=0`: expected a whole number of at least 1
            prove | result=loss | `result=loss`: expected `both`, `win` or `draw`
            prove | st=0 | `st=0`: expected seconds
        "#]];
        assert_rows(table, |[rule, text]| match rule {
            "draw" => DrawRule::read(text).unwrap_err(),
            "resign" => ResignRule::read(text).unwrap_err(),
            _ => ProveRule::read(text).unwrap_err(),
        });
    }
}
