//! Reads the PGN files that [`pgn`](super) writes.
//!
//! Also accepts moves outside of a comment, move numbers anywhere, and the marks `!`
//! and `?`, as people add them by hand.

use lodestone::board::Side;
use lodestone::game::GameResult;

use crate::game::Ruleset;
use crate::io::as_text::Text;
use crate::io::interrupt;
use crate::io::text::printable;
use crate::io::untrusted::Untrusted;
use crate::results::stored_game::{GameEnd, StoredGame};

/// The tag with the name of the variant, which PGN of chess does not have.
const VARIANT_TAG: &str = "GameVariant";

/// Maximum length of a quotation in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// A game of a PGN file whose moves are not checked yet.
#[derive(Clone, Debug, Default)]
pub struct PgnGame {
    /// The number of its first line, from 1.
    line: u64,
    /// The names and values of its tags.
    tags: Vec<(String, Untrusted)>,
    /// Its moves, and the line number of each.
    moves: Vec<(Untrusted, u64)>,
    /// The result after the moves, if there is one.
    result: Option<GameResult>,
    /// Whether text has followed the tags.
    has_movetext: bool,
    /// The comment that the text is in.
    comment: Comment,
}

/// The comment that a place in the text is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Comment {
    /// None, or a comment of moves.
    #[default]
    Moves,
    /// One that has just begun.
    Unknown,
    /// Recorded facts of a move, such as `+0.34/7 0.302s, n=1234`.
    Facts,
}

/// Splits a PGN file into games.
pub fn games(text: &str) -> Result<Vec<PgnGame>, String> {
    let mut games: Vec<PgnGame> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        interrupt::check().map_err(|signal| signal.to_string())?;
        let line = line.trim();
        if line.starts_with('%') {
            continue;
        }
        if line.starts_with('[') {
            let (name, value) = tag(line).ok_or_else(|| {
                let found = printable(line, MAX_QUOTE);
                format!("line {number}: expected a tag such as `[Round \"1.1\"]`, found `{found}`")
            })?;
            let begins_game = games.last().is_none_or(|game| game.has_movetext);
            if begins_game {
                games.push(PgnGame {
                    line: number,
                    ..PgnGame::default()
                });
            }
            if let Some(game) = games.last_mut() {
                game.tags.push((name, value.into()));
            }
            continue;
        }
        for part in line.split_inclusive(['{', '}']) {
            let words = part.trim_end_matches(['{', '}']).split_whitespace();
            for word in words {
                let Some(game) = games.last_mut() else {
                    return Err(format!("line {number}: moves before the first tag"));
                };
                game.add_word(word, number);
            }
            if let (Some(game), true) = (games.last_mut(), part.ends_with(['{', '}'])) {
                game.comment = if part.ends_with('{') {
                    Comment::Unknown
                } else {
                    Comment::Moves
                };
            }
        }
    }
    Ok(games)
}

/// The games of a PGN file as lines of a book, in their order, and whether this program has written them all; `None` if
/// the text is no PGN.
pub fn openings(bytes: &[u8], variant: Ruleset) -> Result<Option<(Vec<String>, bool)>, String> {
    if bytes.trim_ascii_start().first() != Some(&b'[') {
        return Ok(None);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.split(|&byte| byte == b'\n').count();
        format!("line {line}: invalid UTF-8")
    })?;
    let line_of = |(game, number): (&PgnGame, usize)| {
        if let Some(other) = game.tag(VARIANT_TAG).filter(|name| *name != variant.name()) {
            let other = other.cut(MAX_QUOTE);
            return Err(format!(
                "game {number} is of {other}, not of {variant}; see --variant"
            ));
        }
        if let (None, Some(fen)) = (game.tag("Start"), game.tag("FEN")) {
            let fen = fen.cut(MAX_QUOTE);
            return Err(format!(
                "game {number} begins at the tag `FEN`, {fen}, which is not read; write each opening as a line, \
                 `FEN moves …`, with moves as the rules write them"
            ));
        }
        let moves: Vec<&str> = game.moves.iter().map(|(text, _)| text.raw()).collect();
        let start = game.tag("Start").map_or("startpos", Untrusted::raw);
        Ok(format!("{start} moves {}", moves.join(" ")))
    };
    let games = games(text)?;
    let lines = games.iter().zip(1..).map(line_of).collect::<Result<_, _>>()?;
    Ok(Some((
        lines,
        games.iter().all(|game| game.tag(VARIANT_TAG).is_some()),
    )))
}

/// The name and value of a tag, `[NAME "VALUE"]`.
fn tag(line: &str) -> Option<(String, String)> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (name, quoted) = inner.split_once(' ')?;
    let escaped = quoted.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::new();
    let mut characters = escaped.chars();
    while let Some(character) = characters.next() {
        value.push(if character == '\\' {
            characters.next()?
        } else {
            character
        });
    }
    Some((name.to_string(), value))
}

