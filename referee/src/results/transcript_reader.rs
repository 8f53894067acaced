//! Reads the game of a transcript of [`transcripts`](super::transcripts): its heading,
//! and the times and scores of the moves whose dialogue it holds.

use std::time::Duration;

use lodestone::protocol::Reply;
use lodestone::score::Score;

use super::facts::Facts;
use super::record::Record;
use super::stored_game::StoredGame;
use crate::io::text::printable;
use crate::player::describes_the_move;

/// Maximum length of a quotation in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// Whether a text is probably a transcript.
#[must_use]
pub fn is_transcript(text: &str) -> bool {
    text.starts_with("Game ")
        && text
            .lines()
            .nth(1)
            .is_some_and(|line| line.starts_with("Result: "))
}

/// Reads a transcript.
///
/// # Errors
/// A message that names the line.
pub fn read(text: &str) -> Result<StoredGame, String> {
    let lines: Vec<&str> = text.lines().collect();
    let field = |number: usize, name: &str| {
        let line = lines.get(number - 1).copied().unwrap_or_default();
        line.strip_prefix(name).ok_or_else(|| {
            let found = printable(line, MAX_QUOTE);
            format!("line {number}: expected `{name}…`, found `{found}`")
        })
    };
    let title = field(1, "Game ")?;
    let (id, variant, first, second) = parse_title(title).ok_or_else(|| {
        "line 1: expected `Game ID (round ROUND) of VARIANT: FIRST against SECOND`".to_string()
    })?;
    let end = field(2, "Result: ")?;
    let (result, reason) = end
        .split_once(", ")
        .ok_or_else(|| "line 2: expected `Result: RESULT, REASON: DETAIL`".to_string())?;
    let (reason, detail) = reason.split_once(": ").unwrap_or((reason, ""));
    field(3, "Seed: ")?;
    let opening = moves(field(5, "Opening: ")?);
    let opening_plies = opening.len();
    let record = Record {
        id,
        variant: variant.into(),
        round: 1,
        pair: 1,
        first: first.into(),
        second: second.into(),
        start: field(4, "Start: ")?.into(),
        moves: opening.into_iter().chain(moves(field(6, "Moves: ")?)).collect(),
        opening_plies,
        ms: Vec::new(),
        score: Vec::new(),
        facts: Facts::default(),
        result: result.parse().map_err(|why| format!("line 2: {why}"))?,
        reason: reason.into(),
        detail: detail.into(),
        started: None,
        ended: None,
        claims: None,
        illegal_lines: None,
        ponder: None,
        analysis: None,
    };
    let mut game = StoredGame::from_record(&record, None).map_err(|error| {
        let line = match error.ply {
            Some(ply) if ply < opening_plies => "line 5: ",
            Some(_) => "line 6: ",
            None => "",
        };
        format!("{line}{}", error.why)
    })?;
    add_dialogue(&mut game, &record, &answers(&lines, [first, second]));
    Ok(game)
}

/// An answer of an engine in the dialogue.
struct Answer<'a> {
    text: &'a str,
    time: Option<Duration>,
    score: Option<Score>,
}

/// The answers of both engines, in order.
fn answers<'a>(lines: &[&'a str], names: [&str; 2]) -> Vec<Answer<'a>> {
    // The last exact score of each engine, and whether it thinks in the opponent's time.
    let mut states = [(None, false); 2];
    let mut answers = Vec::new();
    for line in lines {
        let Some((times, rest)) = line.split_at_checked(TIMES_WIDTH) else {
            continue;
        };
        let spoken = names.iter().zip(&mut states).find_map(|(name, state)| {
            let (sign, text) = rest.split_once(' ')?;
            Some((sign, text.strip_prefix(name)?.strip_prefix(": ")?, state))
        });
        let Some((sign, text, (score, ponders))) = spoken else {
            continue;
        };
        let mut words = text.split_whitespace();
        match (sign, words.next()) {
            (">", Some("go")) => {
                *score = None;
                *ponders = words.any(|word| word == "ponder");
            }
            (">", Some("ponderhit")) => *ponders = false,
            ("<", Some("info")) => *score = reported_score(text).or(*score),
            // Of a search in the opponent's time: no answer.
            ("<", Some("bestmove")) if *ponders => *ponders = false,
            ("<", Some("bestmove")) => answers.push(Answer {
                text: words.next().unwrap_or_default(),
                time: latency(times),
                score: score.take(),
            }),
            _ => {}
        }
    }
    answers
}

/// The width of both times and the spaces after them, in characters.
const TIMES_WIDTH: usize = 24;

/// The milliseconds since the last command, the second column.
fn latency(times: &str) -> Option<Duration> {
    let milliseconds: f64 = times.split_whitespace().nth(1)?.parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1000.0).ok()
}

