//! The grammar of commands.

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt, peek, value, verify};
use nom::multi::{fold_many0, many0};
use nom::sequence::preceded;

use super::command::{Command, Dialect, Limits, Query, Start, StateQuery};
use super::grammar::{
    Failure, ParseError, Parsed, end, expecting, keyword, number, parse_line, rest_of_line, single_spaced,
    word, words_until,
};

impl Command {
    /// Parses one line without its line end.
    ///
    /// # Errors
    /// The line is not a command; the error names the column and what is allowed there.
    pub fn parse(line: &str) -> Result<Command, ParseError> {
        parse_line(line, expecting(Command::WORDS, command))
    }
}

fn command(input: &str) -> Parsed<'_, Command> {
    alt((
        value(Command::Greet(Dialect::Uci), keyword("uci")),
        value(Command::Greet(Dialect::Ugi), keyword("ugi")),
        preceded(keyword("debug"), cut(expecting("`on` or `off`", debug))),
        value(Command::Register, preceded(keyword("register"), rest_of_line)),
        value(Command::IsReady, keyword("isready")),
        value(
            Command::NewGame,
            alt((keyword("ucinewgame"), keyword("uginewgame"))),
        ),
        preceded(keyword("setoption"), cut(set_option)),
        preceded(keyword("position"), cut(position)),
        preceded(keyword("go"), cut(go)),
        preceded(keyword("query"), cut(expecting(Query::WORDS, query))).map(Command::Query),
        value(Command::PonderHit, keyword("ponderhit")),
        value(Command::Stop, keyword("stop")),
        value(Command::Quit, keyword("quit")),
        value(Command::Display, keyword("d")),
        value(Command::Eval, keyword("eval")),
        value(Command::Bench, keyword("bench")),
    ))
    .parse(input)
}

/// `on` or `off`.
fn debug(input: &str) -> Parsed<'_, Command> {
    alt((
        value(Command::Debug(true), keyword("on")),
        value(Command::Debug(false), keyword("off")),
    ))
    .parse(input)
}

/// The words after `query`.
fn query(input: &str) -> Parsed<'_, Query> {
    let state = |found: &str| StateQuery::ALL.into_iter().find(|query| query.word() == found);
    alt((
        word.map_opt(state).map(Query::State),
        value(Query::Moves, keyword("moves")),
        preceded(keyword("notation"), opt(word))
            .map(|mv: Option<&str>| Query::Notation(mv.map(str::to_string))),
        preceded(keyword("parse"), cut(expecting("a move", word)))
            .map(|text: &str| Query::Parse(text.to_string())),
        preceded(keyword("islegal"), cut(expecting("a move", word)))
            .map(|mv: &str| Query::IsLegal(mv.to_string())),
        value(Query::Fen, keyword("fen")),
        value(Query::Reason, keyword("reason")),
        value(Query::Score, keyword("score")),
        value(Query::Board, keyword("board")),
        value(Query::Grid, keyword("grid")),
        value(Query::Highlights, keyword("highlights")),
        value(Query::Note, keyword("note")),
        preceded(keyword("setup"), cut(number("a whole number"))).map(Query::Setup),
    ))
    .parse(input)
}

/// `name N [value V]`.
fn set_option(input: &str) -> Parsed<'_, Command> {
    let name = preceded(
        expecting("`name`", keyword("name")),
        expecting("the option's name", words_until(&["value"])),
    );
    (name, opt(preceded(keyword("value"), rest_of_line)))
        .map(|(name, value)| Command::SetOption {
            name: single_spaced(name),
            value: value.map(str::to_string),
        })
        .parse(input)
}

/// `startpos|fen F [moves …]`.
fn position(input: &str) -> Parsed<'_, Command> {
    let fen = preceded(keyword("fen"), cut(expecting("a FEN", words_until(&["moves"]))));
    let start = alt((
        value(Start::Startpos, keyword("startpos")),
        fen.map(|fen: &str| Start::Fen(fen.to_string())),
    ));
    let listed = preceded(keyword("moves"), many0(word.map(str::to_string)));
    let moves = alt((listed, value(Vec::new(), peek(end))));
    (
        expecting("`startpos` or `fen`", start),
        expecting("`moves` or the end of the line", moves),
    )
        .map(|(start, moves)| Command::Position { start, moves })
        .parse(input)
}

/// `perft N`, or any number of limits.
fn go(input: &str) -> Parsed<'_, Command> {
    let perft = preceded(keyword("perft"), cut(number("a whole number of plies")));
    let limits = fold_many0(limit, Limits::default, |mut limits, set| {
        set(&mut limits);
        limits
    });
    alt((perft.map(Command::Perft), limits.map(Command::Go))).parse(input)
}

/// Sets one limit.
type SetLimit<'a> = Box<dyn FnOnce(&mut Limits) + 'a>;

