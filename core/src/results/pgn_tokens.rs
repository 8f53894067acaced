//! The tokens of PGN (section 7 of the standard). They may stand anywhere: a line may have several tags, and a tag
//! several lines.

use lodestone_game::GameResult;

use crate::io::text::printable;

/// Maximum length of a quotation in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// What people think of a move, behind it. Other programs also write signs that are not ASCII, such as `□`.
const ASSESSMENTS: [char; 2] = ['!', '?'];

/// A capture in passing, which some programs write behind the move.
const EN_PASSANT: [&str; 2] = ["e.p.", "ep"];

/// What ends a line; a carriage return also alone, as on an old Mac.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// What ends a word besides white space, so that `e4$1` and `e4{good}` are a move and something else.
const WORD_ENDS: [char; 6] = ['{', '}', '(', ')', ';', '$'];

/// A part of the text, and where it begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub kind: TokenKind<'a>,
    /// The number of its line, from 1.
    pub line: u64,
    /// Whether it is the first one in its line.
    pub is_first: bool,
    /// Whether an empty line is before it.
    pub is_apart: bool,
}

impl Token<'_> {
    pub(super) const fn is_comment(&self) -> bool {
        matches!(self.kind, TokenKind::Comment(_))
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'a> {
    /// `[NAME "VALUE"]`, with the value as it is meant.
    Tag(&'a str, String),
    /// What begins with `[` but is no tag: its line, or in the middle of a line, up to `]`.
    NoTag(&'a str),
    /// The text between braces.
    Comment(&'a str),
    /// `(`: a variation begins.
    Open,
    /// `)`: it ends.
    Close,
    /// A move, its number, or a result.
    Word(&'a str),
}

/// The tokens of a text. Numeric annotations (`$1`), comments behind `;`, lines that begin with `%`, and braces that
/// close nothing are skipped.
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// The byte where the next token is looked for.
    at: usize,
    /// The number of its line.
    line: u64,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0, line: 1 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes so many bytes. Returns them, and the number of their line ends.
    fn take(&mut self, length: usize) -> (&'a str, u64) {
        let taken = self.rest().get(..length).unwrap_or_default();
        let lone = |(at, _): &(usize, &str)| !taken[at + 1..].starts_with('\n');
        let ends = taken.matches('\n').count() + taken.match_indices('\r').filter(lone).count();
        self.at += taken.len();
        self.line += ends as u64;
        (taken, ends as u64)
    }

    /// Takes what comes before the first of these signs.
    fn take_until(&mut self, is_end: impl Fn(char) -> bool) -> (&'a str, u64) {
        let length = self.rest().find(is_end).unwrap_or(self.rest().len());
        self.take(length)
    }

    /// The tag that begins here, and its length in bytes; `None` if there is none.
    fn tag(&self) -> Option<(&'a str, String, usize)> {
        let inner = self.rest().strip_prefix('[')?.trim_start();
        let is_end = |sign: char| sign.is_whitespace() || ['"', '[', ']'].contains(&sign);
        let (name, behind) = inner.split_at(inner.find(is_end)?);
        let quoted = behind
            .trim_start()
            .strip_prefix('"')
            .filter(|_| !name.is_empty())?;
        // A folder of Windows may end with a backslash.
        let (value, rest) = value(quoted, true).or_else(|| value(quoted, false))?;
        Some((name, value, self.rest().len() - rest.len()))
    }

    /// The length of what begins here with `[` and is no tag; `None` if its end is unknown.
    fn no_tag(&self, is_first: bool) -> Option<usize> {
        let rest = self.rest();
        let line = rest.split(LINE_ENDS).next().unwrap_or_default();
        let end = line.find(']').map(|at| at + 1);
        if !is_first {
            return end.filter(|&end| !line[..end].contains('"'));
        }
        // A tag whose value has a line end.
        let later = || {
            let at = 1 + rest[1..].find(['[', ']'])?;
            let has_gap = rest[..at].lines().any(|line| line.trim().is_empty());
            (rest[at..].starts_with(']') && !has_gap).then_some(at + 1)
        };
        Some(end.map(|_| line.len()).or_else(later).unwrap_or(line.len()))
    }

    /// The token that begins with this sign, perhaps as the first one of its line; `None` for what is skipped.
    fn token(&mut self, first: char, is_first: bool) -> Result<Option<TokenKind<'a>>, String> {
        let line = self.line;
        let is_line_start = self.text[..self.at].ends_with(LINE_ENDS) || self.at == 0;
        Ok(match first {
            '[' => {
                if let Some((name, value, length)) = self.tag() {
                    self.take(length);
                    Some(TokenKind::Tag(name, value))
                } else {
                    let length = self.no_tag(is_first);
                    let length = length.ok_or_else(|| format!("line {line}: {}", no_tag(self.rest())))?;
                    Some(TokenKind::NoTag(self.take(length).0))
                }
            }
            '{' => {
                self.take(1);
                let (comment, _) = self.take_until(|sign| sign == '}');
                if self.rest().is_empty() {
                    return Err(format!("line {line}: the comment has no end `}}`"));
                }
                self.take(1);
                Some(TokenKind::Comment(comment))
            }
            '%' if is_line_start => {
                self.take_until(|sign| LINE_ENDS.contains(&sign));
                None
            }
            ';' => {
                self.take_until(|sign| LINE_ENDS.contains(&sign));
                None
            }
            '$' => {
                self.take(1);
                self.take_until(|sign| !sign.is_ascii_digit());
                None
            }
            '(' | ')' | '}' => {
                self.take(1);
                match first {
                    '(' => Some(TokenKind::Open),
                    ')' => Some(TokenKind::Close),
                    _ => None,
                }
            }
            _ => {
                let (word, _) = self.take_until(|sign| sign.is_whitespace() || WORD_ENDS.contains(&sign));
                Some(TokenKind::Word(word))
            }
        })
    }
}

/// What was expected in place of a text that begins with `[`.
pub(super) fn no_tag(text: &str) -> String {
    let found = text.split(LINE_ENDS).next().unwrap_or_default();
    let found = printable(found.trim_end(), MAX_QUOTE);
    format!("expected a tag such as `[Round \"1.1\"]`, found `{found}`")
}

/// The value of a tag behind its first quote, and the text behind the tag. `escapes` says whether a backslash before a
/// quote or another one is none itself.
fn value(quoted: &str, escapes: bool) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut signs = quoted.char_indices().peekable();
    loop {
        let (at, sign) = signs.next().filter(|(_, sign)| !LINE_ENDS.contains(sign))?;
        // Some programs write quotes without a backslash: the last one is the end.
        let behind = &quoted[at + sign.len_utf8()..];
        match sign {
            '"' => match behind.trim_start().strip_prefix(']') {
                Some(rest) => return Some((value, rest)),
                None => value.push(sign),
            },
            '\\' if escapes => value.push(
                signs
                    .next_if(|(_, next)| ['"', '\\'].contains(next))
                    .map_or(sign, |(_, next)| next),
            ),
            _ => value.push(sign),
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    /// An error names the line.
    type Item = Result<Token<'a>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut is_first, mut is_apart) = (self.at == 0, false);
        loop {
            let (_, ends) = self.take_until(|sign| !sign.is_whitespace());
            (is_first, is_apart) = (is_first || ends > 0, is_apart || ends > 1);
            let line = self.line;
            match self.token(self.rest().chars().next()?, is_first).transpose() {
                None => {}
                Some(kind) => {
                    if kind.is_err() {
                        // Nothing can be said of the rest.
                        self.at = self.text.len();
                    }
                    return Some(kind.map(|kind| Token {
                        kind,
                        line,
                        is_first,
                        is_apart,
                    }));
                }
            }
        }
    }
}

/// The end of a game without a result.
pub(super) const NO_RESULT: &str = "*";

/// The result that a word is; `None` if it is none.
pub(super) fn result_of(word: &str) -> Option<GameResult> {
    match word {
        "1/2" | "½-½" => Some(GameResult::Draw),
        _ => word.parse().ok(),
    }
}

/// The move that a word is, without its number and marks; `None` for a number alone, or what people say of a move. In a
/// file of this program a move may be a number or a sign.
pub(super) fn move_of(word: &str, is_ours: bool) -> Option<&str> {
    let unnumbered = word.trim_start_matches(|sign: char| sign.is_ascii_digit());
    // This program writes a dot behind each number, and a move may begin with a digit.
    let is_numbered = unnumbered.starts_with(['.', '…']) || unnumbered.is_empty() && !is_ours;
    let word = if is_numbered {
        unnumbered.trim_start_matches(['.', '…'])
    } else {
        word
    };
    let is_sign = |sign: char| !is_ours && !sign.is_ascii() && !sign.is_alphanumeric();
    let word = word.trim_end_matches(|sign| ASSESSMENTS.contains(&sign) || is_sign(sign));
    // `--` is a move of nothing, as other programs write it.
    let is_move =
        is_ours || word == "--" || word.contains(char::is_alphanumeric) && !EN_PASSANT.contains(&word);
    Some(word).filter(|word| is_move && !word.is_empty())
}

/// Whether a word of the notation for people can stand in the file of a game, where it is read as this move.
pub(super) fn can_be_written(word: &str) -> bool {
    let mut tokens = Tokens::new(word);
    let first = tokens.next().and_then(Result::ok).map(|token| token.kind);
    first == Some(TokenKind::Word(word))
        && tokens.next().is_none()
        && word != NO_RESULT
        && result_of(word).is_none()
        && move_of(word, true) == Some(word.trim_end_matches(ASSESSMENTS))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens as words, with their lines; those behind an empty line begin with `/`.
    fn shown(text: &str) -> Vec<String> {
        let tokens = Tokens::new(text).map(|token| {
            let Token {
                kind, line, is_apart, ..
            } = token?;
            let kind = match kind {
                TokenKind::Tag(name, value) => format!("[{name}={value}]"),
                TokenKind::NoTag(text) => format!("no tag {text}"),
                TokenKind::Comment(text) => format!("{{{text}}}"),
                TokenKind::Open => "(".into(),
                TokenKind::Close => ")".into(),
                TokenKind::Word(word) => word.into(),
            };
            Ok::<String, String>(format!("{}{line}:{kind}", if is_apart { "/" } else { "" }))
        });
        tokens.map(|token| token.unwrap_or_else(|why| why)).collect()
    }

    #[test]
    fn tags_may_stand_anywhere() {
        assert_eq!(
            shown("[A \"1\"] [B\t\"2\"][ C\n\"x\\\"y\\\\z\\w\" ]\r\n\r\n[D \"\"]"),
            ["1:[A=1]", "1:[B=2]", "1:[C=x\"y\\z\\w]", "/4:[D=]"]
        );
        assert_eq!(
            shown("[A \"the \"big\" one\"] x"),
            ["1:[A=the \"big\" one]", "1:x"]
        );
        assert_eq!(shown("1-0 [A \"1\"]"), ["1:1-0", "1:[A=1]"]);
        assert_eq!(
            shown("[A \"C:\\games\\\"]\n[B \"1\"]"),
            ["1:[A=C:\\games\\]", "2:[B=1]"]
        );
    }

    #[test]
    fn annotations_end_a_word() {
        assert_eq!(
            shown("1.e4$1$22 e5{a\n}(1...c5;x\nd4)2. Nf3 } ; ( {\n% [\n %x"),
            [
                "1:1.e4", "1:e5", "1:{a\n}", "2:(", "2:1...c5", "3:d4", "3:)", "3:2.", "3:Nf3", "5:%x"
            ]
        );
        // The line ends of an old Mac.
        assert_eq!(shown("a;b\rc\r\rd"), ["1:a", "2:c", "/4:d"]);
    }

    #[test]
    fn what_is_no_tag_takes_its_line_and_nothing_else() {
        for (text, tokens) in [
            ("[A \"1\"]\n[B 1]\nx", &["1:[A=1]", "2:no tag [B 1]", "3:x"][..]),
            (
                "  [B 1] [C \"2\"] x\n[D \"3\"]",
                &["1:no tag [B 1] [C \"2\"] x", "2:[D=3]"],
            ),
            // Its value has a line end.
            ("[B \"1\n\"]\nx", &["1:no tag [B \"1\n\"]", "3:x"]),
            ("[B \"1\n[C \"2\"]", &["1:no tag [B \"1", "2:[C=2]"]),
            ("[B \"1\n\nx]", &["1:no tag [B \"1", "/3:x]"]),
            ("[", &["1:no tag ["]),
            ("e4 [a good move] e5", &["1:e4", "1:no tag [a good move]", "1:e5"]),
        ] {
            assert_eq!(shown(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        let expected = "expected a tag such as `[Round \"1.1\"]`, found";
        for (text, why) in [
            ("e4\ne5 [d4 \"", format!("line 2: {expected} `[d4 \"`")),
            ("e5 [A \"1]\nx", format!("line 1: {expected} `[A \"1]`")),
            ("e4\n\n{a\nb", "line 3: the comment has no end `}`".into()),
        ] {
            let found = shown(text);
            assert!(found.contains(&why), "{found:?}");
        }
    }
}
