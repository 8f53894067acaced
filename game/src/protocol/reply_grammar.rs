//! The grammar of replies. It is lenient, because engines differ: an unknown line is text,
//! and unknown fields of an `info` line are skipped.

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt, value, verify};
use nom::multi::{fold_many0, many0};
use nom::sequence::{pair, preceded, terminated};

use super::command::Dialect;
use super::grammar::{
    Failure, ParseError, Parsed, expecting, keyword, number, parse_line, rest_of_line, single_spaced, word,
    words_until,
};
use super::reply::{Info, OptionKind, OptionSpec, Reply, Response};
use crate::score::Score;

impl Reply {
    /// Parses one line without its line end. A line whose first word is not in the protocol
    /// is [`Reply::Text`].
    ///
    /// # Errors
    /// The line starts like a reply but is not one, such as a `bestmove` without a move. The
    /// error names the column and what is expected there.
    pub fn parse(line: &str) -> Result<Reply, ParseError> {
        parse_line(line, reply)
    }
}

fn reply(input: &str) -> Parsed<'_, Reply> {
    alt((
        preceded(keyword("bestmove"), cut(best_move)),
        preceded(pair(keyword("info"), keyword("string")), rest_of_line)
            .map(|text| Reply::InfoString(text.to_string())),
        preceded(keyword("info"), info).map(Reply::Info),
        greeted(Dialect::Uci),
        greeted(Dialect::Ugi),
        preceded(keyword("readyok"), rest_of_line).map(|_| Reply::ReadyOk),
        preceded(keyword("option"), cut(option)).map(Reply::Option),
        preceded((keyword("id"), keyword("name")), rest_of_line).map(|name| Reply::IdName(name.to_string())),
        preceded((keyword("id"), keyword("author")), rest_of_line)
            .map(|name| Reply::IdAuthor(name.to_string())),
        preceded(keyword("response"), terminated(response, rest_of_line)).map(Reply::Response),
        preceded(keyword("response"), rest_of_line).map(|text| Reply::ResponseText(text.to_string())),
        rest_of_line.map(|text| Reply::Text(text.to_string())),
    ))
    .parse(input)
}

/// `uciok` or `ugiok`; ignores the rest of the line.
fn greeted<'a>(dialect: Dialect) -> impl Parser<&'a str, Output = Reply, Error = Failure<'a>> {
    preceded(keyword(dialect.greeted()), rest_of_line).map(move |_| Reply::Greeted(dialect))
}

/// The word after `response`.
fn response(input: &str) -> Parsed<'_, Response> {
    word.map_opt(Response::of_word).parse(input)
}

/// `M [ponder M]`; ignores the rest of the line.
fn best_move(input: &str) -> Parsed<'_, Reply> {
    let ponder = opt(preceded(keyword("ponder"), word));
    (expecting("a move", word), ponder, rest_of_line)
        .map(|(best, ponder, _)| Reply::BestMove {
            best: best.to_string(),
            ponder: ponder.map(str::to_string),
        })
        .parse(input)
}

/// Sets one field of an `info` line.
type SetField<'a> = Box<dyn FnOnce(&mut Info) + 'a>;

fn info(input: &str) -> Parsed<'_, Info> {
    fold_many0(info_field, Info::default, |mut info, set| {
        set(&mut info);
        info
    })
    .parse(input)
}