/// The score of an `info` line, if it describes the move.
fn reported_score(line: &str) -> Option<Score> {
    match Reply::parse(line) {
        Ok(Reply::Info(info)) if describes_the_move(line) => info.score,
        _ => None,
    }
}

/// Assigns answers to the last moves of the game. A transcript may lack the earlier
/// ones, and the last answer may be the fault that ended the game.
fn add_dialogue(game: &mut StoredGame, record: &Record, answers: &[Answer<'_>]) {
    let played = &record.moves[game.opening_plies..];
    game.move_times = vec![None; played.len()];
    game.scores = vec![None; played.len()];
    let mut answers = answers.iter().rev();
    for (index, text) in played.iter().enumerate().rev() {
        let Some(answer) = answers.find(|answer| answer.text.eq_ignore_ascii_case(text)) else {
            return;
        };
        game.move_times[index] = answer.time;
        game.scores[index] = answer.score;
    }
}

/// The number, variant and players of the first line, without `Game `.
fn parse_title(title: &str) -> Option<(u64, &str, &str, &str)> {
    let (id, rest) = title.split_once(" (round ")?;
    let (_, rest) = rest.split_once(") of ")?;
    let (variant, players) = rest.split_once(": ")?;
    let (first, second) = players.split_once(" against ")?;
    Some((id.parse().ok()?, variant, first, second))
}

/// The moves of a line; `none` stands for no moves.
fn moves(line: &str) -> Vec<String> {
    let words = line.split_whitespace().filter(|word| *word != "none");
    words.map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRANSCRIPT: &str = "\
Game 17 (round 1) of magnetic-cave: my bot against b
Result: 0-1, illegal: my bot played d4: it is not legal
Seed: 1
Start: 8/8/8/8/8/8/8/8 x
Opening: a1 h1
Moves: a2 h2

# milliseconds since the first line, milliseconds since the last command,
# > command, < output of the engine
       0.000            > my bot: go movetime 400
       1.000      1.000 < my bot: info depth 1 score cp 7 pv a2
       1.500      1.500 < my bot: info depth 2 multipv 2 score cp 3 pv a2
       2.000      2.000 < my bot: info depth 2 score cp -90 upperbound pv a2
      12.500     12.500 < my bot: bestmove a2
      13.000            > b: go movetime 400
      20.000      7.000 < b: bestmove h2
      21.000            > my bot: go movetime 400
      22.000      1.000 < my bot: info depth 1 score loss 4
      23.000      2.000 < my bot: bestmove d4

Last lines of b on stderr:
  bestmove h2
";

    #[test]
    fn reads_heading_times_and_scores() {
        assert!(is_transcript(TRANSCRIPT));
        let game = read(TRANSCRIPT).unwrap();
        assert_eq!(game.id, Some(17));
        assert_eq!(game.players, Some(["my bot".to_string(), "b".to_string()]));
        assert_eq!((game.moves.len(), game.opening_plies), (4, 2));
        let milliseconds = |ms: f64| Some(Duration::from_secs_f64(ms / 1000.0));
        assert_eq!(game.move_times, [milliseconds(12.5), milliseconds(7.0)]);
        assert_eq!(game.scores, [Some(Score::Cp(7)), None]);
        let end = game.end.unwrap();
        assert_eq!(end.reason, "illegal");
        assert_eq!(end.detail, "my bot played d4: it is not legal");
    }

    #[test]
    fn knows_only_the_moves_of_the_dialogue() {
        let first_line = TRANSCRIPT.find("      12.500").unwrap();
        let second_line = TRANSCRIPT.find("      13.000").unwrap();
        let text = TRANSCRIPT[..first_line].to_string() + &TRANSCRIPT[second_line..];
        let game = read(&text).unwrap();
        assert_eq!(game.move_times[0], None);
        assert!(game.move_times[1].is_some());
    }

    #[test]
    fn errors_name_the_line() {
        let error = |from: &str, to: &str| read(&TRANSCRIPT.replace(from, to)).unwrap_err();
        assert!(error("Game 17", "Game x").starts_with("line 1: expected `Game ID"));
        assert!(error("0-1, ", "0-2, ").starts_with("line 2: expected 1-0, 0-1"));
        assert_eq!(
            error("Start", "Begin"),
            "line 4: expected `Start: …`, found `Begin: 8/8/8/8/8/8/8/8 x`"
        );
        assert!(error(": a1 h1", ": a1 c1").starts_with("line 5: move 2: c1 touches"));
        assert!(error(": a2 h2", ": a2 z2").starts_with("line 6: move 4: `z2` is no move"));
        assert!(!is_transcript("Game of the year\n"));
    }
}
