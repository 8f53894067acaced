//! Reads PGN: the files that [`pgn`](super) writes, and those of other programs as openings.
//!
//! Also accepts the marks `!` and `?`, as people add them by hand. Variations are skipped, and so are comments,
//! unless they have the moves of a game of this program.

use std::borrow::Cow;

use lodestone::board::Side;
use lodestone::game::GameResult;

use crate::game::{Ruleset, STARTPOS};
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
    /// Whether a move stands outside of comments, so that none stands in them.
    has_open_moves: bool,
    /// Whether the text is in a comment.
    is_in_comment: bool,
    /// What the comment has that the text is in.
    comment: Comment,
    /// The number of variations around the text.
    depth: usize,
}

/// What a comment has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Comment {
    /// Not known yet.
    #[default]
    Unknown,
    /// Moves, as this program writes those of games without a notation for people.
    Moves,
    /// Recorded facts of a move, such as `+0.34/7 0.302s, n=1234`, or what other programs write.
    Facts,
}

/// Splits a PGN file into games.
pub fn games(text: &str) -> Result<Vec<PgnGame>, String> {
    let mut games: Vec<PgnGame> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        interrupt::check().map_err(|signal| signal.to_string())?;
        let line = line.trim();
        let is_in_comment = games.last().is_some_and(|game| game.is_in_comment);
        if line.starts_with('%') && !is_in_comment {
            continue;
        }
        if line.starts_with('[') && !is_in_comment {
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
        match games.last_mut() {
            Some(game) => game.add_line(line, number),
            None if line.is_empty() => {}
            None => return Err(format!("line {number}: moves before the first tag")),
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
    // The character set of the standard for PGN is ISO 8859-1; other files are UTF-8.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    };
    let line_of = |(game, number): (&PgnGame, usize)| {
        if let Some(other) = game.tag(VARIANT_TAG).filter(|name| *name != variant.name()) {
            let other = other.cut(MAX_QUOTE);
            return Err(format!(
                "game {number} is of {other}, not of {variant}; see --variant"
            ));
        }
        let moves: Vec<&str> = game.moves.iter().map(|(text, _)| text.raw()).collect();
        Ok(format!("{} moves {}", game.start(), moves.join(" ")))
    };
    let games = games(&text)?;
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

    /// The position before its moves.
    fn start(&self) -> &str {
        let tag = self.tag("Start").or_else(|| self.tag("FEN"));
        tag.map_or(STARTPOS, Untrusted::raw)
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
        let variant = Ruleset::of_file(variant.raw(), None).map_err(at)?;
        let opening_plies = self.tag("OpeningPlies").map_or(Ok(0), |plies| {
            let wrong = |_| {
                let found = plies.cut(MAX_QUOTE);
                at(format!("the tag `OpeningPlies` needs a number, found `{found}`"))
            };
            plies.raw().parse().map_err(wrong)
        })?;
        let start = match self.start() {
            STARTPOS => variant.startpos(),
            fen => variant
                .parse_fen(fen)
                .map_err(|error| at(format!("`start`: {error}")))?,
        };
        let mut game = StoredGame::new(variant, start);
        for ((text, line), number) in self.moves.iter().zip(1..) {
            game.push_written(text.raw())
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

    /// Adds a line of the text after the tags.
    fn add_line(&mut self, line: &str, number: u64) {
        let mut rest = line;
        loop {
            let signs: &[char] = if self.is_in_comment {
                &['}']
            } else {
                &['{', '(', ')', ';']
            };
            let at = rest.find(signs).unwrap_or(rest.len());
            let (text, behind) = rest.split_at(at);
            for word in text.split_whitespace() {
                self.add_word(word, number);
            }
            match behind.chars().next() {
                Some('{') => (self.is_in_comment, self.comment) = (true, Comment::Unknown),
                Some('}') => self.is_in_comment = false,
                Some('(') => self.depth += 1,
                Some(')') => self.depth = self.depth.saturating_sub(1),
                _ => return,
            }
            rest = behind.get(1..).unwrap_or_default();
        }
    }

    /// Adds a word of the text after the tags.
    fn add_word(&mut self, word: &str, line: u64) {
        self.has_movetext = true;
        let is_ours = self.tag(VARIANT_TAG).is_some();
        if self.is_in_comment {
            if self.comment == Comment::Unknown {
                let has_moves = is_ours && !self.has_open_moves && !begins_facts(word);
                self.comment = if has_moves { Comment::Moves } else { Comment::Facts };
            }
            if self.comment == Comment::Facts {
                return;
            }
        }
        if self.depth > 0 {
            return;
        }
        if let Ok(result) = word.parse() {
            self.result = Some(result);
            return;
        }
        // This program writes a dot behind each number, and a move may begin with a digit.
        let unnumbered = word.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let is_numbered = unnumbered.starts_with('.') || unnumbered.is_empty() && !is_ours;
        let word = if is_numbered {
            unnumbered.trim_start_matches('.')
        } else {
            word
        };
        let word = word.trim_end_matches(['!', '?']);
        // A number alone, an unfinished game, or a numeric annotation such as `$1`.
        if word.is_empty() || word == "*" || word.starts_with('$') {
            return;
        }
        self.has_open_moves |= !self.is_in_comment;
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
        let latin = b"[White \"M\xfcller\"]\n\n1. Nf3 d5 *\n";
        let read = super::openings(latin, Ruleset::MAGNETIC_CAVE);
        assert_eq!(read, Ok(Some((vec!["startpos moves Nf3 d5".into()], false))));
        let from_a_fen = "[FEN \"8/8 w\"]\n[SetUp \"1\"]\n\n1. e4 *\n";
        assert_eq!(
            openings(from_a_fen),
            Ok(Some((vec!["8/8 w moves e4".into()], false)))
        );
    }

    #[test]
    fn reads_what_other_programs_write() {
        let openings = |text: &str| {
            openings(text.as_bytes(), Ruleset::MAGNETIC_CAVE)
                .unwrap()
                .unwrap()
                .0
        };
        let text = "[Event \"?\"]\n% a line\n\n{Before (e5) d4} 1. e4 {[%clk 1] e5\n[%eval 2]\nd5} 1... e5 (1... c5 (1... d5 {a)} \
                    2. d4)) 2 Nf3! ; Nc6\n2... Nc6?! $6 3.Bb5 { } a6 1-0\n\n[Event \"?\"]\n\n1. O-O O-O-O *\n";
        let expected = ["startpos moves e4 e5 Nf3 Nc6 Bb5 a6", "startpos moves O-O O-O-O"];
        assert_eq!(openings(text), expected);
        // A move may begin with a digit, or be a number, in a file of this program.
        let own = "[GameVariant \"magnetic-cave\"]\n\n{1. 4-7 12 2. 3... 7g7f} {0.1s} {3. 5} *\n";
        assert_eq!(openings(own), ["startpos moves 4-7 12 7g7f 5"]);
        let own = "[GameVariant \"magnetic-cave\"]\n\n1. e4 {a comment} 1... e5 {0.1s} *\n";
        assert_eq!(openings(own), ["startpos moves e4 e5"]);
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