impl PgnGame {
    /// The number of the game: the part of its tag `Round` after the dot, otherwise
    /// `place`, its place in the file.
    pub fn id(&self, place: u64) -> u64 {
        let round = self.tag("Round").and_then(|round| round.raw().split_once('.'));
        round.and_then(|(_, id)| id.parse().ok()).unwrap_or(place)
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&Untrusted> {
        let mut tags = self.tags.iter();
        tags.find(|(tag, _)| tag == name).map(|(_, value)| value)
    }

    /// The names of both players, made safe to show.
    pub fn players(&self) -> [String; 2] {
        let tags = [("White", Side::First), ("Black", Side::Second)];
        tags.map(|(tag, side)| {
            let default = format!("Player {}", side.index() + 1);
            self.tag(tag).map_or(default, |name| name.shown().to_string())
        })
    }

    /// The result; `None` for a game without an end.
    pub fn result(&self) -> Option<GameResult> {
        self.result.or_else(|| self.tag("Result")?.raw().parse().ok())
    }

    /// The number of moves.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Checks the game. `place` is its place in the file, from 1.
    pub fn read(&self, place: u64) -> Result<StoredGame, String> {
        let at = |why: String| format!("line {}: {why}", self.line);
        let variant = self.tag(VARIANT_TAG).ok_or_else(|| {
            at(format!(
                "the game has no tag `{VARIANT_TAG}`, so it is not PGN of `referee match --pgn`"
            ))
        })?;
        let variant = Ruleset::read(variant.raw()).map_err(at)?;
        let opening_plies = self.tag("OpeningPlies").map_or(Ok(0), |plies| {
            let wrong = |_| {
                let found = plies.cut(MAX_QUOTE);
                at(format!("the tag `OpeningPlies` needs a number, found `{found}`"))
            };
            plies.raw().parse().map_err(wrong)
        })?;
        let start = match self.tag("Start") {
            Some(fen) => variant
                .parse_fen(fen.raw())
                .map_err(|error| at(format!("`start`: {error}")))?,
            None => variant.startpos(),
        };
        let mut game = StoredGame::new(variant, start);
        for ((text, line), number) in self.moves.iter().zip(1..) {
            game.push(text.raw())
                .map_err(|error| format!("line {line}: move {number}: {error}"))?;
        }
        game.set_opening(opening_plies).map_err(at)?;
        game.id = Some(self.id(place));
        game.players = self.players();
        let text_of = |name: &str| self.tag(name).cloned().unwrap_or_default();
        game.end = match self.result() {
            Some(result) => Some(GameEnd {
                result,
                reason: text_of("Reason"),
                detail: text_of("Detail"),
            }),
            None => game.end_by_rules(),
        };
        Ok(game)
    }

    /// Adds a word of the text after the tags.
    fn add_word(&mut self, word: &str, line: u64) {
        self.has_movetext = true;
        if self.comment == Comment::Unknown {
            self.comment = if begins_facts(word) {
                Comment::Facts
            } else {
                Comment::Moves
            };
        }
        if self.comment == Comment::Facts {
            return;
        }
        if let Ok(result) = word.parse() {
            self.result = Some(result);
            return;
        }
        let word = word.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let word = word.trim_start_matches('.').trim_end_matches(['!', '?']);
        // A number alone, an unfinished game, or a numeric annotation such as `$1`.
        if word.is_empty() || word == "*" || word.starts_with('$') {
            return;
        }
        self.moves.push((word.into(), line));
    }
}

/// Whether a comment with this first word has the recorded facts of a move: a score, a time, or
/// in older files a depth without a score.
fn begins_facts(word: &str) -> bool {
    let time = word.trim_end_matches(',').strip_suffix('s');
    word.starts_with(['+', '-', '/']) || time.is_some_and(|time| time.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::pgn;
    use crate::samples::header;
    use crate::samples::record;

    #[test]
    fn reads_what_was_written() {
        let mut game = record(3, "a\"]\\", "b [x");
        game.detail = "it said \"no\"".into();
        game.moves.extend(["h8", "a5"].map(Into::into));
        game.moves[8] = "a8".into();
        let text = pgn::text(&header(), &record(2, "b", "a"), None) + &pgn::text(&header(), &game, None);
        let games = games(&text).unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].id(1), games[1].id(2)), (2, 3));
        let stored = games[1].read(2).unwrap();
        assert_eq!(stored.players, ["a\"]\\".to_string(), "b [x".to_string()]);
        assert_eq!((stored.moves.len(), stored.opening_plies), (11, 1));
        let end = stored.end.unwrap();
        assert_eq!((end.reason.raw(), end.detail.raw()), ("five", "it said \"no\""));
    }

    #[test]
    fn skips_recorded_facts() {
        let mut game = record(3, "a", "b");
        game.depth = Some(vec![Some(7); 8]);
        game.pv = Some(vec![Some("a1 a1 a1 a1 a1 a1 a1 a1 a1 a1 a1 a1 a1".into()); 8]);
        game.score[2] = Some("cp 34".into());
        game.score[3] = Some("win 3".into());
        let text = pgn::text(&header(), &game, None);
        assert!(text.contains("{+0.34/7 0.003s"), "{text}");
        let stored = games(&text).unwrap()[0].read(1).unwrap();
        assert_eq!(stored.moves.len(), game.moves.len(), "{text}");
        game.depth = None;
        game.pv = Some(vec![None; 8]);
        let text = pgn::text(&header(), &game, None);
        assert!(
            text.contains("{1. a1 h1} {0.002s} {2. a2} {0.002s} {2... h2} {+0.34 0.003s}"),
            "{text}"
        );
        let stored = games(&text).unwrap()[0].read(1).unwrap();
        assert_eq!(stored.moves.len(), game.moves.len(), "{text}");
    }

    #[test]
    fn skips_a_depth_without_a_score_in_older_files() {
        for facts in ["0.003s", "/3 0.003s"] {
            let text =
                format!("[GameVariant \"magnetic-cave\"]\n\n{{1. a1}} {{{facts}, n=7}} {{1... h1}} *\n");
            let stored = games(&text).unwrap()[0].read(1).unwrap();
            assert_eq!(stored.moves.len(), 2, "{facts}");
        }
    }

    #[test]
    fn reads_moves_outside_of_a_comment() {
        let text = "[GameVariant \"magnetic-cave\"]\n\n1.A1! h1 2. a2?? $1 *\n\n\
                    [GameVariant \"magnetic-cave\"]\n[Result \"1-0\"]\n\n1. a1\n";
        let games = games(text).unwrap();
        assert_eq!(games.len(), 2);
        let stored = games[0].read(1).unwrap();
        assert_eq!((stored.id, stored.moves.len(), stored.end), (Some(1), 3, None));
        assert_eq!(games[1].read(2).unwrap().id, Some(2));
        assert!(games[1].read(2).unwrap().end.is_some());
    }

    #[test]
    fn openings_of_other_programs_are_told_apart() {
        let openings = |text: &str| openings(text.as_bytes(), Ruleset::MAGNETIC_CAVE);
        let own = "[GameVariant \"magnetic-cave\"]\n\n1. a1 H1 *\n\n";
        let lines = vec!["startpos moves a1 H1".to_string()];
        assert_eq!(openings(own), Ok(Some((lines.clone(), true))));
        let other = "[Event \"?\"]\n\n1. Nf3 d5 *\n";
        let both = vec![lines[0].clone(), "startpos moves Nf3 d5".into()];
        assert_eq!(openings(&format!("{own}{other}")), Ok(Some((both, false))));
        let from_a_fen = "[FEN \"8/8 w\"]\n[SetUp \"1\"]\n\n*\n";
        let error = openings(&format!("{own}{from_a_fen}")).unwrap_err();
        assert!(
            error.starts_with("game 2 begins at the tag `FEN`, 8/8 w, which is not read; "),
            "{error}"
        );
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| match games(text) {
            Ok(games) => games[0].read(1).unwrap_err(),
            Err(why) => why,
        };
        assert_eq!(
            error("[Event \"x\"]\n[White \"b]\n"),
            "line 2: expected a tag such as `[Round \"1.1\"]`, found `[White \"b]`"
        );
        assert_eq!(
            error("1. a1\n[Event \"x\"]\n"),
            "line 1: moves before the first tag"
        );
        assert_eq!(
            error("[Event \"chess\"]\n\n1. e4 e5 1-0\n"),
            "line 1: the game has no tag `GameVariant`, so it is not PGN of `referee match --pgn`"
        );
        let head = "[GameVariant \"magnetic-cave\"]\n";
        assert_eq!(
            error(&format!("{head}\n1. a1 h1\n2. d4 0-1\n")),
            "line 4: move 3: d4 touches neither a wall nor a brick"
        );
        assert!(error(&format!("{head}[Start \"x\"]\n")).starts_with("line 1: `start`: FEN, "));
        assert!(
            error(&format!("{head}[OpeningPlies \"x\"]\n"))
                .ends_with("the tag `OpeningPlies` needs a number, found `x`")
        );
        assert!(
            error("[GameVariant \"gridlok\"]\n")
                .starts_with("line 1: unknown variant `gridlok`; did you mean")
        );
    }
}
