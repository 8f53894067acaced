//! The check of one rules program: random games, and the first moves completely.

use std::time::{Duration, Instant};

use lodestone::board::Side;
use lodestone::game::GameResult;
use lodestone::random::Random;

use super::program::{PositionLine, RulesState};
use super::{GamesPlan, MAX_VISITED, RulesError, RulesProgram};
use crate::game::grid::Grid;
use crate::io::interrupt::Stop;
use crate::io::text::{counted, printable};

/// Sampling rate: one position in this many is queried twice, and read back from its text.
const SAMPLED: u64 = 4;

/// The result of a check.
#[derive(Debug, Default)]
pub struct RulesReport {
    /// For people.
    pub lines: Vec<String>,
    pub is_good: bool,
}

impl RulesReport {
    fn add(&mut self, mark: &str, name: &str, text: &str) {
        self.lines.push(format!("  {mark:<4}  {name:<14}  {text}"));
    }
}

/// A number of cases, and the first of them.
#[derive(Debug, Default)]
struct Cases {
    count: u64,
    first: Option<String>,
}

impl Cases {
    fn add(&mut self, position: &PositionLine) {
        self.count += 1;
        self.first
            .get_or_insert_with(|| printable(&position.to_string(), usize::MAX));
    }

    /// The number, what the cases are, and the first.
    fn shown(&self, what: &str) -> String {
        let first = self.first.as_deref().unwrap_or_default();
        format!("{} {what}; the first: {first}", self.count)
    }
}

/// What the games have shown.
#[derive(Debug, Default)]
struct Counts {
    /// The lengths of the games that ended.
    lengths: Vec<usize>,
    unfinished: u64,
    /// Wins of the first player, draws, wins of the second player.
    results: [u64; 3],
    positions: u64,
    /// The numbers of moves in the positions before the end.
    branching: Vec<usize>,
    asked_twice: u64,
    read_back: u64,
    /// Positions whose text does not say that the game is over.
    without_history: Cases,
    same_side: Cases,
    early_results: Cases,
    late_moves: Cases,
    without_reason: Cases,
    /// Positions with a grid that cannot be drawn, and what is wrong with the first.
    wrong_grids: Cases,
    wrong_grid: Option<String>,
    asked_legal: u64,
    /// How long the answers about each position took.
    times: Vec<Duration>,
    perft: Vec<u64>,
}

/// Checks a program. `progress` gets the number of games so far.
///
/// # Errors
/// The referee stops.
pub fn check(
    program: &mut RulesProgram,
    plan: GamesPlan,
    mut progress: impl FnMut(u64),
) -> Result<RulesReport, Stop> {
    let mut counts = Counts::default();
    let mut random = Random::new(plan.seed);
    let mut run = || {
        for game in 0..plan.games {
            play(program, plan.max_plies, &mut random, &mut counts)?;
            progress(game + 1);
        }
        count_first_moves(program, &mut counts)
    };
    let fault = match run() {
        Ok(()) => None,
        Err(RulesError::Fault(fault)) => Some(fault.to_string()),
        Err(RulesError::Refused(error)) => Some(format!("a position that it knows was refused: `{error}`")),
        Err(RulesError::Stopped(stop)) => return Err(stop),
    };
    let mut report = RulesReport {
        is_good: fault.is_none() && counts.unfinished == 0,
        ..RulesReport::default()
    };
    counts.describe(&mut report, program, plan, fault.is_none());
    report.lines.extend(fault.map(|fault| format!("  FAIL  {fault}")));
    Ok(report)
}

/// Plays a random game.
fn play(
    program: &mut RulesProgram,
    max_plies: usize,
    random: &mut Random,
    counts: &mut Counts,
) -> Result<(), RulesError> {
    let mut line = PositionLine::start();
    let mut state = visit(program, &line, counts)?;
    loop {
        if line.plies == 0 || state.is_over || random.below(SAMPLED) == 0 {
            ask_again(program, &line, &state, random, counts)?;
        }
        if state.is_over {
            counts.lengths.push(line.plies);
            match state.result {
                Some(GameResult::Win(Side::First)) => counts.results[0] += 1,
                Some(GameResult::Win(Side::Second)) => counts.results[2] += 1,
                _ => counts.results[1] += 1,
            }
            return Ok(());
        }
        if line.plies == max_plies {
            counts.unfinished += 1;
            return Ok(());
        }
        let Some(mv) = random.choose(&state.moves) else {
            return Ok(());
        };
        line = line.after(mv);
        let next = visit(program, &line, counts)?;
        if next.first_to_move == state.first_to_move && !next.is_over {
            counts.same_side.add(&line);
        }
        state = next;
    }
}

