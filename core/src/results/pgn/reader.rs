//! Reads PGN: the files that [`pgn`](super) writes, and those of other programs as openings.
//!
//! Variations and what people say of a move are skipped, and so are comments, unless they have the moves of a game of
//! this program.

use std::borrow::Cow;

use lodestone_game::GameResult;
use lodestone_game::board::Side;

use crate::game::{FileGame, Ruleset, STARTPOS};
use crate::io::interrupt;
use crate::io::untrusted::Untrusted;
use crate::results::pgn_tokens::{NO_RESULT, Token, TokenKind, Tokens, move_of, no_tag, result_of};
use crate::results::stored_game::{GameEnd, StoredGame};
use crate::schedule::openings::GameLine;

/// The tag with the name of the variant, which PGN of chess does not have.
const VARIANT_TAG: &str = "GameVariant";

/// The tags that say what is played from where. A game in which one cannot be read is not known.
const NEEDED: [&str; 4] = [VARIANT_TAG, "Variant", "FEN", "Start"];

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
    /// Whether a word or moves have followed the tags.
    has_movetext: bool,
    /// Whether a move stands outside of comments, so that none stands in them.
    has_open_moves: bool,
    /// Whether a result, or `*`, has ended the moves.
    is_over: bool,
    /// The lines of the variations around the text.
    open: Vec<u64>,
    /// Why its moves are not known, with the line.
    flaw: Option<String>,
}

/// Splits a PGN file into games; `name` is what messages call the file.
pub fn games(text: &str, name: &str) -> Result<Vec<PgnGame>, String> {
    let mut games: Vec<PgnGame> = Vec::new();
    let mut skipped = Skipped::default();
    for token in Tokens::new(text) {
        interrupt::check().map_err(|signal| signal.to_string())?;
        let Token {
            kind,
            line,
            is_first,
            is_apart,
        } = token?;
        if matches!(&kind, TokenKind::Comment(text) if holds_game(text)) {
            log::warn!(
                "{name}, line {line}: the comment that begins here contains a line `[Event \"`; if it has no end \
                 `}}`, games are left out"
            );
        }
        let begins = match (&kind, games.last()) {
            (TokenKind::Tag(name, _), last) => last.is_none_or(|game| game.ends_before(name, is_apart)),
            (TokenKind::NoTag(text), last) => {
                let is_meant = text.contains('"') || NEEDED.contains(&tag_name(text));
                is_first && is_meant && last.is_none_or(|game| game.ends_before(tag_name(text), is_apart))
            }
            // A game may have no tags.
            (TokenKind::Word(word), last) if begins_moves(word) => last.is_none_or(|game| game.is_over),
            (TokenKind::Word(_), None) => return Err(format!("line {line}: moves before the first tag")),
            _ => false,
        };
        if begins {
            games.last_mut().into_iter().for_each(PgnGame::check_end);
            games.push(PgnGame {
                line,
                ..PgnGame::default()
            });
        }
        if let TokenKind::NoTag(text) = &kind
            && !NEEDED.contains(&tag_name(text))
        {
            skipped.add(|| format!("line {line}: {}", no_tag(text)));
        }
        if let Some(game) = games.last_mut() {
            game.add(kind, line);
        }
    }
    games.last_mut().into_iter().for_each(PgnGame::check_end);
    skipped.warn(name, "what is not a tag");
    Ok(games)
}

/// What was left out of a file: the first one, and the number of others.
#[derive(Debug, Default)]
struct Skipped {
    first: Option<String>,
    others: u64,
}

impl Skipped {
    fn add(&mut self, what: impl FnOnce() -> String) {
        match self.first {
            Some(_) => self.others += 1,
            None => self.first = Some(what()),
        }
    }

    fn warn(self, name: &str, what: &str) {
        let others = match self.others {
            0 => String::new(),
            others => format!("; {others} more like this"),
        };
        if let Some(first) = self.first {
            log::warn!("{name}: skipped {what}: {first}{others}");
        }
    }
}

/// The name of what was meant to be a tag.
fn tag_name(text: &str) -> &str {
    let name = text.trim_start_matches('[').trim_start();
    let is_end = |sign: char| sign.is_whitespace() || ['"', '[', ']', ':', '='].contains(&sign);
    name.split(is_end).next().unwrap_or_default()
}

