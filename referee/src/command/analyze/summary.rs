//! The mistakes of an analysed game, as text and as JSON.

use lodestone::board::Side;
use lodestone::score::Score;
use serde::Serialize;

use crate::io::text::{padded, printable};
use crate::results::analysis::Assessment;
use crate::results::{Analysis, AnalysisTally, MoveAnalysis, StoredGame, StoredMove};

/// The longest name of a player, in characters.
const MAX_NAME: usize = 30;

/// What is said about one analysed game.
#[derive(Clone, Debug)]
pub struct GameSummary {
    /// The names of the players, the first player's first.
    pub players: [String; 2],
    /// Their counts.
    pub tallies: [AnalysisTally; 2],
    /// A line for the game and one for each mistake, without a trailing line break.
    pub text: String,
    /// The game as one line of JSON.
    pub json: String,
}

/// A game in `--json`.
#[derive(Serialize)]
struct AnalyzedGame<'a> {
    game: Option<u64>,
    first: &'a str,
    second: &'a str,
    opening_plies: usize,
    moves: Vec<&'a str>,
    mistakes: Vec<MistakeEntry<'a>>,
    analysis: &'a Analysis,
}

/// A mistake in `--json`.
#[derive(Serialize)]
struct MistakeEntry<'a> {
    /// The number of the move, from 1.
    number: usize,
    player: &'a str,
    played: &'a str,
    best: Option<&'a str>,
    before: String,
    after: String,
    /// Expected points.
    loss: f64,
    gave_away: bool,
    blunder: bool,
}

impl GameSummary {
    /// The summary of a game. `label` is its name, such as `Game 17`; `threshold` the least
    /// loss of a mistake, in expected points.
    ///
    /// # Errors
    /// If the analysis does not fit the game.
    pub fn new(
        game: &StoredGame,
        analysis: &Analysis,
        label: &str,
        threshold: f64,
    ) -> Result<GameSummary, String> {
        let replay = analysed(game, analysis)?;
        let mut tallies: [AnalysisTally; 2] = Default::default();
        for tally in &mut tallies {
            tally.games = 1;
        }
        let (mut lines, mut mistakes, mut missing) = (Vec::new(), Vec::new(), 0_usize);
        for (played, number) in replay.moves.iter().zip(1..) {
            let Some(found) = &played.analysis else { continue };
            tallies[played.mover.index()].add(found, threshold);
            missing += usize::from(found.loss().is_none());
            let (Some(mistake), Some(loss)) = (found.mistake(threshold), found.loss()) else {
                continue;
            };
            let player = &replay.players[played.mover.index()];
            let name = printable(player, MAX_NAME);
            lines.push(format!(
                "  {name}, move {number}: {}",
                sentence(played, found, loss)
            ));
            mistakes.push(MistakeEntry {
                number,
                player,
                played: &played.text,
                best: found.best.as_deref(),
                before: score_of(mistake.before),
                after: score_of(mistake.after),
                loss,
                gave_away: found.gave_away(),
                blunder: mistake.is_blunder,
            });
        }
        let heading = heading(&replay, label, lines.len(), missing);
        let entry = AnalyzedGame {
            game: replay.id,
            first: &replay.players[0],
            second: &replay.players[1],
            opening_plies: game.opening_plies,
            moves: replay.moves.iter().map(|played| played.text.as_str()).collect(),
            mistakes,
            analysis,
        };
        let json = serde_json::to_string(&entry).map_err(|error| error.to_string())?;
        lines.insert(0, heading);
        Ok(GameSummary {
            text: lines.join("\n"),
            json,
            tallies,
            players: replay.players,
        })
    }
}

/// A game with this analysis instead of its own.
fn analysed(game: &StoredGame, analysis: &Analysis) -> Result<StoredGame, String> {
    let mut game = game.clone();
    game.set_analysis(analysis)?;
    Ok(game)
}

/// The players, the result and the number of mistakes.
fn heading(replay: &StoredGame, label: &str, mistakes: usize, missing: usize) -> String {
    let [first, second] = replay.players.each_ref().map(|name| printable(name, MAX_NAME));
    let result = replay.end.as_ref().map(|end| {
        let reason = printable(&end.reason, MAX_NAME);
        format!(", {} ({reason})", end.result)
    });
    let missing = match missing {
        0 => String::new(),
        1 => ", 1 move without values".to_string(),
        _ => format!(", {missing} moves without values"),
    };
    let mistakes = match mistakes {
        0 => "no mistakes".to_string(),
        1 => "1 mistake".to_string(),
        _ => format!("{mistakes} mistakes"),
    };
    format!(
        "{label}: {first} against {second}{}: {mistakes}{missing}",
        result.unwrap_or_default()
    )
}

/// What a mistake did, and what was better: `c4 turned a proven win into a draw; b7 wins in 19`.
fn sentence(played: &StoredMove, found: &MoveAnalysis, loss: f64) -> String {
    let (Some(before), Some(after), Some(best)) = (found.before, found.after, &found.best) else {
        return played.text.clone();
    };
    let mv = &played.text;
    if found.gave_away() {
        let (had, left) = (result(before), result(after));
        let better = match before {
            Score::Win(plies) => format!("wins in {plies}"),
            _ => "draws".to_string(),
        };
        return format!("{mv} turned a proven {had} into a {left}; {best} {better}");
    }
    let (before, after) = (score_text(before), score_text(after));
    format!("{mv} lost {loss:.2} expected points, from {before} to {after}; best was {best}")
}