fn info_field(input: &str) -> Parsed<'_, SetField<'_>> {
    /// A field with a number.
    macro_rules! numeric {
        ($name:ident) => {
            preceded(keyword(stringify!($name)), number("a number"))
                .map(|number| -> SetField { Box::new(move |info| info.$name = Some(number)) })
        };
    }
    alt((
        numeric!(depth),
        numeric!(seldepth),
        numeric!(multipv),
        numeric!(nodes),
        numeric!(nps),
        numeric!(hashfull),
        numeric!(time),
        preceded(keyword("score"), score)
            .map(|score| -> SetField { Box::new(move |info| info.score = Some(score)) }),
        // The score is a bound, not exact. The word stands before or after the number.
        alt((keyword("lowerbound"), keyword("upperbound")))
            .map(|_| -> SetField { Box::new(|info| info.score = None) }),
        preceded(keyword("pv"), many0(word)).map(|moves| -> SetField {
            Box::new(move |info| info.pv = moves.into_iter().map(str::to_string).collect())
        }),
        // Text for people, to the end of the line.
        preceded(keyword("string"), rest_of_line).map(|_| -> SetField { Box::new(|_| ()) }),
        word.map(|_| -> SetField { Box::new(|_| ()) }),
    ))
    .parse(input)
}

/// `cp N`, `win N`, `loss N`, `draw 0` or `mate N`.
fn score(input: &str) -> Parsed<'_, Score> {
    alt((
        preceded(keyword("cp"), number("a score")).map(Score::Cp),
        preceded(keyword("win"), number("a number of plies")).map(Score::Win),
        preceded(keyword("loss"), number("a number of plies")).map(Score::Loss),
        value(Score::Draw, pair(keyword("draw"), word)),
        preceded(keyword("mate"), number("a number of moves")).map(Score::from_mate),
    ))
    .parse(input)
}

/// `name N type T …`; ignores words that the type does not have.
fn option(input: &str) -> Parsed<'_, OptionSpec> {
    let name = preceded(
        expecting("`name`", keyword("name")),
        expecting("the option's name", words_until(&["type"])),
    );
    let kind = preceded(
        expecting("`type`", keyword("type")),
        expecting("a type of option", option_kind),
    );
    (name, kind, rest_of_line)
        .map(|(name, kind, _)| OptionSpec {
            name: single_spaced(name),
            kind,
        })
        .parse(input)
}

fn option_kind(input: &str) -> Parsed<'_, OptionKind> {
    let default = |text| -> Vec<&str> {
        let parts = parts(text, &["default"]);
        parts.into_iter().flat_map(|(_, words)| words).collect()
    };
    alt((
        value(OptionKind::Button, keyword("button")),
        preceded(keyword("check"), rest_of_line).map(|text| OptionKind::Check {
            default: matches!(default(text).first(), Some(word) if word.eq_ignore_ascii_case("true")),
        }),
        preceded(keyword("spin"), cut(spin)),
        preceded(keyword("combo"), rest_of_line).map(combo),
        preceded(keyword("string"), rest_of_line).map(|text| OptionKind::String {
            default: default(text).join(" "),
        }),
    ))
    .parse(input)
}

/// The numbers after `default`, `min` and `max`. Each may be missing, with or without its word.
fn spin(input: &str) -> Parsed<'_, OptionKind> {
    let parts = parts(input, &["default", "min", "max"]);
    let number = |name| {
        let part = parts.iter().find(|(key, _)| *key == name);
        let Some(found) = part.and_then(|(_, words)| words.first()) else {
            return Ok(String::new());
        };
        let at = found.as_ptr().addr() - input.as_ptr().addr();
        let is_number = |found: &str| found.parse().is_ok_and(|number: f64| !number.is_nan());
        let (_, number) = cut(expecting("a number", verify(word, is_number))).parse(&input[at..])?;
        Ok(number.to_string())
    };
    let kind = OptionKind::Spin {
        default: number("default")?,
        min: number("min")?,
        max: number("max")?,
    };
    Ok(("", kind))
}

fn combo(text: &str) -> OptionKind {
    let (mut default, mut choices) = (String::new(), Vec::new());
    for (key, words) in parts(text, &["default", "var"]) {
        match key {
            "default" => default = words.join(" "),
            _ if words.is_empty() => {}
            _ => choices.push(words.join(" ")),
        }
    }
    OptionKind::Combo { default, choices }
}

