//! Commands and replies: printed and parsed, they stay the same. Parsers never panic.

use lodestone_game::protocol::{
    Command, Dialect, Info, Limits, OptionKind, OptionSpec, Query, Reply, Response, Start, StateQuery,
};
use lodestone_game::score::{Score, ScoreWords};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// A fixed seed makes failures reproducible, so no file of failed cases is needed.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(3),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Keywords of the protocol.
const KEYWORDS: [&str; 30] = [
    "name",
    "value",
    "type",
    "default",
    "min",
    "max",
    "var",
    "moves",
    "startpos",
    "fen",
    "perft",
    "depth",
    "infinite",
    "searchmoves",
    "string",
    "ponder",
    "pv",
    "score",
    "cp",
    "draw",
    "info",
    "bestmove",
    "go",
    "id",
    "uciok",
    "option",
    "button",
    "quit",
    "-1",
    "0",
];

/// A word that is none of `stops`: random characters without spaces, or a keyword.
fn word(stops: &'static [&'static str]) -> impl Strategy<Value = String> {
    let any = prop_oneof![
        "[a-h][1-8]",
        "\\S{1,6}",
        select(&KEYWORDS[..]).prop_map(str::to_string),
    ];
    any.prop_filter("it ends what it stands in", |word| {
        !stops.contains(&word.as_str())
    })
}

/// Words separated by single spaces, at least one.
fn words(stops: &'static [&'static str]) -> impl Strategy<Value = String> {
    vec(word(stops), 1..5).prop_map(|words| words.join(" "))
}

/// Any text without white space at its ends; may be empty.
fn text() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.trim().to_string())
}

/// Any number; the limits of the type are frequent.
macro_rules! number {
    ($type:ty, $least:expr) => {
        option::of(prop_oneof![
            Just($least),
            Just(<$type>::MAX),
            $least..=<$type>::MAX
        ])
    };
}

fn limits() -> impl Strategy<Value = Limits> {
    let unknown = vec(word(&Limits::WORDS), 0..4).prop_filter("it is a count", |words| {
        words.first().is_none_or(|word| word != "perft")
    });
    let times = (
        number!(i64, i64::MIN),
        number!(i64, i64::MIN),
        number!(i64, i64::MIN),
        number!(i64, i64::MIN),
        number!(i64, i64::MIN),
    );
    let counts = (number!(u32, 1), number!(u32, 1), number!(u64, 1), number!(u32, 1));
    let unusable = select(vec![
        ("depth 0", "a number of plies, at least 1"),
        ("nodes", "a number of nodes, at least 1"),
        ("movetime 1e3", "a whole number of milliseconds"),
        ("searchmoves", "a move"),
    ]);
    let unusable = unusable.prop_map(|(text, expected)| (text.to_string(), expected));
    let unusable = vec(unusable, 0..3);
    let rest = (
        vec(word(&Limits::WORDS), 0..4),
        any::<[bool; 2]>(),
        unknown,
        unusable,
    );
    (times, counts, rest).prop_map(
        |(
            (movetime, wtime, btime, winc, binc),
            (movestogo, depth, nodes, mate),
            (searchmoves, [infinite, ponder], unknown, unusable),
        )| Limits {
            movetime,
            wtime,
            btime,
            winc,
            binc,
            movestogo,
            depth,
            nodes,
            mate,
            searchmoves,
            infinite,
            ponder,
            unknown,
            unusable,
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let plain = select(vec![
        Command::Greet(Dialect::Uci),
        Command::Greet(Dialect::Ugi),
        Command::Query(Query::State(StateQuery::GameOver)),
        Command::Query(Query::State(StateQuery::FirstToMove)),
        Command::Query(Query::State(StateQuery::Result)),
        Command::Query(Query::Moves),
        Command::Query(Query::IsLegal("a8".into())),
        Command::Query(Query::Fen),
        Command::Query(Query::Reason),
        Command::Query(Query::Board),
        Command::PonderHit,
        Command::Debug(true),
        Command::Debug(false),
        Command::Register,
        Command::IsReady,
        Command::NewGame,
        Command::Stop,
        Command::Quit,
        Command::Display,
        Command::Eval,
        Command::Bench,
    ]);
    let start = prop_oneof![Just(Start::Startpos), words(&["moves"]).prop_map(Start::Fen)];
    prop_oneof![
        1 => plain,
        2 => (words(&["value"]), option::of(text()))
            .prop_map(|(name, value)| Command::SetOption { name, value }),
        2 => (start, vec(word(&[]), 0..6)).prop_map(|(start, moves)| Command::Position { start, moves }),
        3 => limits().prop_map(Command::Go),
        1 => any::<u32>().prop_map(Command::Perft),
    ]
}

fn score() -> impl Strategy<Value = Score> {
    prop_oneof![
        any::<i32>().prop_map(Score::Cp),
        any::<u32>().prop_map(Score::Win),
        any::<u32>().prop_map(Score::Loss),
        Just(Score::Draw),
    ]
}

fn info() -> impl Strategy<Value = Info> {
    let first = (
        number!(u32, 0),
        number!(u32, 0),
        number!(u32, 1),
        option::of(score()),
        number!(u64, 0),
    );
    let last = (
        number!(u64, 0),
        number!(u32, 0),
        number!(u64, 0),
        vec(word(&[]), 0..5),
    );
    (first, last).prop_map(
        |((depth, seldepth, multipv, score, nodes), (nps, hashfull, time, pv))| Info {
            depth,
            seldepth,
            multipv,
            score,
            score_words: ScoreWords::default(),
            nodes,
            nps,
            hashfull,
            time,
            pv,
        },
    )
}

/// A number as an engine may write it, or none.
fn digits() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        any::<i128>().prop_map(|number| number.to_string()),
        "-?[0-9]{1,3}\\.[0-9]{0,3}",
    ]
}