/// A proven result as a word.
const fn result(score: Score) -> &'static str {
    match score {
        Score::Win(_) => "win",
        Score::Loss(_) => "loss",
        Score::Draw | Score::Cp(_) => "draw",
    }
}

/// A score for people, from the mover's point of view.
fn score_text(score: Score) -> String {
    match score {
        Score::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0),
        Score::Win(plies) => format!("win in {plies}"),
        Score::Loss(plies) => format!("loss in {plies}"),
        Score::Draw => "proven draw".into(),
    }
}

/// The text of a score in result files.
fn score_of(assessment: Assessment) -> String {
    match assessment {
        Assessment::Score(score) => score.to_string(),
        Assessment::Result(..) => String::new(),
    }
}

/// Each move of an analysed game in a line of a table, with a heading.
pub fn move_table(game: &StoredGame, analysis: &Analysis, threshold: f64) -> Result<String, String> {
    let replay = analysed(game, analysis)?;
    let mut rows =
        vec![["Move", "Player", "Played", "", "Best", "Before", "After", "Depth"].map(String::from)];
    for (played, number) in replay.moves.iter().zip(1..) {
        let Some(found) = &played.analysis else { continue };
        let mark = match found.mistake(threshold) {
            Some(mistake) if mistake.is_blunder => "??",
            Some(_) => "?",
            None => "",
        };
        let text = |score: Option<Score>| score.map_or_else(|| "-".into(), score_text);
        rows.push([
            number.to_string(),
            printable(&replay.players[played.mover.index()], MAX_NAME),
            played.text.clone(),
            mark.into(),
            found.best.clone().unwrap_or_else(|| "-".into()),
            text(found.before),
            text(found.after),
            found.depth.map_or_else(|| "-".into(), |depth| depth.to_string()),
        ]);
    }
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; 8] = std::array::from_fn(width);
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(widths).map(|(cell, width)| padded(cell, width));
        cells.collect::<Vec<_>>().join(" ").trim_end().to_string()
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// The counts of each player by name, in the order of their first games.
#[derive(Clone, Debug, Default)]
pub struct PlayerRows(pub Vec<(String, AnalysisTally)>);

impl PlayerRows {
    /// Adds a game.
    pub fn add(&mut self, game: &GameSummary) {
        for side in Side::BOTH {
            let (name, tally) = (&game.players[side.index()], &game.tallies[side.index()]);
            match self.0.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => sum.merge(tally),
                None => self.0.push((name.clone(), tally.clone())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::analysis::MISTAKE;
    use crate::results::analysis_tests::analysis;
    use crate::results::tests::record;

    fn game() -> (StoredGame, Analysis) {
        let stored = StoredGame::from_record(&record(17, "alice", "bob"), None).unwrap();
        let mut moves = [("", "", ""); 8];
        moves[0] = ("h1", "cp 20", "cp 20");
        moves[1] = ("b1", "win 19", "draw 0");
        moves[2] = ("b1", "draw 0", "loss 7");
        moves[3] = ("b1", "cp 20", "cp -300");
        moves[4] = ("b1", "win 9", "cp -300");
        (stored, analysis(&moves))
    }

    #[test]
    fn names_what_each_mistake_did() {
        let (game, analysis) = game();
        let summary = GameSummary::new(&game, &analysis, "Game 17", MISTAKE).unwrap();
        assert_eq!(
            summary.text,
            "Game 17: alice against bob, 1-0 (five): 4 mistakes, 3 moves without values\n  \
             alice, move 3: a2 turned a proven win into a draw; b1 wins in 19\n  \
             bob, move 4: h2 turned a proven draw into a loss; b1 draws\n  \
             alice, move 5: a3 lost 0.19 expected points, from +0.20 to -3.00; best was b1\n  \
             bob, move 6: h3 lost 0.68 expected points, from win in 9 to -3.00; best was b1"
        );
        let mistakes = r#""mistakes":[{"number":3,"player":"alice","played":"a2","best":"b1","before":"win 19","after":"draw 0","loss":0.5,"gave_away":true,"blunder":true}"#;
        assert!(summary.json.contains(mistakes), "{}", summary.json);
        let mut rows = PlayerRows::default();
        rows.add(&summary);
        rows.add(&summary);
        let counts = rows
            .0
            .iter()
            .map(|(name, tally)| (name.as_str(), tally.games, tally.mistakes));
        assert_eq!(counts.collect::<Vec<_>>(), [("alice", 2, 4), ("bob", 2, 4)]);
    }

    #[test]
    fn a_high_threshold_leaves_the_proven_mistakes() {
        let (game, analysis) = game();
        let summary = GameSummary::new(&game, &analysis, "Game 17", 0.7).unwrap();
        assert!(summary.text.contains(": 2 mistakes"), "{}", summary.text);
    }

    #[test]
    fn every_move_has_a_line_in_the_table() {
        let (game, analysis) = game();
        let table = move_table(&game, &analysis, MISTAKE).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 9);
        let header = "Move Player Played    Best Before      After       Depth";
        assert_eq!(lines[0], header);
        assert_eq!(lines[1], "2    bob    h1        h1   +0.20       +0.20       7");
        assert_eq!(lines[2], "3    alice  a2     ?? b1   win in 19   proven draw 7");
        assert_eq!(lines[8], "9    alice  a5        -    -           -           7");
    }

    #[test]
    fn an_analysis_of_another_game_is_refused() {
        let (mut game, analysis) = game();
        game.moves.pop();
        assert!(GameSummary::new(&game, &analysis, "Game 17", MISTAKE).is_err());
    }
}