fn limit(input: &str) -> Parsed<'_, SetLimit<'_>> {
    let at_least_one = |found: &str| found.parse().ok().filter(|&number: &u32| number > 0);
    alt((
        time("movetime", |limits| &mut limits.movetime),
        clock(0, |limits| &mut limits.wtime),
        clock(1, |limits| &mut limits.btime),
        clock(2, |limits| &mut limits.winc),
        clock(3, |limits| &mut limits.binc),
        numbered(
            "movestogo",
            "a number of moves, at least 1",
            at_least_one,
            |limits| &mut limits.movestogo,
        ),
        numbered("depth", "a number of plies, at least 1", at_least_one, |limits| {
            &mut limits.depth
        }),
        numbered(
            "nodes",
            "a number of nodes, at least 1",
            |found| found.parse().ok().filter(|&number| number > 0),
            |limits| &mut limits.nodes,
        ),
        numbered("mate", "a number of moves, at least 1", at_least_one, |limits| {
            &mut limits.mate
        }),
        keyword("infinite").map(|_| -> SetLimit { Box::new(|limits| limits.infinite = true) }),
        keyword("ponder").map(|_| -> SetLimit { Box::new(|limits| limits.ponder = true) }),
        preceded(keyword("searchmoves"), many0(value_word)).map(search_moves),
        word.map(|unknown: &str| -> SetLimit { Box::new(|limits| limits.unknown.push(unknown.to_string())) }),
    ))
    .parse(input)
}

/// A word that does not begin the next limit.
fn value_word(input: &str) -> Parsed<'_, &str> {
    verify(word, |found: &str| !Limits::WORDS.contains(&found)).parse(input)
}

/// A limit that is a number. If the number is missing or `read` refuses it, the limit is unusable.
fn numbered<'a, T: 'a>(
    name: &'static str,
    expected: &'static str,
    read: fn(&str) -> Option<T>,
    field: fn(&mut Limits) -> &mut Option<T>,
) -> impl Parser<&'a str, Output = SetLimit<'a>, Error = Failure<'a>> {
    preceded(keyword(name), opt(value_word)).map(move |found| -> SetLimit {
        Box::new(move |limits| {
            if let Some(number) = found.and_then(read) {
                *field(limits) = Some(number);
            } else {
                let text = found.map_or(name.to_string(), |found| format!("{name} {found}"));
                limits.unusable.push((text, expected));
            }
        })
    })
}

/// A limit in milliseconds.
fn time<'a>(
    name: &'static str,
    field: fn(&mut Limits) -> &mut Option<i64>,
) -> impl Parser<&'a str, Output = SetLimit<'a>, Error = Failure<'a>> {
    numbered(
        name,
        "a whole number of milliseconds",
        |found| found.parse().ok(),
        field,
    )
}

/// A clock or an increment; `index` is its place in [`Dialect::clocks`].
fn clock<'a>(
    index: usize,
    field: fn(&mut Limits) -> &mut Option<i64>,
) -> impl Parser<&'a str, Output = SetLimit<'a>, Error = Failure<'a>> {
    let [uci, ugi] = Dialect::ALL.map(|dialect| dialect.clocks()[index]);
    alt((time(uci, field), time(ugi, field)))
}

