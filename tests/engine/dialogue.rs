//! The engine as a real process with pipes: whole sessions.

use sentences::{assert_rows, expect};
use std::time::{Duration, Instant};

use crate::client::{self, Client, answers, answers_with};

/// The `bestmove` lines of these replies.
fn best_moves(replies: &[String]) -> Vec<&str> {
    replies
        .iter()
        .filter_map(|line| line.strip_prefix("bestmove ")?.split(' ').next())
        .collect()
}

#[test]
fn answers_a_whole_session_in_order() {
    let replies = answers("uci\nisready\nposition startpos moves a8 h8\ngo movetime 100\nquit\n");
    assert_eq!(
        replies[0],
        format!("id name Lodestone {}", env!("CARGO_PKG_VERSION"))
    );
    let at = |wanted: &str| replies.iter().position(|line| line == wanted).unwrap();
    assert!(at("uciok") < at("readyok"));
    assert_eq!(
        at("readyok"),
        replies.len()
            - 2
            - replies
                .iter()
                .filter(|line| line.starts_with("info depth"))
                .count()
    );
    let [best] = best_moves(&replies)[..] else {
        panic!("{replies:?}")
    };
    let second_rank = [
        "a7", "a6", "a5", "a4", "a3", "a2", "a1", "h7", "h6", "h5", "h4", "h3", "h2", "h1", "b8", "g8",
    ];
    assert!(second_rank.contains(&best), "{best}");
}

/// A search that uses memory for the first time waits for the system.
#[test]
fn is_ready_when_it_has_the_memory_of_its_table() {
    let mut client = Client::start();
    let before = client.peak_memory();
    client.send("setoption name Hash value 128\nisready\n");
    client.until("readyok");
    if let (Some(before), Some(after)) = (before, client.peak_memory()) {
        assert!(after >= before + (128 << 10), "{before} and {after} KiB");
    }
}

#[test]
fn accepts_only_announced_options_and_their_values() {
    let replies = answers("uci\n");
    let names: Vec<&str> = replies
        .iter()
        .filter_map(|line| line.strip_prefix("option name ")?.split(" type ").next())
        .collect();
    assert_eq!(
        names,
        [
            "UCI_Variant",
            "Hash",
            "Clear Hash",
            "Threads",
            "MultiPV",
            "Contempt",
            "Mate Scores",
            "Ponder",
            "Move Overhead",
            "TablePath",
            "OwnBook",
            "BookFile",
            "Seed",
            "Personality"
        ]
    );
    let replies = answers(
        "setoption name Hash value 0\nsetoption name Nonsense value 1\nsetoption name Personality value nobody\n\
         setoption name uci_variant value Gridlock\nsetoption name Personality value Mobility\nd\n",
    );
    assert_eq!(
        replies[0],
        "info string error: option Hash: expected a whole number from 1 to 1048576, found `0`"
    );
    assert!(
        replies[1].starts_with("info string error: there is no option `Nonsense`"),
        "{}",
        replies[1]
    );
    assert!(
        replies[2].starts_with("info string error: option Personality: expected one of lodestone, groups")
    );
    assert_eq!(
        replies.last().unwrap(),
        "Fen: 4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40"
    );
}

