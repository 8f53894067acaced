//! The mistakes of an analysed game, as text and as JSON.

use std::fmt::Write as _;

use lodestone_game::board::Side;
use lodestone_game::score::Score;
use referee_core::game::score_text;
use referee_core::io::json;
use referee_core::io::text::{counted, printable};
use referee_core::io::untrusted::Untrusted;
use referee_core::results::{Analysis, AnalysisTally, MoveAnalysis, StoredGame, StoredMove};
use serde::Serialize;

use crate::report::text_table::{Column, TextTable};

/// The longest name of a player, in characters.
const MAX_NAME: usize = 30;

/// What is said about one analysed game.
#[derive(Clone, Debug)]
pub struct GameSummary {
    /// The names of the players, the first player's first.
    pub players: [String; 2],
    /// Their counts.
    pub tallies: [AnalysisTally; 2],
    /// The mistakes of each, as sentences.
    pub mistakes: [Vec<String>; 2],
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
    /// The summary of a game with this analysis. `label` is its name, such as `Game 17`; `threshold` the least
    /// loss of a mistake, in expected points.
    pub fn new(game: &StoredGame, analysis: &Analysis, label: &str, threshold: f64) -> GameSummary {
        let mut tallies: [AnalysisTally; 2] = Default::default();
        for tally in &mut tallies {
            tally.games = 1;
        }
        let mut sentences: [Vec<String>; 2] = Default::default();
        let (mut lines, mut mistakes, mut missing) = (String::new(), Vec::new(), 0_usize);
        for (played, number) in game.moves.iter().zip(1..) {
            let Some(found) = &played.analysis else { continue };
            tallies[played.mover.index()].add(found, threshold);
            missing += usize::from(found.loss().is_none());
            let (Some(mistake), Some(loss)) = (found.mistake(threshold), found.loss()) else {
                continue;
            };
            let player = &game.players[played.mover.index()];
            let name = printable(player, MAX_NAME);
            let best = found.best.as_ref().map_or("-".into(), shown);
            let (mv, change) = (&played.text, mistake.change());
            let sentence = format!("move {number}: {mv} {change}; best was {best}");
            // Writing to a string cannot fail.
            let _ = write!(lines, "\n  {name}, {sentence}");
            sentences[played.mover.index()].push(sentence);
            mistakes.push(MistakeEntry {
                number,
                player,
                played: &played.text,
                best: found.best.as_ref().map(Untrusted::raw),
                before: text_of(found.before),
                after: text_of(found.after),
                loss,
                gave_away: found.gave_away(),
                blunder: mistake.is_blunder,
            });
        }
        let heading = heading(game, label, mistakes.len(), missing);
        let entry = AnalyzedGame {
            game: game.id,
            first: &game.players[0],
            second: &game.players[1],
            opening_plies: game.opening_plies,
            moves: game.moves.iter().map(|played| played.text.as_str()).collect(),
            mistakes,
            analysis,
        };
        GameSummary {
            text: heading + &lines,
            mistakes: sentences,
            json: json::line(&entry).unwrap_or_default(),
            tallies,
            players: game.players.clone(),
        }
    }
}

/// The players, the result and the number of mistakes.
/// A text of the game for people.
fn shown(text: &Untrusted) -> String {
    text.shown().to_string()
}

fn heading(replay: &StoredGame, label: &str, mistakes: usize, missing: usize) -> String {
    let [first, second] = replay.players.each_ref().map(|name| printable(name, MAX_NAME));
    let result = replay.end.as_ref().map(|end| {
        let reason = end.reason.cut(MAX_NAME);
        format!(", {} ({reason})", end.result)
    });
    let missing = match missing {
        0 => String::new(),
        _ => format!(", {} without values", counted(missing, "move")),
    };
    let mistakes = match mistakes {
        0 => "no mistakes".to_string(),
        _ => counted(mistakes, "mistake"),
    };
    format!(
        "{label}: {first} against {second}{}: {mistakes}{missing}",
        result.unwrap_or_default()
    )
}

/// The text of a score in result files.
fn text_of(score: Option<Score>) -> String {
    score.map_or_else(String::new, |score| score.to_string())
}

