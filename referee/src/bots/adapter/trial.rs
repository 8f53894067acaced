//! A trial of an adapted program: a game against random moves as each player, with everything shown.

use std::io::{self, Write};
use std::time::Duration;

use lodestone_game::Setup;
use lodestone_game::board::Side;
use lodestone_game::random::Random;
use referee_core::io::text::printable;

use super::game::{AdaptedGame, GameEnd, GameObserver, problem, stopped};
use super::line::Line;
use super::spec::AdapterSpec;

/// The time after which the trial says what it waits for.
const NOTICE: Duration = Duration::from_secs(2);

/// Maximum length of a line of the program, in characters.
const MAX_LINE: usize = 200;

/// Shows what the program prints, what is typed, and what is read as its moves.
#[derive(Default)]
struct Display {
    /// Whether a line of the program is not finished.
    is_inside_line: bool,
    /// The first error of the output.
    error: Option<io::Error>,
}

impl Display {
    fn write(&mut self, text: &str) {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }

    /// A line of the adapter.
    fn line(&mut self, mark: char, text: &str) {
        let is_inside = std::mem::take(&mut self.is_inside_line);
        let end = if is_inside { "\n" } else { "" };
        self.write(&format!("{end}{mark} {text}\n"));
    }
}

impl GameObserver for Display {
    fn typed(&mut self, line: &str) {
        self.line('>', &printable(line, MAX_LINE));
    }

    fn printed(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            let (piece, end) = match piece.strip_suffix('\n') {
                Some(piece) => (piece, "\n"),
                None => (piece, ""),
            };
            let mark = if self.is_inside_line { "" } else { "| " };
            self.is_inside_line = end.is_empty();
            let shown = printable(&piece.replace('\t', "    "), MAX_LINE);
            self.write(&format!("{mark}{shown}{end}"));
        }
    }

    fn late(&mut self, why: &str) -> bool {
        self.line('=', &format!("still waiting: {why}"));
        true
    }
}

/// Plays a game with the program on each side that it can play. `|` marks its lines, `>` what is typed, and `=` what the
/// adapter reads.
pub(crate) fn run(spec: &AdapterSpec) -> Result<io::Result<()>, GameEnd> {
    let mut display = Display::default();
    let sides = spec.plays.map_or(Side::BOTH.to_vec(), |side| vec![side]);
    let mut failed = None;
    for &side in &sides {
        let order = side.ordinal();
        let begin = format!("a game against random moves; the program moves {order}");
        display.line('=', &begin);
        let played = play(spec, side, &mut display);
        if display.is_inside_line {
            display.is_inside_line = false;
            display.write("\n");
        }
        match (played, failed.take()) {
            (Ok(count), first) => {
                display.line('=', &format!("the game is over after {count} moves"));
                failed = first.map(|end| only(end, side));
            }
            // The program may play the other side only.
            (Err(GameEnd::Problem { message, screen }), None) if sides.len() > 1 && side == Side::First => {
                display.line('=', &printable(&message, MAX_LINE));
                failed = Some(GameEnd::Problem { message, screen });
            }
            (Err(end), None) => failed = Some(end),
            (Err(_), first) => failed = first,
        }
    }
    if let Some(end) = failed {
        return Err(end);
    }
    let games = if sides.len() == 1 { "one game" } else { "two games" };
    display.line('=', &format!("no problem in {games}"));
    Ok(display.error.map_or(Ok(()), Err))
}

/// The problem of the first game, if the program could play the other one.
fn only(end: GameEnd, side: Side) -> GameEnd {
    match end {
        GameEnd::Problem { message, screen } => {
            let order = side.ordinal();
            GameEnd::Problem {
                message: format!(
                    "{message}; as the {order} player it has no problem: if it plays one side only, add `plays = \"{order}\"`"
                ),
                screen,
            }
        }
        end => end,
    }
}

/// Plays a game. Returns the number of its moves.
fn play(spec: &AdapterSpec, side: Side, display: &mut Display) -> Result<usize, GameEnd> {
    let mut random = Random::new(1);
    let start = if spec.takes_placement {
        spec.rules
            .random_start(Setup::default(), &mut Random::new(1))
            .map_err(stopped)?
    } else {
        spec.rules.startpos()
    };
    let mut line = Line::begun(spec.rules, start);
    let mut game: Option<AdaptedGame<'_>> = None;
    loop {
        let position = line.position();
        if position.outcome().is_some() {
            return Ok(line.moves().len());
        }
        if position.side_to_move() != side {
            if let Some(mv) = random.choose(&position.legal_moves()) {
                line.play(mv.clone()).map_err(stopped)?;
            }
            continue;
        }
        let mut current = match game.take() {
            Some(current) => current,
            None => AdaptedGame::start(spec, None, &line, display)?,
        };
        if let Some(mv) = current.continuation(&line) {
            current.opponent_moves(mv, display)?;
        }
        let answer = current.await_answer(Some(NOTICE), display)?;
        display.line('=', &format!("the program's move: {}", answer.text));
        if let Some(why) = answer.problem {
            let text = answer.text;
            return Err(problem(format!(
                "the program's move {text} cannot be played: {why}"
            )));
        }
        line = current.game.clone();
        game = Some(current);
    }
}
