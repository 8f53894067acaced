//! The check of one rules program: random games, and the first moves completely.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::random::Random;
use referee_core::failure::Stop;
use referee_core::game::PositionLine;
use referee_core::game::adjudication::recurs_but_for_counters;
use referee_core::game::grid::Grid;
use referee_core::io::text::{counted, printable};
use referee_core::rules::program::{MAX_LIMITS, RulesState};
use referee_core::rules::{RulesError, RulesFault, RulesProgram};

use super::GamesPlan;
use super::second;

/// Sampling rate: one position in this many is queried twice, and read back from its text.
const SAMPLED: u64 = 4;

/// The most positions that a second process is asked about.
const MAX_SAMPLES: usize = 1000;

/// A second process may take this many times as long to read a game as the first one took to play it.
const GAMES_TO_READ_ONE: u32 = 5;

/// The result of a check.
#[derive(Debug, Default)]
pub struct RulesReport {
    /// For people.
    pub lines: Vec<String>,
    pub is_good: bool,
}

impl RulesReport {
    fn add(&mut self, mark: &str, name: &str, text: impl fmt::Display) {
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
    fn add(&mut self, case: &dyn fmt::Display) {
        self.count += 1;
        self.first
            .get_or_insert_with(|| printable(&case.to_string(), usize::MAX));
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
    /// The games with a start of `query setup`.
    starts: usize,
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
    /// Positions with a grid that cannot be drawn, and why.
    wrong_grids: Cases,
    asked_legal: u64,
    /// Positions whose moves have a notation for people.
    written: u64,
    /// The last sampled positions, for a second process, and what the first one said.
    samples: VecDeque<(PositionLine, RulesState)>,
    /// Those whose moves it lists in another order.
    reordered: Cases,
    /// The longest time, over the time limit, in which the second process has read new moves, and their number.
    slowest: Option<(Duration, usize)>,
    /// The longest time that a game took.
    longest_game: Duration,
    /// The position of a question that had no proper answer.
    failed_at: Option<PositionLine>,
    /// Games with a text that recurs but for a number that counts; the text of the first.
    counters: Cases,
    /// How long the answers about each position took.
    times: Vec<Duration>,
    perft: Vec<u64>,
}

/// Checks a program. `start` starts another process of it, and `progress` gets the number of games so
/// far.
pub fn check(
    program: &mut RulesProgram,
    plan: GamesPlan,
    start: &dyn Fn(&RulesProgram) -> Result<RulesProgram, RulesError>,
    mut progress: impl FnMut(u64),
) -> Result<RulesReport, Stop> {
    let mut counts = Counts::default();
    let mut random = Random::new(plan.seed);
    let mut run = || {
        for game in 0..plan.games {
            let begin = Instant::now();
            play(program, plan, game, &mut random, &mut counts)?;
            counts.longest_game = counts.longest_game.max(begin.elapsed());
            progress(game + 1);
        }
        let mut second = start(program)?;
        second.longest = second.longest.max(counts.longest_game * GAMES_TO_READ_ONE);
        for (line, state) in counts.samples.iter().rev() {
            if second::compare([program, &mut second], line, state, &mut random)? {
                counts.reordered.add(line);
            }
        }
        counts.slowest = second.slowest;
        second::compare_setups([program, &mut second], &mut random)?;
        second.dismiss();
        count_first_moves(program, plan.visits, &mut counts)
    };
    let ended = run().map_err(|error| depends_on_earlier(program, &counts, start, error));
    let fault = match ended {
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

/// Adds the usual cause to a fault that a fresh process, asked about the position alone, does not have, unless it is
/// that an answer came too late.
fn depends_on_earlier(
    program: &RulesProgram,
    counts: &Counts,
    start: &dyn Fn(&RulesProgram) -> Result<RulesProgram, RulesError>,
    error: RulesError,
) -> RulesError {
    let (Some(line), RulesError::Fault(RulesFault { is_late: false, .. })) = (&counts.failed_at, &error)
    else {
        return error;
    };
    let Ok(mut fresh) = start(program) else {
        return error;
    };
    let is_proper = fresh.consistent_state(line).is_ok();
    fresh.dismiss();
    if is_proper { second::caused(error) } else { error }
}

/// Plays random games, and asks the questions of a check about them. They need not end.
pub(crate) fn play_games(program: &mut RulesProgram, plan: GamesPlan) -> Result<(), RulesError> {
    let mut random = Random::new(plan.seed);
    program.consistent_state(&PositionLine::start())?;
    (0..plan.games)
        .filter(|_| !plan.is_stopped())
        .try_for_each(|game| {
            let mut counts = Counts::default();
            play(program, plan, game, &mut random, &mut counts)
        })
}

/// Plays a random game from the start that it has in a match.
fn play(
    program: &mut RulesProgram,
    plan: GamesPlan,
    game: u64,
    random: &mut Random,
    counts: &mut Counts,
) -> Result<(), RulesError> {
    let max_plies = plan.max_plies;
    let mut line = PositionLine::start();
    if let Some((start, _)) = program.random_start(plan.setup_seed(game))? {
        line = start;
        counts.starts += 1;
    }
    let mut state = visit(program, &line, counts)?;
    let mut texts = Vec::new();
    loop {
        texts.extend(state.text.clone());
        if line.plies == 0 || state.is_over || random.below(SAMPLED) == 0 {
            ask_again(program, &line, &state, random, counts)?;
            if counts.samples.len() == MAX_SAMPLES {
                counts.samples.pop_front();
            }
            counts.samples.push_back((line.clone(), state.clone()));
        }
        if (state.is_over || line.plies == max_plies)
            && let Some(index) = recurs_but_for_counters(&texts, 2)
        {
            counts.counters.add(&texts[index]);
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
        if line.plies == max_plies || plan.is_stopped() {
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
    let state = program.consistent_state(line);
    if state.is_err() {
        counts.failed_at = Some(line.clone());
    }
    let state = state?;
    counts.times.push(begin.elapsed());
    counts.positions += 1;
    if state.is_over {
        if !state.moves.is_empty() {
            counts.late_moves.add(line);
        }
        if state.reason.is_none() && program.known().knows("reason") {
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
        && let Err(why) = Grid::read(grid.raw())
    {
        counts.wrong_grids.add(&format_args!("{line} ({why})"));
    }
    if program.known().knows("notation") && !state.moves.is_empty() && !state.is_over {
        let pairs = program.notation(line)?;
        if let Some((mv, text)) = random.choose(&pairs)
            && let alone = program.notation_of(line, mv)?.unwrap_or_default()
            && alone != *text
        {
            let [mv, text, alone] = [mv, text, &alone].map(|word| printable(word, 40));
            let problem = format!(
                "answers `query notation` with `{text}` for `{mv}`, but `query notation {mv}` with `{alone}`"
            );
            return Err(program.fault(&problem, "the same word", Some(line)));
        }
        if program.known().knows("parse")
            && let Some((mv, text)) = random.choose(&pairs)
            && program.parse(line, state, text)?.as_ref() != Some(mv)
        {
            let [mv, text] = [mv, text].map(|word| printable(word, 40));
            let problem = format!(
                "answers `query notation` with `{text}` for `{mv}`, but `query parse {text}` with another move or none"
            );
            return Err(program.fault(&problem, &format!("`{mv}`"), Some(line)));
        }
        counts.written += 1;
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
        let fault = program.fault(&problem, "the same answer to the same question", Some(line));
        return Err(second::caused(fault));
    }
    counts.asked_twice += 1;
    Ok(())
}

/// Counts the lines of moves of each length, as `go perft` does, as far as few positions suffice.
fn count_first_moves(
    program: &mut RulesProgram,
    visits: usize,
    counts: &mut Counts,
) -> Result<(), RulesError> {
    let mut level = vec![PositionLine::start()];
    let mut visited = 0;
    while !level.is_empty() && visited + level.len() <= visits {
        visited += level.len();
        let mut next = Vec::new();
        for line in &level {
            // These positions are no sample of games.
            let mut others = Counts::default();
            let visited = visit(program, line, &mut others);
            counts.failed_at = others.failed_at;
            let state = visited?;
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
        report.add("ok", "queries", program.known().words().join(" "));
        if !program.known().knows("moves") {
            let text =
                "`query moves` has no answer: no random games can be played, so nothing else was checked";
            report.add("warn", "moves", text);
            return;
        }
        if self.unfinished > 0 {
            let (stopped, games, plies) = (self.unfinished, plan.games, plan.max_plies);
            let text = format!("{stopped} of {games} games did not end within {plies} moves (`--max-plies`)");
            report.add("FAIL", "end", text);
        }
        if is_complete {
            self.add_passed(report);
        }
        self.add_warnings(report, program, plan);
        if !self.lengths.is_empty() {
            self.describe_game(report, program.known().batch_size());
        }
    }

    /// Adds the checks that have passed.
    fn add_passed(&self, report: &mut RulesReport) {
        let Counts {
            positions,
            asked_twice,
            read_back,
            asked_legal,
            written,
            ..
        } = self;
        let mut ok = |name, text: String| report.add("ok", name, text);
        if self.unfinished == 0 {
            let games = counted(self.lengths.len(), "game");
            ok("end", format!("{games} ended, after {}", spread(&self.lengths)));
        }
        if self.starts > 0 {
            ok("starts", format!("{} of `query setup`", self.starts));
        }
        ok("contradictions", format!("none in {positions} positions"));
        ok("repeatable", format!("{asked_twice} positions, asked twice"));
        let samples = self.samples.len();
        let text = format!("agrees in {samples} positions, asked in another order");
        ok("second process", text);
        if *read_back > 0 {
            ok("round trip", format!("{read_back} texts, read back"));
        }
        if *asked_legal > 0 {
            ok("islegal", format!("agrees in {asked_legal} positions"));
        }
        if *written > 0 {
            ok(
                "notation",
                format!("one word for each move in {written} positions"),
            );
        }
    }

    /// Adds what is worth a look.
    fn add_warnings(&self, report: &mut RulesReport, program: &RulesProgram, plan: GamesPlan) {
        for (query, answer) in &program.no_answers {
            let text = format!(
                "`{query}` was answered with `{answer}`, which is not an answer: it is not asked \
                    again"
            );
            report.add("warn", query.word(), text);
        }
        if self.ends_at_once() {
            let (mean, cause) = (mean(&self.lengths), second::CHANGED);
            let text = format!("random games end after {mean:.1} moves (mean); {cause}");
            report.add("warn", "short games", text);
        }
        if let Some((time, moves)) = self.slowest {
            let seconds = time.as_secs_f64();
            let enough = (seconds / f64::from(MAX_LIMITS) * 2.0).ceil();
            let advice = if program.longest < time {
                format!("; `timeout={enough}` lets a match wait as long")
            } else {
                String::new()
            };
            let text = format!(
                "a second process took {seconds:.1} s, longer than `timeout`, to read {moves} moves at a time, as after a \
                 restart in a match; its answers were right{advice}"
            );
            report.add("warn", "slow", text);
        }
        if !program.known().knows("fen") {
            let text = "`query fen` has no answer: no position can be given as text";
            report.add("warn", "text", text);
            let text = "`--repetition` has no effect, because it compares the texts of positions";
            report.add("", "repetition", text);
        }
        if let Some((count, first)) = &program.strays {
            let text = format!("{count} lines of no answer; the first: `{first}`");
            report.add("warn", "other lines", text);
        }
        let mut add = |mark, name, cases: &Cases, what: &str| {
            if cases.count > 0 {
                report.add(mark, name, cases.shown(what));
            }
        };
        let what = "positions have their moves in another order in a second process, as the order of a set changes \
                    with each process; the referee sorts moves, a bot with the same list must do so, too";
        add("warn", "order", &self.reordered, what);
        let what = "answers to `query grid` cannot be drawn";
        add("warn", "grid", &self.wrong_grids, what);
        let what = "positions with a result before the end, which does not count";
        add("warn", "early result", &self.early_results, what);
        let what = "finished positions list moves, which do not count";
        add("warn", "late moves", &self.late_moves, what);
        let what = "finished positions without a reason";
        add("warn", "reason", &self.without_reason, what);
        let what = format!(
            "of {} games have a position that recurs but for a number that counts in its text, so that \
             `--repetition` does not see it",
            plan.games
        );
        add("", "repetition", &self.counters, &what);
        let what = "texts of positions do not say whether the game is over, as after a repetition";
        add("", "history", &self.without_history, what);
    }

    /// Whether the games end before they have begun.
    fn ends_at_once(&self) -> bool {
        const FEW: f64 = 3.0;
        !self.lengths.is_empty() && (mean(&self.lengths) < FEW || self.perft.get(1) == Some(&0))
    }

    /// Adds what kind of game it is.
    fn describe_game(&self, report: &mut RulesReport, queries: usize) {
        let turns = match self.same_side.count {
            0 => "alternate".to_string(),
            _ => self.same_side.shown("moves by the side that moved before"),
        };
        report.add("", "turns", turns);
        report.add("", "moves", format!("{} in a position", spread(&self.branching)));
        let [wins, draws, losses] = self.results;
        let points = (wins as f64 + draws as f64 / 2.0) / self.lengths.len() as f64 * 100.0;
        let [wins, draws] =
            [(wins, "win"), (draws, "draw")].map(|(count, noun)| counted(count as usize, noun));
        let noun = if losses == 1 { "loss" } else { "losses" };
        let text = format!("{wins}, {draws}, {losses} {noun} ({points:.1} %) with random moves");
        report.add("", "first player", text);
        if !self.perft.is_empty() {
            let perft: Vec<String> = self.perft.iter().map(u64::to_string).collect();
            report.add("", "perft", perft.join(" "));
        }
        if let Some(median) = median(&self.times) {
            let micros = median.as_secs_f64() * 1e6;
            let each = micros / queries as f64;
            let text =
                format!("{micros:.0} µs for {queries} queries in one batch (median), {each:.0} µs each");
            report.add("", "time", text);
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
    format!("{least} to {most} moves (mean {:.1})", mean(numbers))
}

fn mean(numbers: &[usize]) -> f64 {
    numbers.iter().sum::<usize>() as f64 / numbers.len() as f64
}

fn median(times: &[Duration]) -> Option<Duration> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}