/// Each move of an analysed game in a line of a table, with a heading.
pub fn move_table(game: &StoredGame, threshold: f64) -> String {
    let moves = game.moves.iter().zip(1_usize..);
    let moves: Vec<_> = moves
        .filter_map(|(played, number)| Some((number, played, played.analysis.as_ref()?)))
        .collect();
    let column = |heading: &str, cell: &dyn Fn(usize, &StoredMove, &MoveAnalysis) -> Option<String>| {
        let cells = moves
            .iter()
            .map(|(number, played, found)| cell(*number, played, found));
        Column::new(heading, cells.map(|cell| cell.unwrap_or_else(|| "-".into())))
    };
    let mark = |found: &MoveAnalysis| match found.mistake(threshold) {
        Some(mistake) if mistake.is_blunder => "??",
        Some(_) => "?",
        None => "",
    };
    let name = |played: &StoredMove| printable(&game.players[played.mover.index()], MAX_NAME);
    let table = TextTable {
        numbers: column("Move", &|number, _, _| Some(number.to_string())),
        names: column("Player", &|_, played, _| Some(name(played))),
        groups: vec![vec![
            column("Played", &|_, played, _| Some(played.text.clone())),
            column("", &|_, _, found| Some(mark(found).into())),
            column("Best", &|_, _, found| found.best.as_ref().map(shown)),
            column("Before", &|_, _, found| found.before.map(score_text)),
            column("After", &|_, _, found| found.after.map(score_text)),
            column("Depth", &|_, _, found| Some(found.depth?.to_string())),
        ]],
    };
    table.fit(usize::MAX)
}

/// The counts of each player by name, in the order of their first games.
#[derive(Clone, Debug, Default)]
pub struct PlayerRows(pub Vec<(String, AnalysisTally)>);

impl PlayerRows {
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
    use referee_core::results::analysis::MISTAKE;
    use referee_core::samples::analysis;
    use referee_core::samples::record;
    use sentences::expect;

    fn game() -> (StoredGame, Analysis) {
        let mut stored = StoredGame::from_record(&record(17, "alice", "bob"), None, None).unwrap();
        let mut moves = [("", "", ""); 8];
        moves[0] = ("h1", "cp 20", "cp 20");
        moves[1] = ("b1", "win 19", "draw 0");
        moves[2] = ("b1", "draw 0", "loss 7");
        moves[3] = ("b1", "cp 20", "cp -300");
        moves[4] = ("b1", "win 9", "cp -300");
        let analysis = analysis(&moves);
        stored.set_analysis(&analysis).unwrap();
        (stored, analysis)
    }

    #[test]
    fn names_what_each_mistake_did() {
        let (game, analysis) = game();
        let summary = GameSummary::new(&game, &analysis, "Game 17", MISTAKE);
        expect![[r#"
            Game 17: alice against bob, 1-0 (five): 4 mistakes, 3 moves without values
              alice, move 3: a2 turned a proven win into a draw; best was b1
              bob, move 4: h2 turned a proven draw into a loss; best was b1
              alice, move 5: a3 lost 0.19 expected points, from +0.20 to -3.00; best was b1
              bob, move 6: h3 lost 0.68 expected points, from win in 9 plies to -3.00; best was b1"#]]
        .assert_eq(&summary.text);
        let own = summary
            .mistakes
            .each_ref()
            .map(|own| own.iter().map(|text| &text[..6]).collect::<Vec<_>>());
        assert_eq!(own, [["move 3", "move 5"], ["move 4", "move 6"]]);
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
        let summary = GameSummary::new(&game, &analysis, "Game 17", 0.7);
        assert!(summary.text.contains(": 2 mistakes"), "{}", summary.text);
    }

    #[test]
    fn every_move_has_a_line_in_the_table() {
        let (game, _) = game();
        let table = move_table(&game, MISTAKE);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 9);
        expect![[r#"
            Move Player Played    Best          Before           After Depth
               2 bob        h1      h1           +0.20           +0.20     7
               3 alice      a2 ??   b1 win in 19 plies     proven draw     7
               9 alice      a5       -               -               -     7"#]]
        .assert_eq(&[lines[0], lines[1], lines[2], lines[8]].join("\n"));
    }

    #[test]
    fn an_analysis_of_another_game_is_refused() {
        let (mut game, analysis) = game();
        game.moves.pop();
        assert!(game.set_analysis(&analysis).is_err());
    }
}
