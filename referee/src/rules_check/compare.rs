//! The comparison of two rules programs on the same moves.

use std::collections::{HashSet, VecDeque};

use lodestone_game::random::Random;
use referee_core::game::PositionLine;
use referee_core::io::text::printable;
use referee_core::rules::program::RulesState;
use referee_core::rules::{RulesError, RulesProgram};

use super::GamesPlan;

/// The most positions to visit for a shorter line with a difference.
const MAX_SHORTENING: usize = 3000;

/// Two answers to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub line: PositionLine,
    /// What was asked.
    pub question: String,
    pub answers: [String; 2],
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    pub games: u64,
    pub positions: u64,
    /// Whether the texts of positions were compared.
    pub has_texts: bool,
    /// The texts of the start position, if they differ in form.
    pub forms: Option<[String; 2]>,
    pub difference: Option<Difference>,
}

/// Two programs.
struct Pair<'a> {
    programs: &'a mut [RulesProgram; 2],
    plan: GamesPlan,
    has_texts: bool,
    positions: u64,
}

/// Compares two programs. `progress` gets the number of games so far.
pub fn compare(
    programs: &mut [RulesProgram; 2],
    plan: GamesPlan,
    mut progress: impl FnMut(u64),
) -> Result<Comparison, RulesError> {
    let start = PositionLine::start();
    let mut texts = [None, None];
    for (text, program) in texts.iter_mut().zip(programs.iter_mut()) {
        *text = program.state(&start)?.text;
    }
    let forms = match &texts {
        [Some(one), Some(other)] if one != other => {
            Some([one, other].map(|text| printable(text, usize::MAX)))
        }
        _ => None,
    };
    let has_texts = forms.is_none() && texts.iter().all(Option::is_some);
    let mut pair = Pair {
        programs,
        plan,
        has_texts,
        positions: 0,
    };
    let mut games = 0;
    let mut difference = pair.search_from_start()?;
    if difference.is_none() {
        let mut random = Random::new(plan.seed);
        let mut max_plies = plan.max_plies;
        while games < plan.games {
            let start = pair.start(games)?;
            if let Some(found) = pair.play(start, max_plies, &mut random)? {
                // A shorter one is worth more.
                max_plies = found.line.plies.saturating_sub(1);
                difference = Some(found);
            }
            games += 1;
            progress(games);
        }
        // A shorter line is worth more, but one without it is a difference as well: a slow program may not read it.
        difference = match difference {
            Some(found) => match pair.shortened(found.clone()) {
                Err(RulesError::Fault(_)) => Some(found),
                shortened => Some(shortened?),
            },
            None => None,
        };
    }
    Ok(Comparison {
        games,
        positions: pair.positions,
        has_texts,
        forms,
        difference,
    })
}