fn option_kind() -> impl Strategy<Value = OptionKind> {
    let default = prop_oneof![Just(String::new()), words(&["var"])];
    // Its first word may be anything.
    let choice = (word(&[]), vec(word(&["var"]), 0..4))
        .prop_map(|(first, rest)| [&[first][..], &rest].concat().join(" "));
    prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        (digits(), digits(), digits()).prop_map(|(default, min, max)| OptionKind::Spin { default, min, max }),
        (default, vec(choice, 0..4)).prop_map(|(default, choices)| OptionKind::Combo { default, choices }),
        Just(OptionKind::Button),
        prop_oneof![Just(String::new()), words(&[])].prop_map(|default| OptionKind::String { default }),
    ]
}

fn reply() -> impl Strategy<Value = Reply> {
    let other_response = text().prop_filter("it answers a question of UGI", |text| {
        let first = text.split_whitespace().next().unwrap_or_default();
        Response::ALL.iter().all(|response| response.word() != first)
    });
    let other = text().prop_filter("it is of the protocol", |text| {
        let first = text.split_whitespace().next().unwrap_or_default();
        !["bestmove", "info", "uciok", "readyok", "option", "id", "response"].contains(&first)
    });
    prop_oneof![
        text().prop_map(Reply::IdName),
        text().prop_map(Reply::IdAuthor),
        (words(&["type"]), option_kind()).prop_map(|(name, kind)| Reply::Option(OptionSpec { name, kind })),
        select(&Dialect::ALL[..]).prop_map(Reply::Greeted),
        select(&Response::ALL[..]).prop_map(Reply::Response),
        other_response.prop_map(Reply::ResponseText),
        Just(Reply::ReadyOk),
        info().prop_map(Reply::Info),
        text().prop_map(Reply::InfoString),
        (word(&[]), option::of(word(&[]))).prop_map(|(best, ponder)| Reply::BestMove { best, ponder }),
        other.prop_map(Reply::Text),
    ]
}