/// Asks about a position that the program should know, and looks for contradictions.
fn visit(
    program: &mut RulesProgram,
    line: &PositionLine,
    counts: &mut Counts,
) -> Result<RulesState, RulesError> {
    let begin = Instant::now();
    let state = program.consistent_state(line)?;
    counts.times.push(begin.elapsed());
    counts.positions += 1;
    if state.is_over {
        if !state.moves.is_empty() {
            counts.late_moves.add(line);
        }
        if state.reason.is_none() {
            counts.without_reason.add(line);
        }
    } else {
        if state.result.is_some() {
            counts.early_results.add(line);
        }
        counts.branching.push(state.moves.len());
    }
    Ok(state)
}

/// Asks the same questions again, about the position and about its text.
fn ask_again(
    program: &mut RulesProgram,
    line: &PositionLine,
    state: &RulesState,
    random: &mut Random,
    counts: &mut Counts,
) -> Result<(), RulesError> {
    if let Some(text) = &state.text {
        let read = PositionLine::of_text(text);
        let shown = printable(&read.to_string(), usize::MAX);
        let again = match program.state(&read) {
            Err(RulesError::Refused(error)) => {
                let problem = format!("does not read its own text, `{shown}`: `{error}`");
                return Err(program.fault(&problem, "no reply to `position fen`", Some(line)));
            }
            again => again?,
        };
        // The text need not have the history of the game, such as repetitions.
        if again.is_over == state.is_over {
            if let Some((what, [was, is])) = state.difference(&again, true) {
                let problem = format!("answers `query {what}` with `{was}`, but after `{shown}` with `{is}`");
                return Err(program.fault(&problem, "the same answer", Some(line)));
            }
            counts.read_back += 1;
        } else {
            counts.without_history.add(line);
        }
    }
    if let Some(grid) = program.grid(line)?
        && let Err(why) = Grid::read(&grid)
    {
        counts.wrong_grids.add(line);
        counts.wrong_grid.get_or_insert(why);
    }
    if program.known().knows("islegal") {
        if let Some(mv) = random.choose(&state.moves)
            && !state.is_over
            && !program.is_legal(line, mv)?
        {
            let problem = format!(
                "lists `{0}`, but answers `query islegal {0}` with `false`",
                printable(mv, 40)
            );
            return Err(program.fault(&problem, "`true`", Some(line)));
        }
        if !program.rejects_no_move(line)? {
            let problem = "answers `query islegal no-move` with `true`";
            return Err(program.fault(problem, "`false`", Some(line)));
        }
        counts.asked_legal += 1;
    }
    let again = program.state(line)?;
    if let Some((what, [was, is])) = state.difference(&again, true) {
        let problem = format!("answers `query {what}` first with `{was}`, then with `{is}`");
        return Err(program.fault(&problem, "the same answer to the same question", Some(line)));
    }
    counts.asked_twice += 1;
    Ok(())
}

/// Counts the lines of moves of each length, as `go perft` does, as far as few positions suffice.
fn count_first_moves(program: &mut RulesProgram, counts: &mut Counts) -> Result<(), RulesError> {
    let mut level = vec![PositionLine::start()];
    let mut visited = 0;
    while !level.is_empty() && visited + level.len() <= MAX_VISITED {
        visited += level.len();
        let mut next = Vec::new();
        for line in &level {
            // These positions are no sample of games.
            let state = visit(program, line, &mut Counts::default())?;
            if !state.is_over {
                next.extend(state.moves.iter().map(|mv| line.after(mv)));
            }
        }
        counts.perft.push(next.len() as u64);
        level = next;
    }
    Ok(())
}