#[test]
fn an_unusable_line_changes_nothing() {
    let mut input = b"position startpos moves a8\n".to_vec();
    let bad: &[&[u8]] = &[
        b"position startpos moves a8 a8\n",
        b"position startpos moves a8 b6\n",
        b"position startpos moves a8 z9\n",
        b"position fen 8/8/8 x\n",
        b"position fen x7/8/8/8/8/8/8/8 x\n",
        b"position startpos a8\n",
        b"setoption name\n",
        b"go movetime\n",
        b"debug\n",
        b"stop it\n",
        b"hello\n",
        b"\xff\xfe\n",
        b"go \0\n",
    ];
    for line in bad {
        input.extend_from_slice(line);
    }
    input.extend([vec![b'x'; (1 << 20) + 1], b"\nd\nstop\n".to_vec()].concat());
    let replies = answers(input);
    let errors = replies
        .iter()
        .filter(|line| line.starts_with("info string error: "))
        .count();
    // `go \0` reports that the last `position` was refused, and waits for `stop`.
    assert_eq!(errors, bad.len() + 1, "{replies:#?}");
    assert!(
        replies.contains(&"Fen: x7/8/8/8/8/8/8/8 o".to_string()),
        "{replies:#?}"
    );
    let table = expect![[r#"
        0 | move 2: a8 holds a brick already
        1 | move 2: b6 touches neither a wall nor a brick
        2 | move 2: `z9` is not a move: expected a column from a to h and a rank from 1 to 8, such as a6
        3 | FEN, character 6: row 5 is missing: 8 rows are expected
    "#]];
    assert_rows(table, |[place]| replies[place.parse::<usize>().unwrap()].clone());
}

#[test]
fn perft_counts_each_move_and_the_sum() {
    let replies = answers("setoption name UCI_Variant value gridlock\ngo perft 2\nquit\n");
    let counts: Vec<u64> = replies[..18]
        .iter()
        .map(|line| line.split_once(": ").unwrap().1.parse().unwrap())
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), 288);
    assert_eq!(replies[18..], ["Nodes searched: 288"]);
    assert_eq!(answers("go perft 0\n"), ["Nodes searched: 1"]);
    let full = "position fen oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo x\ngo perft 1\n";
    assert_eq!(answers(full), ["Nodes searched: 0"]);
}

/// The arguments of the engine with threads, and without.
const WITH_AND_WITHOUT_THREADS: [&[&str]; 2] = [&[], &["--single-thread"]];

#[test]
fn lines_during_a_count_wait_for_its_end() {
    for arguments in WITH_AND_WITHOUT_THREADS {
        let replies = answers_with(
            arguments,
            "go perft 6\nisready\nposition startpos moves a1\nd\nquit\n",
        );
        let total = replies
            .iter()
            .position(|line| line == "Nodes searched: 16777216")
            .unwrap();
        let ready = replies.iter().position(|line| line == "readyok").unwrap();
        assert!(ready < total);
        assert_eq!(replies.last().unwrap(), "Fen: 8/8/8/8/8/8/8/x7 o");
    }
}

#[test]
fn a_count_reads_its_input() {
    for arguments in WITH_AND_WITHOUT_THREADS {
        let mut client = Client::start_with(arguments);
        client.send("go perft 30\nisready\n");
        assert_eq!(client.until("readyok").len(), 1);
        // The count is in its slices now.
        client.send("isready\n");
        assert_eq!(client.until("readyok").len(), 1);
        client.send("stop\nd\n");
        assert!(client.until("info string perft was stopped").len() <= 2);
        client.until("Fen: 8/8/8/8/8/8/8/8 x");
        client.send("bench\nstop\nisready\n");
        let report = client.until("Nodes/second: ");
        let stopped = "bench was stopped: the figures are incomplete";
        assert!(report.iter().any(|line| line == stopped), "{report:?}");
    }
}

#[test]
fn a_finished_game_has_no_best_move() {
    let won = "position startpos moves a8 h8 a7 h7 a6 h6 a5 h5 a4\n";
    assert_eq!(answers(format!("{won}go movetime 50\n")), ["bestmove 0000"]);
    assert_eq!(answers(format!("{won}go depth 3\n")), ["bestmove 0000"]);
    let shown = answers(format!("{won}d\n"));
    expect! {"Result: 1-0 (x has five in line, a8 to a4)"}.assert_eq(shown.last().unwrap());
    let mut client = Client::start();
    client.send(format!("{won}go infinite\nisready\n"));
    assert_eq!(client.until("readyok"), ["readyok"]);
    client.send("stop\n");
    assert_eq!(client.until("bestmove"), ["bestmove 0000"]);
}

#[test]
fn handles_commands_during_a_search() {
    let mut client = Client::start();
    client.send("go infinite\nisready\n");
    client.until("readyok");
    client.send("go depth 1\n");
    client.until("info string error: a search is running");
    client.send("position startpos moves a8\nsetoption name UCI_Variant value gridlock\nucinewgame\nstop\nstop\nisready\n");
    let replies = client.until("readyok");
    // The `bestmove` still belongs to the game of the search.
    let best = best_moves(&replies);
    assert_eq!(best.len(), 1, "{replies:?}");
    assert_eq!(best[0].len(), 2);
    client.send("go depth 1\n");
    assert_eq!(best_moves(&client.until("bestmove"))[0].len(), 4);
}