/// The other clients have the same tables.
#[test]
fn reads_the_lines_of_other_engines() {
    let tables = [
        include_str!("../lines/option.txt"),
        include_str!("../lines/info.txt"),
    ]
    .concat();
    for case in tables.lines().filter(|line| !line.starts_with('#')) {
        let (line, expected) = case.split_once(" => ").unwrap();
        let read = match Reply::parse(line) {
            Ok(reply @ (Reply::Option(_) | Reply::Info(_))) => reply.to_string(),
            Ok(other) => panic!("{line}: {other:?}"),
            Err(_) => "unreadable".to_string(),
        };
        assert_eq!(read.trim_end(), expected, "{line}");
    }
}

mod slow {
    use super::*;

    proptest! {
        #![proptest_config(config(4000))]
        #[test]
        #[ignore = "slow: .ci/run"]
        fn commands_round_trip(command in command()) {
            for dialect in Dialect::ALL {
                let printed = command.in_dialect(dialect).to_string();
                let read = Command::parse(&printed);
                prop_assert_eq!(read.as_ref(), Ok(&command), "{:?}", printed);
            }
        }
    }

    proptest! {
        #![proptest_config(config(4000))]
        #[test]
        #[ignore = "slow: .ci/run"]
        fn replies_round_trip(reply in reply()) {
            let printed = reply.to_string();
            prop_assert_eq!(Reply::parse(&printed), Ok(reply), "{:?}", printed);
        }
    }

    proptest! {
        #![proptest_config(config(4000))]
        /// In moves, a win or loss is the same or at most one ply longer; a draw becomes `cp 0`.
        #[test]
        #[ignore = "slow: .ci/run"]
        fn scores_in_moves_parse(info in info()) {
            let printed = Reply::Info(Info { score_words: ScoreWords::Mate, ..info.clone() }).to_string();
            let Ok(Reply::Info(read)) = Reply::parse(&printed) else {
                panic!("{printed}")
            };
            let is_short = |plies: u32| plies < 1 << 31;
            match (info.score, read.score) {
                (Some(Score::Win(plies)), Some(Score::Win(read))) => {
                    prop_assert!(read == plies.max(1) || read == plies + 1);
                }
                (Some(Score::Loss(plies)), Some(Score::Loss(read))) => {
                    prop_assert!(read == plies || read == plies + 1);
                }
                (Some(Score::Win(plies) | Score::Loss(plies)), None) => prop_assert!(!is_short(plies)),
                (Some(Score::Draw), read) => prop_assert_eq!(read, Some(Score::Cp(0))),
                (score, read) => prop_assert_eq!(score, read),
            }
            prop_assert_eq!(Info { score: info.score, ..read }, info);
        }
    }

    proptest! {
        #![proptest_config(config(4000))]
        #[test]
        #[ignore = "slow: .ci/run"]
        fn parsers_never_panic_and_errors_point_into_the_line(
            line in prop_oneof![any::<String>(), words(&[]), words(&[]).prop_map(|words| format!("go {words}"))],
        ) {
            let characters = line.chars().count();
            for error in [Command::parse(&line).err(), Reply::parse(&line).err()].into_iter().flatten() {
                prop_assert!((1..=characters + 1).contains(&error.column), "{} in {:?}", error, line);
                prop_assert!(!error.to_string().contains(char::is_control), "{:?}", error);
            }
        }
    }
}

mod long {
    use super::*;

    proptest! {
        #![proptest_config(config(20))]
        #[test]
        #[ignore = "long: .ci/run --long"]
        fn thousands_of_moves_round_trip(
            moves in vec(word(&[]), 2000..4000),
            searchmoves in vec(word(&Limits::WORDS), 2000..4000),
        ) {
            let go = Command::Go(Limits { searchmoves, ..Limits::default() });
            for command in [Command::Position { start: Start::Startpos, moves }, go] {
                prop_assert_eq!(Command::parse(&command.to_string()), Ok(command));
            }
        }
    }
}