/// The words after each of these keys, in any order. The word right after `var` is part of its
/// value even if it is a key, and so is a key that has come before.
fn parts<'a>(text: &'a str, keys: &[&str]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut parts: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in text.split_whitespace() {
        let is_new = || word == "var" || parts.iter().all(|(key, _)| *key != word);
        let is_value = matches!(parts.last(), Some(("var", words)) if words.is_empty());
        if !is_value && keys.contains(&word) && is_new() {
            parts.push((word, Vec::new()));
        } else if let Some((_, words)) = parts.last_mut() {
            words.push(word);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_every_reply() {
        for line in [
            "id name Lodestone 1",
            "id author the developers",
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Move Overhead type spin default 10 min 0 max 5000",
            "option name UCI_Variant type combo default magnetic-cave var magnetic-cave var gridlock",
            "option name Ponder type check default false",
            "option name Clear Hash type button",
            "option name File type string default a b",
            "uciok",
            "ugiok",
            "readyok",
            "response true",
            "response p2win",
            "info depth 3 seldepth 5 score cp -12 nodes 900 nps 1000 hashfull 3 time 9 pv a8 h8",
            "info depth 3 multipv 2 score cp 5",
            "info score win 5",
            "info score loss 4",
            "info score draw 0",
            "info string error: something",
            "bestmove a8",
            "bestmove g4g5 ponder a1a2",
            "Nodes searched: 16",
        ] {
            let reply = Reply::parse(line).unwrap();
            assert_eq!(reply.to_string(), line);
            assert_eq!(
                matches!(reply, Reply::Text(_)),
                line.starts_with("Nodes"),
                "{line}"
            );
        }
    }

    #[test]
    fn skips_unknown_info_fields() {
        let parsed =
            Reply::parse("info depth x tbhits 1 score wdl 3 nodes 17 currmove a8 score cp 4 string x");
        let expected = Info {
            nodes: Some(17),
            score: Some(Score::Cp(4)),
            ..Info::default()
        };
        assert_eq!(parsed, Ok(Reply::Info(expected)));
    }

    #[test]
    fn a_bound_is_no_score() {
        for bound in ["lowerbound", "upperbound"] {
            for score in [
                format!("cp 4 {bound}"),
                format!("{bound} cp 4"),
                format!("mate 2 {bound}"),
            ] {
                let parsed = Reply::parse(&format!("info depth 2 score {score} nodes 7 pv a8"));
                let expected = Info {
                    depth: Some(2),
                    nodes: Some(7),
                    pv: vec!["a8".into()],
                    ..Info::default()
                };
                assert_eq!(parsed, Ok(Reply::Info(expected)), "{score}");
            }
        }
    }

    #[test]
    fn parses_a_mate_in_moves_as_plies() {
        for (text, score) in [
            ("mate 1", Score::Win(1)),
            ("mate 3", Score::Win(5)),
            ("mate -3", Score::Loss(6)),
            ("mate 0", Score::Loss(0)),
            ("mate -2147483648", Score::Loss(u32::MAX)),
        ] {
            let Ok(Reply::Info(info)) = Reply::parse(&format!("info depth 2 score {text} pv a8")) else {
                panic!("{text}")
            };
            assert_eq!(
                (info.score, info.depth, info.pv.len()),
                (Some(score), Some(2), 1),
                "{text}"
            );
        }
    }

    #[test]
    fn ignores_words_after_the_move() {
        let expected = Reply::BestMove {
            best: "A8".into(),
            ponder: None,
        };
        assert_eq!(Reply::parse("  bestmove  A8 because I like it\r"), Ok(expected));
    }

    #[test]
    fn rejects_a_bestmove_without_a_move() {
        let error = Reply::parse("bestmove ").unwrap_err();
        assert_eq!(
            error.to_string(),
            "column 9: expected a move, found the end of the line"
        );
        assert_eq!(
            Reply::parse("bestmoves a8"),
            Ok(Reply::Text("bestmoves a8".into()))
        );
    }
}