/// Whether a comment has a line that begins a game.
fn holds_game(comment: &str) -> bool {
    comment
        .lines()
        .any(|line| line.trim_start().starts_with("[Event \""))
}

/// Whether a text is PGN: it begins with a tag, or the first move's number, before which there may be comments.
pub fn is_pgn(text: &str) -> bool {
    let mut tokens = Tokens::new(text);
    let first = tokens.find(|token| !token.as_ref().is_ok_and(Token::is_comment));
    first.is_some_and(|token| match token {
        Ok(token) => match token.kind {
            TokenKind::Tag(..) | TokenKind::NoTag(_) => true,
            TokenKind::Word(word) => begins_moves(word),
            _ => false,
        },
        // A tag or a comment that is wrong.
        Err(_) => true,
    })
}

/// Whether a word is the number of the first move, `1.` or `1.e4`.
fn begins_moves(word: &str) -> bool {
    word.strip_prefix("1.")
        .is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.'))
}

/// The games of a PGN file as openings of a book, in their order, and whether this program has written them all; `None`
/// if the text is no PGN. `name` is what messages call the file.
pub fn openings(bytes: &[u8], ruleset: Ruleset, name: &str) -> Result<Option<(Vec<GameLine>, bool)>, String> {
    // The character set of the standard for PGN is ISO 8859-1; other files are UTF-8.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    };
    if !is_pgn(&text) {
        return Ok(None);
    }
    let mut skipped = Skipped::default();
    let mut line_of = |(game, number): (&PgnGame, usize)| {
        let mut lines = vec![game.line as u32];
        if let Some(why) = &game.flaw {
            skipped.add(|| format!("game {number}, {why}"));
            let text = GameLine::NONE.into();
            return Ok(GameLine { text, lines });
        }
        if let Some(other) = game.tag(VARIANT_TAG).filter(|name| *name != ruleset.name()) {
            let (other, line) = (other.cut(MAX_QUOTE), game.line);
            return Err(format!(
                "line {line}: game {number} is of {other}, not of {ruleset}; see --variant"
            ));
        }
        lines.extend(game.moves.iter().map(|(_, line)| *line as u32));
        let moves: Vec<&str> = game.moves.iter().map(|(text, _)| text.raw()).collect();
        let text = format!("{} moves {}", game.start(), moves.join(" "));
        Ok(GameLine { text, lines })
    };
    let games = games(&text, name)?;
    let lines = games
        .iter()
        .zip(1..)
        .map(&mut line_of)
        .collect::<Result<_, _>>()?;
    skipped.warn(name, "a game");
    Ok(Some((
        lines,
        games.iter().all(|game| game.tag(VARIANT_TAG).is_some()),
    )))
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

    /// The name of its game.
    pub fn variant(&self) -> Option<&str> {
        self.tag(VARIANT_TAG).map(Untrusted::raw)
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

    /// Why its moves are not known, with the line.
    pub fn flaw(&self) -> Option<&String> {
        self.flaw.as_ref()
    }

    /// The number of moves.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Checks the game. `place` is its place in the file, from 1; `rules` are those of the command.
    pub fn read(&self, place: u64, rules: Option<Ruleset>) -> Result<StoredGame, String> {
        let at = |why: String| format!("line {}: {why}", self.line);
        self.flaw.clone().map_or(Ok(()), Err)?;
        let name = self.tag(VARIANT_TAG).ok_or_else(|| {
            at(format!(
                "the game has no tag `{VARIANT_TAG}`, so it is not PGN of `referee match --pgn`"
            ))
        })?;
        let game = FileGame::new(name.raw(), None, rules).map_err(at)?;
        let opening_plies = self.tag("OpeningPlies").map_or(Ok(0), |plies| {
            let wrong = |_| {
                let found = plies.cut(MAX_QUOTE);
                at(format!("the tag `OpeningPlies` needs a number, found `{found}`"))
            };
            plies.raw().parse().map_err(wrong)
        })?;
        let start = match (self.start(), game.rules()) {
            (STARTPOS, Some(rules)) => rules.startpos(),
            (fen, _) => game
                .start(fen, Vec::new())
                .map_err(|error| at(format!("`start`: {error}")))?,
        };
        let mut game = StoredGame::new(game, start);
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

    /// Whether a tag with this name is not one of this game; `is_apart` if an empty line is before it. A game may have
    /// no moves and no result.
    fn ends_before(&self, name: &str, is_apart: bool) -> bool {
        let begins_usually = name == "Event";
        let is_second = self.tag(name).is_some();
        self.has_movetext || is_apart && (begins_usually || is_second) || begins_usually && is_second
    }

    /// Notes that moves may have been left out because a variation has no end.
    fn check_end(&mut self) {
        if let Some(line) = self.open.first() {
            let why = format!("line {line}: the variation has no end `)`");
            self.flaw.get_or_insert(why);
        }
    }

    /// Adds a token of this game.
    fn add(&mut self, kind: TokenKind<'_>, line: u64) {
        match kind {
            TokenKind::Tag(name, value) => self.tags.push((name.to_string(), value.into())),
            TokenKind::NoTag(text) if NEEDED.contains(&tag_name(text)) => {
                let why = format!("line {line}: {}", no_tag(text));
                self.flaw.get_or_insert(why);
            }
            TokenKind::NoTag(_) => {}
            TokenKind::Comment(text) => self.add_comment(text, line),
            TokenKind::Open => self.open.push(line),
            TokenKind::Close => {
                self.open.pop();
            }
            TokenKind::Word(word) => self.add_word(word, line),
        }
    }

    /// Adds a comment, which has moves where this program writes those of a game without a notation for people.
    fn add_comment(&mut self, text: &str, line: u64) {
        let is_ours = self.tag(VARIANT_TAG).is_some();
        let first = text.split_whitespace().next().unwrap_or_default();
        if !is_ours || self.has_open_moves || !self.open.is_empty() || begins_facts(first) {
            return;
        }
        for (text, line) in text.lines().zip(line..) {
            let moves = text.split_whitespace().filter_map(|word| move_of(word, true));
            self.moves.extend(moves.map(|mv| (mv.into(), line)));
        }
        self.has_movetext |= !self.moves.is_empty();
    }

    /// Adds a word that is in no comment.
    fn add_word(&mut self, word: &str, line: u64) {
        self.has_movetext = true;
        if !self.open.is_empty() || self.is_over {
            return;
        }
        let is_ours = self.tag(VARIANT_TAG).is_some();
        let result = result_of(word);
        if result.is_some() || word == NO_RESULT {
            self.result = result;
            self.is_over = true;
        } else if let Some(mv) = move_of(word, is_ours) {
            self.has_open_moves = true;
            self.moves.push((mv.into(), line));
        }
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
    use crate::results::pgn_tokens::can_be_written;
    use crate::samples::header;
    use crate::samples::record;
    use sentences::{assert_has, expect};

    #[test]
    fn reads_what_was_written() {
        let mut game = record(3, "a\"]\\", "b [x");
        game.detail = "it said \"no\"".into();
        game.moves.extend(["h8", "a5"].map(Into::into));
        game.moves[8] = "a8".into();
        let text = pgn::text(&header(), &record(2, "b", "a"), None) + &pgn::text(&header(), &game, None);
        let games = games(&text, "x.pgn").unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].id(1), games[1].id(2)), (2, 3));
        let stored = games[1].read(2, None).unwrap();
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
        let stored = games(&text, "x.pgn").unwrap()[0].read(1, None).unwrap();
        assert_eq!(stored.moves.len(), game.moves.len(), "{text}");
        game.depth = None;
        game.pv = Some(vec![None; 8]);
        let text = pgn::text(&header(), &game, None);
        assert!(
            text.contains("{1. a1 h1} {0.002s} {2. a2} {0.002s} {2... h2} {+0.34 0.003s}"),
            "{text}"
        );
        let stored = games(&text, "x.pgn").unwrap()[0].read(1, None).unwrap();
        assert_eq!(stored.moves.len(), game.moves.len(), "{text}");
    }

    #[test]
    fn skips_a_depth_without_a_score_in_older_files() {
        for facts in ["0.003s", "/3 0.003s"] {
            let text =
                format!("[GameVariant \"magnetic-cave\"]\n\n{{1. a1}} {{{facts}, n=7}} {{1... h1}} *\n");
            let stored = games(&text, "x.pgn").unwrap()[0].read(1, None).unwrap();
            assert_eq!(stored.moves.len(), 2, "{facts}");
        }
    }

    #[test]
    fn reads_moves_outside_of_a_comment() {
        let text = "[GameVariant \"magnetic-cave\"]\n\n1.A1! h1 2. a2?? $1 *\n\n\
                    [GameVariant \"magnetic-cave\"]\n[Result \"1-0\"]\n\n1. a1\n";
        let games = games(text, "x.pgn").unwrap();
        assert_eq!(games.len(), 2);
        let stored = games[0].read(1, None).unwrap();
        assert_eq!((stored.id, stored.moves.len(), stored.end), (Some(1), 3, None));
        assert_eq!(games[1].read(2, None).unwrap().id, Some(2));
        assert!(games[1].read(2, None).unwrap().end.is_some());
    }

    /// The openings of a file as lines of a book.
    fn lines(text: impl AsRef<[u8]>) -> Vec<String> {
        let (lines, _) = openings(text.as_ref(), Ruleset::MAGNETIC_CAVE, "x.pgn")
            .unwrap()
            .unwrap();
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn openings_of_other_programs_are_told_apart() {
        let is_ours = |text: &str| {
            let found = openings(text.as_bytes(), Ruleset::MAGNETIC_CAVE, "x.pgn");
            found.unwrap().unwrap().1
        };
        let own = "[GameVariant \"magnetic-cave\"]\n\n1. a1 H1 *\n\n";
        assert!(is_ours(own));
        assert_eq!(lines(own), ["startpos moves a1 H1"]);
        let both = format!("{own}[Event \"?\"]\n\n1. Nf3 d5 *\n");
        assert!(!is_ours(&both));
        assert_eq!(lines(&both), ["startpos moves a1 H1", "startpos moves Nf3 d5"]);
        let latin = b"[White \"M\xfcller\"]\n\n1. Nf3 d5 *\n";
        assert_eq!(lines(latin), ["startpos moves Nf3 d5"]);
        let from_a_fen = "[FEN \"8/8 w\"]\n[SetUp \"1\"]\n\n1. e4 *\n";
        assert_eq!(lines(from_a_fen), ["8/8 w moves e4"]);
    }

    /// Only what says where a game begins costs the game.
    #[test]
    fn a_wrong_tag_does_not_cost_the_book() {
        let book = |tag: &str| {
            lines(format!(
                "[Event \"1\"]\n[Site 1]\n\n1. e4 *\n\n{tag}\n[White \"2\"]\n\n1. d4 [good] d5 *\n\n[Event \
                 \"3\"]\n\n1. c4 *"
            ))
        };
        let all = ["e4", "d4 d5", "c4"].map(|moves| format!("startpos moves {moves}"));
        for tag in ["[Event \"2]", "[Event]", "[Event \"2\n\"]", "[x"] {
            assert_eq!(book(tag), all, "{tag}");
        }
        for tag in ["[FEN \"2]", "[FEN 8/8 w]", "[Event \"2\"]\n[FEN:8/8 w]"] {
            let [first, _, last] = &all;
            assert_eq!(book(tag), [first, GameLine::NONE, last], "{tag}");
        }
        assert_eq!(
            lines("[A \"1\"]\n\n(e4\n\n[A \"2\"]\n\n1. e4"),
            [GameLine::NONE, &all[0]]
        );
    }

    #[test]
    fn reads_what_other_programs_write() {
        let text = "[Event \"?\"]\n% a line\n\n{Before (e5) d4} 1. e4 {[%clk 1] e5\n[%eval 2]\nd5} 1... e5 (1... c5 (1... d5 {a)} \
                    2. d4)) 2 Nf3! ; Nc6\n2... Nc6?! $6 3.Bb5 { } a6 1-0\n\n[Event \"?\"]\n\n1. O-O O-O-O *\n";
        let expected = ["startpos moves e4 e5 Nf3 Nc6 Bb5 a6", "startpos moves O-O O-O-O"];
        assert_eq!(lines(text), expected);
        // A move may begin with a digit, or be a number, in a file of this program.
        let own = "[GameVariant \"magnetic-cave\"]\n\n{1. 4-7 12 2. 3... 7g7f} {0.1s} {3. 5} *\n";
        assert_eq!(lines(own), ["startpos moves 4-7 12 7g7f 5"]);
        let own = "[GameVariant \"magnetic-cave\"]\n\n1. e4 {a comment} 1... e5 {0.1s} *\n";
        assert_eq!(lines(own), ["startpos moves e4 e5"]);
    }

    #[test]
    fn a_game_may_have_no_moves_and_no_tags() {
        for text in ["a1 1. h1", "(1. a1) 1. h1"] {
            let found = openings(text.as_bytes(), Ruleset::MAGNETIC_CAVE, "x.pgn");
            assert_eq!(found, Ok(None), "{text}");
        }
        // Without a result, the next game is recognised by an empty line, or by its usual first tag.
        let text = "[FEN \"1\"]\n\n[FEN \"2\"]\n\n[Event \"?\"] [FEN \"3\"]\n[Event \"?\"][FEN \"4\"]\n\n{nothing} \
                    *\n[FEN \"5\"]\n\n[Site \"?\"]\ne4 1/2 1. d4 * 2. c4 1-0";
        let starts = lines(text);
        assert_eq!(
            starts,
            [
                "1 moves ",
                "2 moves ",
                "3 moves ",
                "4 moves ",
                "5 moves e4",
                "startpos moves d4"
            ]
        );
        assert_eq!(
            lines("; one\n{two} 1.e4 1-0 1... d5 1. d4"),
            ["startpos moves e4", "startpos moves d4"]
        );
        // Of two tags the first one counts. What follows a result, and assessments, are no moves.
        let text = "[FEN \"1\"][FEN \"0\"]\n\n1 . e4 +- exd6 e.p. ½-½ e5 -- [FEN \"2\"] -- 1… 0-0□‼ ⩲ *";
        assert_eq!(lines(text), ["1 moves e4 exd6", "2 moves -- 0-0"]);
    }

    #[test]
    fn what_cannot_be_read_again_is_not_written() {
        for word in ["Nf3", "O-O-O+", "exd8=Q#", "4-7", "12", "e4!?", "--", "↑"] {
            assert!(can_be_written(word), "{word}");
        }
        for word in [
            "1-0", "*", "A(1)", "a;b", "$1", "{", "%a", "[a", "3.a", "12.", "!", "",
        ] {
            assert!(!can_be_written(word), "{word}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| match games(text, "x.pgn") {
            Ok(games) => games[0].read(1, None).unwrap_err(),
            Err(why) => why,
        };
        expect![[r#"line 2: expected a tag such as `[Round "1.1"]`, found `[FEN "b]`"#]]
            .assert_eq(&error("[Event \"x\"]\n[FEN \"b]\n"));
        assert_eq!(
            error("[A \"1\"]\n\ne4\n(d4 (c4) e5\n[B \"2\"]\n*"),
            "line 4: the variation has no end `)`"
        );
        assert_eq!(error("a1\n[Event \"x\"]\n"), "line 1: moves before the first tag");
        expect! {"line 1: the game has no tag `GameVariant`, so it is not PGN of `referee match --pgn`"}
            .assert_eq(&error("[Event \"chess\"]\n\n1. e4 e5 1-0\n"));
        let head = "[GameVariant \"magnetic-cave\"]\n";
        expect! {"line 4: move 3: d4 touches neither a wall nor a brick"}
            .assert_eq(&error(&format!("{head}\n1. a1 h1\n2. d4 0-1\n")));
        assert!(error(&format!("{head}[Start \"x\"]\n")).starts_with("line 1: `start`: FEN, "));
        assert_has(
            error(&format!("{head}[OpeningPlies \"x\"]\n")),
            expect! {"the tag `OpeningPlies` needs a number, found `x`"},
        );
        assert_has(
            error("[GameVariant \"gridlok\"]\n"),
            expect! {"line 1: unknown variant `gridlok`; did you mean"},
        );
    }
}