#[test]
fn an_infinite_search_that_has_proven_its_result_waits_for_stop() {
    let mut client = Client::start();
    client.send("position startpos moves a8 h8 a7 h7 a6 h6 a5 h5\ngo infinite\n");
    client.until("info depth 1 seldepth 1 score win 1");
    client.send("isready\n");
    let replies = client.until("readyok");
    assert!(best_moves(&replies).is_empty(), "{replies:?}");
    client.send("stop\n");
    assert_eq!(client.until("bestmove").last().unwrap(), "bestmove a4");
}

#[test]
fn every_go_has_exactly_one_best_move() {
    let mut input = String::new();
    for round in 0..500 {
        input += match round % 4 {
            0 => "go infinite\nstop\n",
            1 => "go\nisready\nstop\n",
            2 => "position startpos moves a8 h8\ngo infinite\nposition startpos\nstop\nstop\n",
            _ => "ucinewgame\ngo infinite\nstop\n",
        };
    }
    let replies = answers(input);
    assert_eq!(best_moves(&replies).len(), 500);
    assert!(replies.iter().all(|line| !line.contains("error")), "{replies:?}");
}

#[test]
fn end_of_input_ends_only_searches_without_time_limit() {
    // With a time limit the search finishes …
    let replies = answers("go movetime 300\n");
    let depth = replies
        .iter()
        .filter_map(|line| line.strip_prefix("info depth "))
        .count();
    assert!(depth > 5, "{replies:?}");
    assert_eq!(best_moves(&replies).len(), 1);
    // … without one it stops at once, and so does `quit`.
    for input in [
        "go infinite\n",
        "go\n",
        "go depth 60\n",
        "go nodes 1000000000000\n",
        "go movetime 3600000\nquit\n",
    ] {
        assert_eq!(best_moves(&answers(input)).len(), 1, "{input}");
    }
}

#[test]
fn limits_hold() {
    let deepest = |input: &str| {
        let replies = answers(format!("{input}\nquit\n"));
        assert_eq!(best_moves(&replies).len(), 1);
        replies
    };
    let mut client = Client::start();
    client.send("go depth 4\n");
    let replies = client.until("bestmove");
    assert!(replies.iter().any(|line| line.starts_with("info depth 4 ")));
    assert!(!replies.iter().any(|line| line.starts_with("info depth 5 ")));
    client.send("ucinewgame\ngo nodes 2000\n");
    let replies = client.until("bestmove");
    let nodes = client::field(&replies[replies.len() - 2], "nodes").unwrap();
    assert!(nodes <= 2000, "{replies:?}");
    client.send("go searchmoves h3 H3 depth 3\n");
    assert_eq!(best_moves(&client.until("bestmove")), ["h3"]);
    // A win in two own moves: the open four of a row cannot be stopped.
    client.send("position fen xx4oo/x5oo/xx5o/x6o/8/8/8/8 x\ngo mate 2\n");
    let replies = client.until("bestmove");
    assert!(
        replies.iter().any(|line| line.contains("score win ")),
        "{replies:?}"
    );
    client.send("go quickly depth 1 please\n");
    assert_eq!(
        client.until("bestmove")[0],
        "info string error: unknown in `go`, skipped: quickly please"
    );
    deepest("go movetime 1");
    deepest("go movetime 0");
    deepest("go movetime -5");
    deepest("go wtime 0 btime 0");
    deepest("go wtime -100 btime 100 winc 5 binc 5 movestogo 1");
}

#[test]
fn one_thread_is_deterministic() {
    let search = "ucinewgame\nposition startpos moves a8 h8 a7\ngo depth 8\n";
    let mut client = Client::start();
    let mut counts = Vec::new();
    for _ in 0..2 {
        client.send(search);
        let replies = client.until("bestmove");
        counts.push(client::field(&replies[replies.len() - 2], "nodes").unwrap());
    }
    assert_eq!(counts[0], counts[1]);
}