impl Counts {
    /// Adds the lines of the report. `is_complete` says that no fault ended the check.
    fn describe(&self, report: &mut RulesReport, program: &RulesProgram, plan: GamesPlan, is_complete: bool) {
        let queries = program.known().words();
        report.add("ok", "queries", &queries.join(" "));
        if !program.known().knows("moves") {
            let text =
                "`query moves` has no answer: no random games can be played, so nothing else was checked";
            report.add("warn", "moves", text);
            return;
        }
        if self.unfinished > 0 {
            let (stopped, games, plies) = (self.unfinished, plan.games, plan.max_plies);
            let text = format!("{stopped} of {games} games did not end within {plies} moves (`--max-plies`)");
            report.add("FAIL", "end", &text);
        }
        if is_complete {
            if self.unfinished == 0 {
                let games = counted(self.lengths.len(), "game");
                report.add(
                    "ok",
                    "end",
                    &format!("{games} ended, after {}", spread(&self.lengths)),
                );
            }
            report.add(
                "ok",
                "contradictions",
                &format!("none in {} positions", self.positions),
            );
            report.add(
                "ok",
                "repeatable",
                &format!("{} positions, asked twice", self.asked_twice),
            );
            if self.read_back > 0 {
                report.add(
                    "ok",
                    "round trip",
                    &format!("{} texts, read back", self.read_back),
                );
            }
            if self.asked_legal > 0 {
                report.add(
                    "ok",
                    "islegal",
                    &format!("agrees in {} positions", self.asked_legal),
                );
            }
        }
        if let Some(why) = &self.wrong_grid {
            let what = format!("answers to `query grid` cannot be drawn ({why})");
            report.add("warn", "grid", &self.wrong_grids.shown(&what));
        }
        if !program.known().knows("fen") {
            let text = "`query fen` has no answer: no position can be given as text";
            report.add("warn", "text", text);
        }
        if self.early_results.count > 0 {
            let what = "positions with a result before the end, which does not count";
            report.add("warn", "early result", &self.early_results.shown(what));
        }
        if self.late_moves.count > 0 {
            let what = "finished positions list moves, which do not count";
            report.add("warn", "late moves", &self.late_moves.shown(what));
        }
        if self.without_reason.count > 0 && queries.contains(&"reason") {
            let what = "finished positions without a reason";
            report.add("warn", "reason", &self.without_reason.shown(what));
        }
        if let Some((count, first)) = &program.strays {
            let text = format!("{count} lines of no answer; the first: `{first}`");
            report.add("warn", "other lines", &text);
        }
        if self.without_history.count > 0 {
            let what = "texts of positions do not say whether the game is over, as after a repetition";
            report.add("", "history", &self.without_history.shown(what));
        }
        if !self.lengths.is_empty() {
            self.describe_game(report, program.known().batch_size());
        }
    }

    /// Adds what kind of game it is.
    fn describe_game(&self, report: &mut RulesReport, queries: usize) {
        let turns = match self.same_side.count {
            0 => "alternate".to_string(),
            _ => self.same_side.shown("moves by the side that moved before"),
        };
        report.add("", "turns", &turns);
        report.add("", "moves", &format!("{} in a position", spread(&self.branching)));
        let [wins, draws, losses] = self.results;
        let points = (wins as f64 + draws as f64 / 2.0) / self.lengths.len() as f64 * 100.0;
        let [wins, draws] =
            [(wins, "win"), (draws, "draw")].map(|(count, noun)| counted(count as usize, noun));
        let losses = if losses == 1 {
            "1 loss".to_string()
        } else {
            format!("{losses} losses")
        };
        let text = format!("{wins}, {draws}, {losses} ({points:.1} %) with random moves");
        report.add("", "first player", &text);
        if !self.perft.is_empty() {
            let perft: Vec<String> = self.perft.iter().map(u64::to_string).collect();
            report.add("", "perft", &perft.join(" "));
        }
        if let Some(median) = median(&self.times) {
            let micros = median.as_secs_f64() * 1e6;
            let each = micros / queries as f64;
            let text =
                format!("{micros:.0} µs for {queries} queries in one batch (median), {each:.0} µs each");
            report.add("", "time", &text);
        }
    }
}

/// The smallest, largest and mean of some numbers of moves.
fn spread(numbers: &[usize]) -> String {
    let (Some(least), Some(most)) = (numbers.iter().min(), numbers.iter().max()) else {
        return counted(0, "move");
    };
    if least == most {
        return counted(*least, "move");
    }
    let mean = numbers.iter().sum::<usize>() as f64 / numbers.len() as f64;
    format!("{least} to {most} moves (mean {mean:.1})")
}

fn median(times: &[Duration]) -> Option<Duration> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}