impl Pair<'_> {
    /// The first difference in the positions next to the start, nearest first. Lines of moves to the
    /// same text are visited once.
    fn search_from_start(&mut self) -> Result<Option<Difference>, RulesError> {
        let mut open = VecDeque::from([PositionLine::start()]);
        let mut visited = 0;
        let mut texts = HashSet::new();
        while let Some(line) = open.pop_front().filter(|_| !self.plan.is_stopped()) {
            let state = match self.look(&line)? {
                Ok(state) => state,
                Err(difference) => return Ok(Some(difference)),
            };
            visited += 1;
            if self.has_texts
                && state
                    .text
                    .as_ref()
                    .is_some_and(|text| !texts.insert(text.clone()))
            {
                continue;
            }
            if !state.is_over && visited + open.len() < self.plan.visits {
                open.extend(state.moves.iter().map(|mv| line.after(mv)));
            }
        }
        Ok(None)
    }

    /// The start of a game, from 0: in turn from each program that answers `query setup`, if the other one may read
    /// its text.
    fn start(&mut self, game: u64) -> Result<PositionLine, RulesError> {
        let with_starts = self.programs.iter_mut();
        let mut with_starts: Vec<_> = with_starts
            .filter(|program| program.known().knows("setup"))
            .collect();
        let count = with_starts.len().max(1);
        let start = match with_starts.get_mut(game as usize % count) {
            Some(program) => program.random_start(self.plan.setup_seed(game))?,
            None => None,
        };
        let start = start.map(|(line, _)| line);
        let start = start.filter(|line| self.has_texts || line.is_from_startpos());
        Ok(start.unwrap_or_else(PositionLine::start))
    }

    /// The first difference in a random game from this start, up to this number of moves.
    fn play(
        &mut self,
        start: PositionLine,
        max_plies: usize,
        random: &mut Random,
    ) -> Result<Option<Difference>, RulesError> {
        let (plan, mut left) = (self.plan, max_plies);
        self.walk(start, |moves| {
            left = left.checked_sub(1).filter(|_| !plan.is_stopped())?;
            random.choose(moves).cloned()
        })
    }

    /// The first difference from `line` on, along moves that `choose` takes from the legal ones; `None` if
    /// there is none, or it takes none.
    fn walk(
        &mut self,
        mut line: PositionLine,
        mut choose: impl FnMut(&[String]) -> Option<String>,
    ) -> Result<Option<Difference>, RulesError> {
        loop {
            let state = match self.look(&line)? {
                Ok(state) => state,
                Err(difference) => return Ok(Some(difference)),
            };
            if state.is_over {
                return Ok(None);
            }
            let Some(mv) = choose(&state.moves) else {
                return Ok(None);
            };
            line.push(&mv);
        }
    }

    /// Leaves out one or two moves as long as a difference remains.
    fn shortened(&mut self, mut found: Difference) -> Result<Difference, RulesError> {
        let limit = self.positions + MAX_SHORTENING as u64;
        let mut start = found.line.clone();
        while start.plies > 0 {
            start.pop();
        }
        'again: loop {
            let moves = found.line.moves();
            let count = moves.len();
            let single = (0..count).map(|one| (one, one));
            let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
            for (one, other) in single.chain(pairs) {
                if self.positions >= limit {
                    return Ok(found);
                }
                let mut moves = moves.clone();
                moves.remove(other);
                if one != other {
                    moves.remove(one);
                }
                if let Some(shorter) = self.first_on(&start, &moves, one)? {
                    found = shorter;
                    continue 'again;
                }
            }
            return Ok(found);
        }
    }

    /// The first difference on a line of moves from `start`, beyond the first `known` moves; `None` if there
    /// is none, or a move is not legal.
    fn first_on(
        &mut self,
        start: &PositionLine,
        moves: &[String],
        known: usize,
    ) -> Result<Option<Difference>, RulesError> {
        let (known, rest) = moves.split_at(known);
        let mut line = start.clone();
        for mv in known {
            line.push(mv);
        }
        let mut rest = rest.iter();
        self.walk(line, |moves| {
            let mv = rest.next()?;
            moves.iter().find(|listed| *listed == mv).cloned()
        })
    }

    /// Asks both programs about a position. Returns what both say, or how they differ.
    fn look(&mut self, line: &PositionLine) -> Result<Result<RulesState, Difference>, RulesError> {
        self.positions += 1;
        let [one, other] = &mut *self.programs;
        let (one, other) = match (one.state(line), other.state(line)) {
            (Ok(one), Ok(other)) => (one, other),
            (one, other) => {
                let [one, other] = [accepted(one)?, accepted(other)?];
                let question = if line.plies == 0 {
                    "this start, an answer to `query setup`"
                } else {
                    "the last move, which both list"
                };
                return Ok(Err(Difference {
                    line: line.clone(),
                    question: question.to_string(),
                    answers: [one, other],
                }));
            }
        };
        match one.difference(&other, self.has_texts) {
            None => Ok(Ok(one)),
            Some((question, answers)) => Ok(Err(Difference {
                line: line.clone(),
                question: format!("query {question}"),
                answers,
            })),
        }
    }
}

/// Whether a program accepts a position, in words.
fn accepted(state: Result<RulesState, RulesError>) -> Result<String, RulesError> {
    match state {
        Ok(_) => Ok("accepted".to_string()),
        Err(RulesError::Refused(error)) => Ok(error),
        Err(error) => Err(error),
    }
}