#[test]
fn every_player_plays_its_game() {
    let players = [
        (
            "magnetic-cave",
            vec!["lodestone", "groups", "squares", "random", "plain"],
        ),
        ("gridlock", vec!["lodestone", "mobility", "random", "plain"]),
    ];
    for (variant, names) in players {
        for name in names {
            let mut client = Client::start();
            client.send(format!(
                "setoption name UCI_Variant value {variant}\nsetoption name Personality value {name}\n"
            ));
            client.send("eval\nposition startpos\ngo movetime 30\n");
            let replies = client.until("bestmove");
            let best = best_moves(&replies)[0].to_string();
            assert!(!replies.iter().any(|line| line.contains("error")), "{replies:?}");
            // The move is legal.
            client.send(format!("position startpos moves {best}\nd\n"));
            let shown = client.until("Fen: ");
            assert!(
                !shown.iter().any(|line| line.contains("error")),
                "{name}: {shown:?}"
            );
        }
    }
}

#[test]
fn closed_stdout_does_not_cause_a_panic() {
    for arguments in [&["bench"][..], &[]] {
        let mut child = client::spawn(arguments);
        drop(child.stdout.take());
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"uci\nisready\n");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

#[test]
fn closing_stdout_during_a_search_ends_the_engine() {
    // A child that another test starts meanwhile has this pipe, too, for a moment. A write at this moment
    // does not fail, and nothing is written after it.
    let ended = (0..6).find_map(|_| {
        let mut child = client::spawn(&[]);
        drop(child.stdout.take());
        // This player reports nothing, and no command follows. So the answer is the first
        // write that fails.
        let mut stdin = child.stdin.take().unwrap();
        let lines = b"setoption name Personality value random\ngo movetime 20\n";
        std::io::Write::write_all(&mut stdin, lines).unwrap();
        let patience = Instant::now() + Duration::from_secs(20);
        while child.try_wait().unwrap().is_none() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(5));
        }
        let has_ended = child.try_wait().unwrap().is_some();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        has_ended.then_some(output)
    });
    let output = ended.expect("the engine ends");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("cannot write the output"), "{stderr}");
}

#[test]
fn rejects_wrong_arguments() {
    let output = client::engine().arg("--frobnicate").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("unknown arguments: --frobnicate"));
}