fn search_moves(moves: Vec<&str>) -> SetLimit<'_> {
    Box::new(move |limits| {
        if moves.is_empty() {
            limits.unusable.push(("searchmoves".to_string(), "a move"));
        }
        limits.searchmoves.extend(moves.into_iter().map(str::to_string));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command after this one. Every command has an arm here, and so must be in
    /// [`Command::WORDS`].
    fn next(command: &Command) -> Option<Command> {
        Some(match command {
            Command::Greet(Dialect::Uci) => Command::Greet(Dialect::Ugi),
            Command::Greet(Dialect::Ugi) => Command::Debug(true),
            Command::Debug(true) => Command::Debug(false),
            Command::Debug(false) => Command::Register,
            Command::Register => Command::IsReady,
            Command::IsReady => Command::NewGame,
            Command::NewGame => Command::SetOption {
                name: "Ponder".into(),
                value: None,
            },
            Command::SetOption { .. } => Command::Position {
                start: Start::Startpos,
                moves: Vec::new(),
            },
            Command::Position { .. } => Command::Go(Limits::default()),
            Command::Go(_) => Command::Perft(1),
            Command::Perft(_) => Command::Query(Query::State(StateQuery::GameOver)),
            Command::Query(Query::State(StateQuery::GameOver)) => {
                Command::Query(Query::State(StateQuery::FirstToMove))
            }
            Command::Query(Query::State(StateQuery::FirstToMove)) => {
                Command::Query(Query::State(StateQuery::Result))
            }
            Command::Query(Query::State(StateQuery::Result)) => Command::Query(Query::Moves),
            Command::Query(Query::Moves) => Command::Query(Query::Notation(None)),
            Command::Query(Query::Notation(None)) => Command::Query(Query::Notation(Some("a8".into()))),
            Command::Query(Query::Notation(Some(_))) => Command::Query(Query::Parse("Nf3".into())),
            Command::Query(Query::Parse(_)) => Command::Query(Query::IsLegal("a8".into())),
            Command::Query(Query::IsLegal(_)) => Command::Query(Query::Fen),
            Command::Query(Query::Fen) => Command::Query(Query::Reason),
            Command::Query(Query::Reason) => Command::Query(Query::Score),
            Command::Query(Query::Score) => Command::Query(Query::Board),
            Command::Query(Query::Board) => Command::Query(Query::Grid),
            Command::Query(Query::Grid) => Command::Query(Query::Highlights),
            Command::Query(Query::Highlights) => Command::Query(Query::Note),
            Command::Query(Query::Note) => Command::Query(Query::Setup(7)),
            Command::Query(Query::Setup(_)) => Command::PonderHit,
            Command::PonderHit => Command::Stop,
            Command::Stop => Command::Quit,
            Command::Quit => Command::Display,
            Command::Display => Command::Eval,
            Command::Eval => Command::Bench,
            Command::Bench => return None,
        })
    }

    #[test]
    fn the_list_of_commands_is_complete() {
        let (_, list) = Command::WORDS.split_once('(').unwrap();
        let listed: Vec<&str> = list.trim_end_matches(')').split(", ").collect();
        let commands = std::iter::successors(Some(Command::Greet(Dialect::Uci)), next);
        for command in commands {
            let text = command.to_string();
            let word = text.split(' ').next().unwrap();
            assert!(listed.contains(&word), "{word} is not listed");
            assert_eq!(Command::parse(&text).as_ref(), Ok(&command), "{text}");
            if let Command::Query(query) = command {
                let listed = Query::WORDS.split([',', ' ']);
                assert!(listed.into_iter().any(|word| word == query.word()), "{query}");
            }
        }
    }

    fn error(line: &str) -> String {
        Command::parse(line).unwrap_err().to_string()
    }

    #[test]
    fn parses_every_command() {
        for line in [
            "uci",
            "ugi",
            "debug on",
            "debug off",
            "register later",
            "isready",
            "ucinewgame",
            "query gameover",
            "query p1turn",
            "query result",
            "query moves",
            "query parse Nf3",
            "query islegal a8",
            "query fen",
            "query reason",
            "query score",
            "query board",
            "query grid",
            "query setup 7",
            "ponderhit",
            "stop",
            "quit",
            "d",
            "eval",
            "bench",
            "setoption name Hash value 32",
            "setoption name Move Overhead value 5",
            "setoption name Clear",
            "position startpos",
            "position startpos moves a8 h8",
            "position fen 8/8/8/8/8/8/8/8 x",
            "position fen xo5/7/7/7/7/7/5xo x 0 40 moves a1b1",
            "go",
            "go infinite",
            "go perft 4",
            "go movetime 100 depth 4 nodes 1000",
            "go wtime 1000 btime -20 winc 5 binc 6 movestogo 3",
            "go mate 3 searchmoves a8 h8",
            "go ponder wtime 1000",
        ] {
            assert_eq!(
                Command::parse(line).map(|command| command.to_string()).as_deref(),
                Ok(line)
            );
        }
    }

    #[test]
    fn parses_both_dialects_alike() {
        for line in [
            "ugi",
            "uginewgame",
            "go p1time 1000 p2time -20 p1inc 5 p2inc 6 movestogo 3",
            "go movetime 5 depth 2 searchmoves a8",
            "query result",
        ] {
            let command = Command::parse(line).unwrap();
            assert_eq!(command.in_dialect(Dialect::Ugi).to_string(), line);
            assert_eq!(Command::parse(&command.to_string()), Ok(command));
        }
    }

    #[test]
    fn a_registration_may_have_any_words() {
        for line in ["register", "register later", "register name A B code 4359"] {
            assert_eq!(Command::parse(line), Ok(Command::Register), "{line}");
        }
    }

    #[test]
    fn ignores_white_space_around_words() {
        let spaced = Command::parse("  position \t startpos   moves a8  h8 \r");
        assert_eq!(spaced, Command::parse("position startpos moves a8 h8"));
    }

    #[test]
    fn allows_spaces_in_option_names_and_empty_values() {
        assert_eq!(
            Command::parse("setoption name Move Overhead value  two words "),
            Ok(Command::SetOption {
                name: "Move Overhead".into(),
                value: Some("two words".into())
            })
        );
        assert_eq!(
            Command::parse("setoption name Book value"),
            Ok(Command::SetOption {
                name: "Book".into(),
                value: Some(String::new())
            })
        );
    }

    #[test]
    fn ends_searchmoves_at_the_next_limit() {
        let Ok(Command::Go(limits)) = Command::parse("go searchmoves a8 h8 depth 3 searchmoves a7") else {
            panic!("not a go");
        };
        assert_eq!(limits.searchmoves, ["a8", "h8", "a7"]);
        assert_eq!(limits.depth, Some(3));
    }

    #[test]
    fn keeps_unknown_words_of_go() {
        let Ok(Command::Go(limits)) = Command::parse("go quickly movetime 10 now") else {
            panic!("not a go");
        };
        assert_eq!(limits.unknown, ["quickly", "now"]);
        assert_eq!(limits.movetime, Some(10));
    }

    /// The search goes on with the other limits; without any that ends it, it has depth 1.
    #[test]
    fn an_unusable_limit_is_kept_apart() {
        let depth = "a number of plies, at least 1";
        let nodes = "a number of nodes, at least 1";
        let moves = "a number of moves, at least 1";
        let time = "a whole number of milliseconds";
        for (line, text, expected, rest, depth_limit) in [
            ("go depth 0", "depth 0", depth, "go", Some(1)),
            ("go depth", "depth", depth, "go", Some(1)),
            ("go depth -3 depth 2", "depth -3", depth, "go depth 2", Some(2)),
            ("go depth 99999999999", "depth 99999999999", depth, "go", Some(1)),
            ("go ponder mate 0", "mate 0", moves, "go ponder", Some(1)),
            (
                "go nodes 1e6 movetime 5",
                "nodes 1e6",
                nodes,
                "go movetime 5",
                None,
            ),
            ("go infinite nodes 0", "nodes 0", nodes, "go infinite", None),
            ("go movestogo 0 wtime 9", "movestogo 0", moves, "go wtime 9", None),
            ("go wtime abc btime 9", "wtime abc", time, "go btime 9", None),
            ("go wtime btime 9", "wtime", time, "go btime 9", None),
            ("go p1inc 1.5 winc 9", "p1inc 1.5", time, "go winc 9", Some(1)),
            ("go movetime 1e3", "movetime 1e3", time, "go", Some(1)),
            (
                "go btime 99999999999999999999",
                "btime 99999999999999999999",
                time,
                "go",
                Some(1),
            ),
            (
                "go searchmoves depth 2",
                "searchmoves",
                "a move",
                "go depth 2",
                Some(2),
            ),
            ("go searchmoves", "searchmoves", "a move", "go", Some(1)),
        ] {
            let Ok(Command::Go(mut limits)) = Command::parse(line) else {
                panic!("{line}");
            };
            assert_eq!(limits.unusable, [(text.to_string(), expected)], "{line}");
            assert_eq!(limits.depth_limit(), depth_limit, "{line}");
            limits.unusable.clear();
            assert_eq!(Command::Go(limits).to_string(), rest, "{line}");
        }
        for (line, depth_limit) in [
            ("go", None),
            ("go movestogo 5", Some(1)),
            ("go winc 5 binc 5", Some(1)),
        ] {
            let Ok(Command::Go(limits)) = Command::parse(line) else {
                panic!("{line}");
            };
            assert_eq!(limits.depth_limit(), depth_limit, "{line}");
        }
    }

    #[test]
    fn errors_name_the_column_and_what_is_expected() {
        assert!(
            error("stopp").starts_with("column 1: expected a command (uci, "),
            "{}",
            error("stopp")
        );
        assert_eq!(
            error("stop now"),
            "column 6: expected the end of the line, found `now`"
        );
        assert_eq!(
            error("query winner"),
            "column 7: expected gameover, p1turn, result, moves, notation, parse, islegal, fen, reason, score, board, grid, highlights, note or setup, found `winner`"
        );
        assert_eq!(
            error("query islegal"),
            "column 14: expected a move, found the end of the line"
        );
        assert_eq!(
            error("debug"),
            "column 6: expected `on` or `off`, found the end of the line"
        );
        assert_eq!(
            error("go perft x"),
            "column 10: expected a whole number of plies, found `x`"
        );
        assert_eq!(
            error("setoption Hash"),
            "column 11: expected `name`, found `Hash`"
        );
        assert_eq!(
            error("setoption name value 3"),
            "column 16: expected the option's name, found `value`"
        );
        assert_eq!(
            error("position"),
            "column 9: expected `startpos` or `fen`, found the end of the line"
        );
        assert_eq!(
            error("position fen moves a8"),
            "column 14: expected a FEN, found `moves`"
        );
        assert_eq!(
            error("position startpos a8"),
            "column 19: expected `moves` or the end of the line, found `a8`"
        );
    }

    #[test]
    fn errors_cut_long_words() {
        assert!(error(&"x".repeat(100_000)).len() < Command::WORDS.len() + 100);
    }
}