#[test]
fn commands_of_the_solver_name_its_program() {
    for command in ["solve", "tables", "book"] {
        let output = client::engine().args([command, "--help"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let expected = format!(
            "lodestone: `{command}` belongs to another program; the command is `lodestone-solver {command} …`\n"
        );
        assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
    }
}

#[test]
fn searchmoves_without_a_legal_move_searches_all_moves() {
    let mut client = Client::start();
    let reports = |replies: &[String]| -> Vec<String> {
        let errors = replies.iter().filter(|line| line.contains(" error: "));
        errors.cloned().collect()
    };
    let table = expect![[r#"
        0000 | `0000` is not a move: expected a column from a to h and a rank from 1 to 8, such as a6
        d4 z9 | d4 touches neither a wall nor a brick
    "#]];
    assert_rows(table, |[words]| {
        client.send(format!("{WON}go searchmoves {words} depth 3\n"));
        let replies = client.until("bestmove");
        assert_eq!(best_moves(&replies), ["a4"]);
        let [report] = reports(&replies).try_into().unwrap();
        assert!(report.ends_with("; all moves are searched"), "{report}");
        report
    });
    // Beside usable moves the others are skipped, also in a search that waits.
    for go in ["depth 3", "infinite", "ponder movetime 5"] {
        client.send(format!("{WON}go searchmoves d4 H4 0000 {go}\nisready\nstop\n"));
        let replies = client.until("bestmove");
        assert_eq!(
            reports(&replies),
            ["info string error: searchmoves: d4 touches neither a wall nor a brick; skipped: d4 0000"]
        );
        assert_eq!(best_moves(&replies), ["h4"], "{go}");
    }
    // A finished game has no move, whatever is listed.
    client.send(format!("{} a4\ngo searchmoves b8 depth 3\n", WON.trim_end()));
    let replies = client.until("bestmove");
    assert_eq!(reports(&replies).len(), 1);
    assert_eq!(best_moves(&replies), ["0000"]);
}

/// The scores of the `info` lines, without duplicates in a row.
fn scores(replies: &[String]) -> Vec<String> {
    let scores = replies.iter().filter_map(|line| {
        let (_, score) = line.split_once(" score ")?;
        score.split_once(" nodes ").map(|(score, _)| score.to_string())
    });
    let mut scores: Vec<String> = scores.collect();
    scores.dedup();
    scores
}

#[test]
fn mate_scores_replace_proven_results() {
    let lost = "position fen xo6/xo6/x1o5/xo6/6ox/6ox/7x/5o1x o\n";
    let full = "position fen oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxox1 o\n";
    let in_two = "position fen 8/x6o/x6o/x7/7o/8/8/8 x\n";
    let searches = [
        (WON, "depth 3", "win 1", "mate 1"),
        (full, "depth 3", "draw 0", "cp 0"),
        (in_two, "mate 2", "win 3", "mate 2"),
        (lost, "depth 8", "loss 2", "mate -1"),
    ];
    let mut client = Client::start();
    for (value, is_mate) in [("false", false), ("TRUE", true), ("false", false)] {
        client.send(format!("setoption name mate scores value {value}\n"));
        for (position, limit, result, mate) in searches {
            client.send(format!("ucinewgame\n{position}go {limit}\n"));
            let replies = client.until("bestmove");
            let wanted = if is_mate { mate } else { result };
            assert_eq!(scores(&replies).last().unwrap(), wanted, "{replies:?}");
        }
    }
}

#[test]
fn accepts_debug_and_register_silently() {
    assert_eq!(
        answers("debug on\nregister later\nregister name A code 1\nregister\ndebug off\nisready\n"),
        ["readyok"]
    );
    // Also during a search.
    let replies = answers("go infinite\ndebug on\nregister later\nstop\n");
    assert!(replies.iter().all(|line| !line.contains("error")), "{replies:?}");
}

#[test]
fn a_button_may_have_an_empty_value() {
    assert_eq!(
        answers("setoption name Clear Hash value\nsetoption name Clear Hash value \nisready\n"),
        ["readyok"]
    );
}

#[test]
fn a_player_of_the_other_game_waits_for_its_variant() {
    let cave = "position startpos moves a8 h8 a7\n";
    let grid = "position startpos moves f5f6\n";
    let eval_of = |client: &mut Client, lines: &str| {
        client.send(format!("{lines}eval\n"));
        client.until("Evaluation").pop().unwrap()
    };
    let set = |name: &str, value: &str| format!("setoption name {name} value {value}\n");
    let value_of = |variant: &str, name: &str, position: &str| {
        let lines = set("UCI_Variant", variant) + &set("Personality", name) + position;
        eval_of(&mut Client::start(), &lines)
    };
    let squares = value_of("magnetic-cave", "squares", cave);
    let mobility = value_of("gridlock", "mobility", grid);
    let [cave_default, grid_default] = [("magnetic-cave", cave), ("gridlock", grid)]
        .map(|(variant, position)| value_of(variant, "lodestone", position));
    assert!(squares != cave_default && mobility != grid_default);
    for (players, source) in [
        ([&squares, &mobility], ", counted"),
        ([&cave_default, &grid_default], ", learned"),
    ] {
        assert!(players.iter().all(|line| line.ends_with(source)), "{players:?}");
    }

    let mut client = Client::start();
    client.send(set("Personality", "mobility"));
    assert_eq!(
        client.next_line("a note"),
        "info string lodestone plays, because mobility does not play magnetic-cave; to change that, set \
         UCI_Variant to gridlock"
    );
    assert_eq!(eval_of(&mut client, cave), cave_default);
    // No note once it plays, and again when the game changes.
    client.send(set("UCI_Variant", "gridlock") + "isready\n");
    assert_eq!(client.until("readyok"), ["readyok"]);
    assert_eq!(eval_of(&mut client, grid), mobility);
    client.send(set("UCI_Variant", "magnetic-cave"));
    assert!(
        client
            .next_line("a note")
            .starts_with("info string lodestone plays, because mobility")
    );
    assert_eq!(eval_of(&mut client, cave), cave_default);
    // A choice for this game, then for the other one, then back.
    assert_eq!(
        eval_of(&mut client, &(set("Personality", "squares") + cave)),
        squares
    );
    client.send(set("UCI_Variant", "gridlock"));
    assert!(
        client
            .next_line("a note")
            .starts_with("info string lodestone plays, because squares")
    );
    assert_eq!(eval_of(&mut client, grid), grid_default);
    client.send(set("UCI_Variant", "magnetic-cave") + "isready\n");
    assert_eq!(client.until("readyok"), ["readyok"]);
    assert_eq!(eval_of(&mut client, cave), squares);
}

#[test]
fn a_search_after_a_refused_position_has_no_move() {
    let refused = "info string error: no move, because the last `position` was refused: ";
    let mut client = Client::start();
    let table = expect![[r#"
        position startpos moves a8 b6 | move 2: b6 touches neither a wall nor a brick
        position fen 8/8/8 x | FEN, character 6: row 5 is missing: 8 rows are expected
        position startpos a8 | column 19: expected `moves` or the end of the line, found `a8`
    "#]];
    assert_rows(table, |[line]| {
        client.send(format!("{WON}{line}\ngo depth 3\n"));
        let error = client.next_line("an error");
        let reason = error.strip_prefix("info string error: ").unwrap();
        assert_eq!(
            client.until("bestmove"),
            [format!("{refused}{reason}"), "bestmove 0000".to_string()]
        );
        // Every `go` says so, even in a new game, and one that waits still waits.
        client.send("ucinewgame\nsetoption name Hash value 8\ngo ponder movetime 5\nisready\n");
        assert_eq!(client.until("readyok").len(), 2);
        client.send("ponderhit\ngo infinite\nisready\n");
        assert_eq!(client.until("readyok")[0], "bestmove 0000");
        client.send("stop\n");
        assert_eq!(client.until("bestmove"), ["bestmove 0000"]);
        // The position before it is in force for everything else.
        client.send("query gameover\nd\n");
        assert_eq!(client.next_line("a response"), "response false");
        client.until("Fen: x6o/x6o/x6o/x6o/8/8/8/8 x");
        // The next position that can be used ends it.
        client.send(format!("{WON}go depth 3\n"));
        assert_eq!(best_moves(&client.until("bestmove")), ["a4"]);
        error
    });
    let not_text = [b"position startpos moves a8 \xff\n".as_slice(), b"go depth 1\n"].concat();
    assert_eq!(best_moves(&answers(not_text)), ["0000"]);
    // So does another variant, which has its own start position.
    let replies = answers("position fen x\nsetoption name UCI_Variant value gridlock\ngo depth 1\n");
    assert_eq!(best_moves(&replies)[0].len(), 4);
}

/// A position in which x wins with a4.
const WON: &str = "position startpos moves a8 h8 a7 h7 a6 h6 a5 h5\n";

#[test]
fn ugi_has_its_own_greeting_clocks_and_queries() {
    let replies = answers(
        "ugi\nisready\nuginewgame\nposition startpos\nquery gameover\nquery p1turn\nquery result\n\
         position startpos moves a8\nquery p1turn\n\
         position startpos moves a8 h8 a7 h7 a6 h6 a5 h5 a4\nquery gameover\nquery p1turn\nquery result\n\
         go movetime 10\nquery winner\n",
    );
    let at = replies.iter().position(|line| line == "ugiok").unwrap();
    assert_eq!(
        replies[at + 1..],
        [
            "readyok",
            "response false",
            "response true",
            "response none",
            "response false",
            "response true",
            "response false",
            "response p1win",
            "bestmove 0000",
            "info string error: column 7: expected gameover, p1turn, result, moves, notation, parse, islegal, fen, reason, score, board, grid, highlights, note or setup, found `winner`",
        ]
    );
    let lost = "setoption name UCI_Variant value gridlock\nposition fen xo5/7/7/7/7/7/5xo x 40 40\n";
    assert_eq!(answers(format!("{lost}query result\n")), ["response draw"]);
    // The clock of the side to move limits the search, and the answer is two words.
    let mut client = Client::start();
    client.send("ugi\nposition startpos moves a8\ngo p1time 3600000 p2time 40 p1inc 0 p2inc 0\n");
    let replies = client.until("bestmove");
    assert_eq!(replies.last().unwrap().split(' ').count(), 2, "{replies:?}");
}

#[test]
fn answers_the_queries_of_a_rules_program() {
    let all = "query moves\nquery fen\nquery reason\nquery islegal A4\nquery islegal b6\nquery board\n";
    let board = |row_4: &str| {
        let full = |rank: u8| format!("response {rank} ■ · · · · · · □ {rank}");
        let empty = |rank: u8| format!("response {rank} · · · · · · · · {rank}");
        let header = "response   a b c d e f g h".to_string();
        let rows = (5..=8).rev().map(full).chain([format!("response {row_4}")]);
        let rows: Vec<String> = rows.chain((1..4).rev().map(empty)).collect();
        [vec![header.clone()], rows, vec![header]].concat()
    };
    let expected = [
        "response b8 g8 b7 g7 b6 g6 b5 g5 a4 h4 a3 h3 a2 h2 a1 h1",
        "response x6o/x6o/x6o/x6o/8/8/8/8 x",
        "response none",
        "response true",
        "response true",
    ];
    let empty_row = board("4 · · · · · · · · 4");
    assert_eq!(
        answers(format!("{WON}{all}")),
        [&expected.map(String::from)[..], &empty_row].concat()
    );
    // After the end there is no move. A position that was refused changes nothing.
    let won = WON.replace("h5\n", "h5 a4\n");
    let expected = [
        "response",
        "response x6o/x6o/x6o/x6o/x7/8/8/8 o",
        "response x has five in line, a8 to a4",
        "response false",
        "response false",
    ];
    let won_row = board("4 ■ · · · · · · · 4");
    let expected = [&expected.map(String::from)[..], &won_row].concat();
    assert_eq!(answers(format!("{won}{all}")), expected);
    let replies = answers(format!("{won}position startpos moves d4\n{all}"));
    assert!(replies[0].starts_with("info string error: move 1: "));
    assert_eq!(replies[1..], expected);
    // In both dialects, and while a search runs.
    let replies =
        answers("setoption name UCI_Variant value gridlock\ngo infinite\nquery islegal f5f4\nstop\n");
    assert_eq!(
        replies
            .iter()
            .filter(|line| line.starts_with("response"))
            .collect::<Vec<_>>(),
        ["response true"]
    );
    assert_eq!(
        answers("query islegal\nquery moves a8\n"),
        [
            "info string error: column 14: expected a move, found the end of the line",
            "info string error: column 13: expected the end of the line, found `a8`"
        ]
    );
}

#[test]
fn a_pondering_search_waits_for_ponderhit_or_stop() {
    let none = "info string error: no search is pondering";
    let mut client = Client::start();
    // Even a finished search is not answered before that.
    client.send(format!("{WON}go ponder movetime 50\n"));
    client.until("info depth 1 seldepth 1 score win 1");
    client.send("isready\n");
    assert!(best_moves(&client.until("readyok")).is_empty());
    client.send("ponderhit\n");
    assert_eq!(best_moves(&client.until("bestmove")), ["a4"]);
    client.send("ponderhit\n");
    assert_eq!(client.until(none), [none]);
    // The time limit starts at `ponderhit`, even if it follows at once.
    client.send("position startpos\ngo ponder movetime 60\nponderhit\n");
    client.until("bestmove");
    // `stop` ends it like any other search.
    client.send("go ponder movetime 60\nstop\nponderhit\nisready\n");
    let replies = client.until("readyok");
    assert_eq!(best_moves(&replies).len(), 1);
    assert!(replies.contains(&none.to_string()), "{replies:?}");
    // Without limits it still waits for `stop`.
    client.send("go ponder\nponderhit\nisready\n");
    assert!(best_moves(&client.until("readyok")).is_empty());
    client.send("stop\n");
    client.until("bestmove");
    // A search that is not pondering continues.
    client.send("go infinite\nponderhit\nisready\n");
    let replies = client.until("readyok");
    assert!(best_moves(&replies).is_empty() && replies.contains(&none.to_string()));
    // A finished game waits as well.
    client.send(format!(
        "stop\n{} a4\ngo ponder movetime 1\nisready\n",
        WON.trim_end()
    ));
    assert_eq!(best_moves(&client.until("readyok")).len(), 1);
    client.send("ponderhit\n");
    assert_eq!(best_moves(&client.until("bestmove")), ["0000"]);
    // The end of input stops it.
    assert_eq!(best_moves(&answers("go ponder movetime 3600000\n")).len(), 1);
}

#[test]
fn the_expected_reply_can_be_played() {
    let mut client = Client::start();
    client.send("go depth 4\n");
    let replies = client.until("bestmove");
    let words: Vec<&str> = replies.last().unwrap().split(' ').collect();
    let ["bestmove", best, "ponder", reply] = words[..] else {
        panic!("{words:?}")
    };
    client.send(format!("position startpos moves {best} {reply}\nd\n"));
    assert!(!client.until("Fen").iter().any(|line| line.contains("error")));
}

#[test]
fn multipv_lines_are_sorted_and_start_with_different_moves() {
    let mut client = Client::start();
    client.send("setoption name MultiPV value 3\nposition startpos moves a8 h8\ngo depth 6\n");
    let replies = client.until("bestmove");
    let lines: Vec<&String> = replies
        .iter()
        .filter(|line| line.starts_with("info depth 6 "))
        .collect();
    let numbers: Vec<_> = lines.iter().map(|line| client::field(line, "multipv")).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
    let scores: Vec<i64> = lines
        .iter()
        .map(|line| word_behind(line, "cp").parse().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "{lines:?}");
    let mut moves: Vec<&str> = lines.iter().map(|line| word_behind(line, "pv")).collect();
    assert_eq!(moves[0], best_moves(&replies)[0]);
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 3, "{lines:?}");
    // At most one line per move.
    client.send("go depth 2 searchmoves a7 h7\n");
    let replies = client.until("bestmove");
    assert!(replies.iter().any(|line| line.contains("multipv 2")));
    assert!(!replies.iter().any(|line| line.contains("multipv 3")));
}

fn word_behind<'a>(line: &'a str, name: &str) -> &'a str {
    let mut words = line.split(' ');
    words.find(|&word| word == name).unwrap();
    words.next().unwrap()
}

#[test]
fn isready_does_not_delay_info_lines() {
    let mut client = Client::start();
    client.send("go infinite\n");
    let mut heard = Vec::new();
    for _ in 0..40 {
        client.send("isready\n");
        heard.extend(client.until("readyok"));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        heard.iter().any(|line| line.starts_with("info depth")),
        "{heard:?}"
    );
}

#[test]
fn threads_and_memory_change_while_a_search_runs() {
    let mut client = Client::start();
    for (threads, hash) in [(2, 32), (4, 1), (1, 16)] {
        client.send(format!(
            "go infinite\nsetoption name Threads value {threads}\nsetoption name Hash value {hash}\n\
             setoption name Clear Hash\nucinewgame\nisready\n"
        ));
        assert!(best_moves(&client.until("readyok")).is_empty());
        client.send("stop\n");
        client.until("bestmove");
        // The node limit holds for all threads together.
        client.send("go nodes 30000\n");
        let replies = client.until("bestmove");
        let nodes = client::field(&replies[replies.len() - 2], "nodes").unwrap();
        assert!((1000..=30_000).contains(&nodes), "{replies:?}");
    }
}

#[test]
fn clear_hash_and_ucinewgame_clear_the_memory() {
    let mut client = Client::start();
    let mut searched = |before: &str| {
        client.send(format!("{before}go depth 10\n"));
        let replies = client.until("bestmove");
        client::field(&replies[replies.len() - 2], "nodes").unwrap()
    };
    let first = searched("");
    assert!(searched("") < first);
    assert_eq!(searched("setoption name Clear Hash\n"), first);
    assert_eq!(searched("ucinewgame\n"), first);
    // Also during a search.
    client.send("go infinite\nsetoption name Clear Hash\nisready\nstop\n");
    client.until("bestmove");
    client.send("go depth 10\n");
    let replies = client.until("bestmove");
    assert_eq!(client::field(&replies[replies.len() - 2], "nodes"), Some(first));
}

#[test]
fn a_table_larger_than_memory_is_an_error() {
    let replies = answers("setoption name Hash value 1048576\ngo depth 3\n");
    assert!(
        replies[0].starts_with("info string error: no memory for a table of 1048576 MB"),
        "{replies:?}"
    );
    assert_eq!(best_moves(&replies).len(), 1);
}
