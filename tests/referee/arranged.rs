//! How games are arranged: colours, seeds, fresh processes, pauses, selected openings, and
//! running games that are finished.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::recorded::{assert_complete, games, line_of};
use crate::support::{Bot, Outcome, Scene, rows};

/// Runs a match that must succeed without a message.
fn played(scene: &Scene, line: &str) -> Outcome {
    let outcome = scene.referee(line).succeeds();
    outcome
}

/// The value of one field of each game, by id.
fn fields(scene: &Scene, file: &str, field: &str) -> Vec<Value> {
    let games = games(scene, file);
    assert_complete(&games, games.len() as u64);
    games.into_values().map(|game| game[field].clone()).collect()
}

#[test]
fn the_first_player_keeps_its_colour_without_swaps() {
    let scene = Scene::new();
    let line = "match squares plain --each depth=1 st=60 --openings random:3 --games 5 --quiet";
    for (options, first) in [("--no-swap", "squares"), ("--no-swap --reverse", "plain")] {
        scene.remove("a.jsonl");
        let outcome = played(&scene, &format!("{line} {options} --out a.jsonl"));
        assert_eq!(fields(&scene, "a.jsonl", "first"), vec![first; 5], "{options}");
        assert_eq!(fields(&scene, "a.jsonl", "pair"), [1, 2, 3, 4, 5]);
        assert_eq!(fields(&scene, "a.jsonl", "round"), [1, 2, 3, 4, 5]);
        let openings: std::collections::BTreeSet<String> = fields(&scene, "a.jsonl", "moves")
            .iter()
            .map(|moves| {
                moves.as_array().unwrap()[..3]
                    .iter()
                    .map(|mv| mv.as_str().unwrap())
                    .collect()
            })
            .collect();
        assert_eq!(openings.len(), 5, "an opening for each game");
        assert!(!outcome.stdout.contains("Ptnml"), "{}", outcome.stdout);
        // More games, and the games of all shards, are the same games.
        played(
            &scene,
            &format!("{line} {options} --games 7 --out a.jsonl").replace("--games 5", ""),
        );
        let whole = games(&scene, "a.jsonl");
        let mut parts = std::collections::BTreeMap::new();
        for shard in ["0/2", "1/2"] {
            scene.remove("b.jsonl");
            let line = line.replace("--games 5", "--games 7");
            played(&scene, &format!("{line} {options} --shard {shard} --out b.jsonl"));
            let games = games(&scene, "b.jsonl");
            assert!((3..=4).contains(&games.len()), "{shard}");
            parts.extend(games);
        }
        assert_eq!(parts, whole);
    }
    scene.assert_refused(
        &format!("{line} --no-swap --sprt elo0=0 elo1=5"),
        "--sprt counts pairs of games",
    );
}

#[test]
fn reversed_games_are_the_same_games_with_colours_swapped() {
    let scene = Scene::new();
    let line = "match squares plain groups --each depth=1 st=60 --openings random:3 --games 4 --quiet";
    played(&scene, &format!("{line} --out a.jsonl"));
    played(&scene, &format!("{line} --reverse --out b.jsonl"));
    let (straight, reversed) = (games(&scene, "a.jsonl"), games(&scene, "b.jsonl"));
    assert_complete(&straight, 12);
    for (id, game) in &straight {
        let other = &reversed[id];
        assert_eq!(
            [&game["first"], &game["second"]],
            [&other["second"], &other["first"]]
        );
        assert_eq!([&game["pair"], &game["start"]], [&other["pair"], &other["start"]]);
    }
    scene.assert_refused(
        &format!("{line} --format swiss --reverse"),
        "--reverse: a Swiss tournament",
    );
}

#[test]
fn the_seeds_of_a_gauntlet_meet_all_others_but_not_each_other() {
    let scene = Scene::new();
    let line = "match squares plain groups random lodestone --each depth=1 st=60 --openings random:3 --quiet";
    played(
        &scene,
        &format!("{line} --format gauntlet seeds=2 --out games.jsonl"),
    )
    .shows("Gauntlet of 2 against 3 (");
    let games = games(&scene, "games.jsonl");
    assert_complete(&games, 12);
    let mut meetings = std::collections::BTreeMap::new();
    for game in games.values() {
        let mut names = ["first", "second"].map(|seat| game[seat].as_str().unwrap());
        names.sort_by_key(|name| !["squares", "plain"].contains(name));
        *meetings.entry(names).or_insert(0) += 1;
    }
    let expected = ["squares", "plain"]
        .into_iter()
        .flat_map(|seed| ["groups", "random", "lodestone"].map(|other| ([seed, other], 2)));
    assert_eq!(meetings, expected.collect());
    for [options, message] in rows(
        "
        --format swiss seeds=2 | `seeds` is for the format `gauntlet`
        --format gauntlet seeds=5 | --format gauntlet seeds=5: at least one of the 5 players must be no seed
        --format gauntlet seeds=0 | a whole number of at least 1
    ",
    ) {
        scene.assert_refused(&format!("{line} {options}"), message);
    }
}

#[test]
fn a_pyramid_adds_one_player_after_the_other() {
    let scene = Scene::new();
    let line = "match squares plain groups --each depth=1 st=60 --openings random:3 --format pyramid";
    let outcome = played(&scene, &format!("{line} --games 4 --quiet --out games.jsonl"));
    assert!(outcome.stdout.contains("Pyramid of 3 ("), "{}", outcome.stdout);
    let firsts = fields(&scene, "games.jsonl", "first");
    let seconds = fields(&scene, "games.jsonl", "second");
    let pairings: Vec<[&str; 2]> = firsts
        .iter()
        .zip(&seconds)
        .map(|(first, second)| [first.as_str().unwrap(), second.as_str().unwrap()])
        .collect();
    let round = [
        ["squares", "plain"],
        ["groups", "squares"],
        ["plain", "groups"],
        ["plain", "squares"],
        ["squares", "groups"],
        ["groups", "plain"],
    ];
    assert_eq!(pairings, [round, round].concat());
}

#[test]
fn restart_starts_a_process_for_each_game() {
    let scene = Scene::new();
    // It would play an illegal move in the second game of a process.
    let forgetful = scene.bot(
        "forgetful",
        Bot::thinking("[ $games = 1 ] && echo bestmove a$thinks || echo bestmove d4"),
    );
    let plain = scene.bot("steady", Bot::thinking("echo bestmove h$thinks"));
    let line = format!(
        "match --engine cmd={forgetful} restart=on --engine cmd={plain} --each st=60 --games 6 --quiet \
         --out games.jsonl"
    );
    for slots in [1, 2] {
        scene.remove("games.jsonl");
        for bot in ["forgetful", "steady"] {
            scene.remove(&format!("{bot}.pids"));
            scene.remove(&format!("{bot}.received"));
        }
        played(&scene, &format!("{line} --concurrency {slots}"));
        assert_eq!(fields(&scene, "games.jsonl", "reason"), vec!["five"; 6]);
        assert_eq!(scene.processes("forgetful").len(), 6);
        assert!(scene.processes("steady").len() <= slots);
        let quits = scene
            .received("forgetful")
            .iter()
            .filter(|line| *line == "quit")
            .count();
        assert_eq!(quits, 6, "each process may end by itself");
        assert_eq!(scene.results("games.jsonl")[0]["engines"][0]["restart"], true);
        scene.assert_no_bot_left();
    }
}

#[test]
fn a_pause_comes_between_games_only() {
    let scene = Scene::new();
    let line = "match squares plain --each depth=1 st=60 --openings random:3 --games 3 --quiet";
    let outcome = played(&scene, &format!("{line} --wait 400"));
    assert!(outcome.took >= Duration::from_millis(800), "{:?}", outcome.took);
    let one = played(&scene, &line.replace("--games 3", "--games 1 --wait 60000"));
    assert!(one.took < Duration::from_secs(30), "{:?}", one.took);
}

#[test]
fn openings_of_a_book_are_selected() {
    let scene = Scene::new();
    scene.file("book.txt", "a1 h1 a2\na2 h1 a3\na3 h1 a4\na4 h1 a5\na1 h2 b1\n");
    let line = "match squares plain --each depth=1 st=60 --games 12 --quiet --out";
    let plies = |file: &str, plies: usize| -> Vec<String> {
        let games = fields(&scene, file, "moves").into_iter().step_by(2);
        games
            .map(|moves| {
                let moves = moves.as_array().unwrap()[..plies].iter();
                moves.map(|mv| mv.as_str().unwrap()).collect::<Vec<_>>().join(" ")
            })
            .collect()
    };
    played(&scene, &format!("{line} a.jsonl --openings book.txt start=4"));
    assert_eq!(
        plies("a.jsonl", 3),
        [
            "a4 h1 a5", "a1 h2 b1", "a1 h1 a2", "a2 h1 a3", "a3 h1 a4", "a4 h1 a5"
        ]
    );
    played(
        &scene,
        &format!("{line} b.jsonl --openings book.txt order=random --seed 7"),
    );
    let shuffled = plies("b.jsonl", 3);
    assert_ne!(shuffled, plies("a.jsonl", 3));
    let mut sorted = shuffled.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 5, "{shuffled:?}");
    assert_eq!(shuffled[0], shuffled[5], "the openings repeat in the same order");

    // The order is that of the seed alone: `start` continues it, and so do more games.
    played(
        &scene,
        &format!("{line} c.jsonl --openings book.txt order=random start=3 --seed 7"),
    );
    assert_eq!(plies("c.jsonl", 3)[..3], shuffled[2..5]);
    let few = line.replace("--games 12", "--games 4");
    played(
        &scene,
        &format!("{few} d.jsonl --openings book.txt order=random --seed 7"),
    );
    played(
        &scene,
        &format!("{line} d.jsonl --openings book.txt order=random --seed 7"),
    );
    assert_eq!(games(&scene, "d.jsonl"), games(&scene, "b.jsonl"));

    let cut = scene
        .referee(&format!("{line} e.jsonl --openings book.txt plies=2"))
        .exits(0);
    assert_eq!(fields(&scene, "e.jsonl", "opening_plies"), vec![2; 12]);
    assert!(cut.stdout.contains(", book.txt plies=2, "), "{}", cut.stdout);
    for [openings, message] in rows(
        "
        book.txt start=6 | --openings: `start=6`: `book.txt` has 5 distinct openings
        book.txt plies=0 | `plies=0`: expected a whole number from 1 to 1000
        book.txt oder=random | unknown key `oder`; did you mean `order`?
        random:2 order=random | `order=random` is for a book, and `random:2` is none
    ",
    ) {
        let refused = scene.referee(&format!("{line} f.jsonl --openings {openings}"));
        assert_eq!(
            (refused.status, refused.stdout.as_str()),
            (Some(2), ""),
            "{openings}"
        );
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
}

#[test]
fn pgn_of_a_match_is_a_book() {
    let scene = Scene::new();
    let line = "match squares plain --each depth=1 st=60 --quiet";
    for variant in ["magnetic-cave --openings random:4", "gridlock --turns 8"] {
        for file in ["games.pgn", "a.jsonl", "b.jsonl"] {
            scene.remove(file);
        }
        let line = line.replace(
            "squares",
            if variant.contains("cave") {
                "squares"
            } else {
                "mobility"
            },
        );
        played(
            &scene,
            &format!("{line} --variant {variant} --games 6 --out a.jsonl --pgn games.pgn"),
        );
        let name = variant.split(' ').next().unwrap();
        scene
            .referee(&format!(
                "{line} --variant {name} --games 6 --openings games.pgn plies=4 --out b.jsonl"
            ))
            .exits(0);
        let [first, second] = ["a.jsonl", "b.jsonl"].map(|file| games(&scene, file));
        for (game, other) in [(&first[&1], &second[&1]), (&first[&2], &second[&2])] {
            assert_eq!(other["opening_plies"], 4);
            assert_eq!(other["start"], game["start"]);
            assert_eq!(
                other["moves"].as_array().unwrap()[..4],
                first[&1]["moves"].as_array().unwrap()[..4]
            );
        }
        let whole = scene
            .referee(&format!("{line} --variant {name} --openings games.pgn"))
            .exits(2);
        assert!(
            whole
                .stderr
                .contains("`games.pgn`, game 1: the game is over after this opening: ")
                && whole.stderr.contains("`plies=N` plays only its first moves"),
            "{}",
            whole.stderr
        );
    }
    scene.assert_refused(
        &format!("{line} --openings games.pgn plies=2"),
        "game 1 is of gridlock, not of magnetic-cave",
    );
}

/// A bot that waits in its second game until the file `go` exists.
const WAITING: &str =
    "[ -e go ] || [ $games != 2 ] || { touch waits; while [ ! -e go ]; do sleep 0.02; done; }; legal";

/// What the referee says after the first interrupt.
const TO_THEIR_ENDS: &str = "the running games are played to their ends";

#[test]
fn the_first_interrupt_lets_running_games_end() {
    for (signals, status, finished) in [
        (&[Signal::INT][..], 130, 2),
        (&[Signal::INT, Signal::INT], 130, 1),
        (&[Signal::TERM], 143, 1),
    ] {
        let scene = Scene::new();
        let bot = scene.bot("bot", Bot::thinking(WAITING));
        let line = format!(
            "match {bot} plain --games 6 --openings random:4 --each st=60 depth=1 --out games.jsonl --quiet \
             --finish-games"
        );
        let mut command = scene.command(&line);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        scene.wait_for_file("waits");
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut is_told = false;
        for &signal in signals {
            kill_process(Pid::from_child(&child), signal).unwrap();
            // Only the first interrupt lets the game end.
            if signal == Signal::INT && !is_told {
                let mut line = String::new();
                stderr.read_line(&mut line).unwrap();
                assert!(line.contains(TO_THEIR_ENDS), "{line}");
                is_told = true;
            }
        }
        if signals == [Signal::INT] {
            scene.file("go", "");
        }
        let output = child.wait_with_output().unwrap();
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        assert_eq!(output.status.code(), Some(status), "{signals:?}: {rest}");
        assert!(!rest.contains(TO_THEIR_ENDS), "{rest}");
        scene.file("go", "");
        assert_complete(&games(&scene, "games.jsonl"), finished);
        let stdout = String::from_utf8(output.stdout).unwrap();
        let stopped = format!("Stopped after {finished} of 6 games.");
        assert!(stdout.contains(&stopped), "{stdout}");
        let again = played(&scene, &line);
        assert_complete(&games(&scene, "games.jsonl"), 6);
        line_of(&again.stdout, "Fingerprint: ");
        scene.assert_no_bot_left();
        scene.assert_no_process_left();
    }
}

#[test]
fn an_interrupt_in_the_last_games_costs_none() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking(WAITING));
    let line =
        format!("match {bot} plain --games 2 --each st=60 depth=1 --out games.jsonl --quiet --finish-games");
    let mut command = scene.command(&line);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    scene.wait_for_file("waits");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut line = String::new();
    let stderr = child.stderr.as_mut().unwrap();
    BufReader::new(stderr).read_line(&mut line).unwrap();
    assert!(line.contains(TO_THEIR_ENDS), "{line}");
    scene.file("go", "");
    let status = child.wait_with_output().unwrap().status;
    assert_eq!(status.code(), Some(0), "every game is played");
    assert_complete(&games(&scene, "games.jsonl"), 2);
}

/// A knockout of five deterministic players of about equal strength, the strongest last.
const KNOCKOUT: &str = "match --engine cmd=random --engine cmd=squares depth=1 --engine cmd=groups depth=1 \
    --engine cmd=plain depth=1 --engine cmd=plain name=plain-2 depth=2 --each timemargin=60000 \
    --openings random:4 --format knockout --quiet --out";

#[test]
fn the_winners_of_a_knockout_play_on() {
    let scene = Scene::new();
    let outcome = played(&scene, &format!("{KNOCKOUT} games.jsonl"));
    assert!(outcome.stdout.contains("Knockout of 5 ("), "{}", outcome.stdout);
    let whole = games(&scene, "games.jsonl");
    // Twice the points of each pairing, by round and then by its players.
    let mut pairings = std::collections::BTreeMap::new();
    let mut openings = std::collections::BTreeSet::new();
    for game in whole.values() {
        let round = game["round"].as_u64().unwrap();
        let names = ["first", "second"].map(|seat| game[seat].as_str().unwrap());
        let mut key = names;
        key.sort_unstable();
        let points = match game["result"].as_str().unwrap() {
            "1-0" => [2, 0],
            "0-1" => [0, 2],
            _ => [1, 1],
        };
        let points = if key == names {
            points
        } else {
            [points[1], points[0]]
        };
        let entry = pairings.entry((round, key)).or_insert(([0, 0], 0));
        *entry = ([entry.0[0] + points[0], entry.0[1] + points[1]], entry.1 + 1);
        openings.insert((round, game["pair"].as_u64().unwrap()));
    }
    assert_eq!(pairings.len(), 4, "{pairings:?}");
    let rounds: Vec<usize> = (1..=3)
        .map(|round| pairings.keys().filter(|(of, _)| *of == round).count())
        .collect();
    assert_eq!(rounds, [1, 2, 1]);
    assert!(
        pairings.contains_key(&(1, ["plain", "plain-2"])),
        "three seeds have no opponent yet"
    );
    for ((round, players), (points, count)) in &pairings {
        assert!(count % 2 == 0 && (2..=8).contains(count), "{players:?}");
        let winner = if points[0] > points[1] {
            players[0]
        } else {
            players[1]
        };
        assert!(points[0] != points[1] || *count == 8, "{players:?}");
        let advances = pairings
            .keys()
            .any(|(next, names)| *next == round + 1 && names.contains(&winner));
        assert!(
            points[0] == points[1] || *round == 3 || advances,
            "{winner} of round {round}"
        );
    }
    // The same games at any concurrency, and after an interruption anywhere.
    let file = scene.text("games.jsonl");
    played(&scene, &format!("{KNOCKOUT} two.jsonl --concurrency 2"));
    assert_eq!(games(&scene, "two.jsonl"), whole);
    for lines in [1, 3, 6] {
        let begun: String = file.split_inclusive('\n').take(lines).collect();
        scene.file("part.jsonl", &begun);
        scene.referee("report part.jsonl").exits(1);
        let resumed = played(&scene, &format!("{KNOCKOUT} part.jsonl"));
        assert_eq!(games(&scene, "part.jsonl"), whole);
        assert_eq!(
            line_of(&resumed.stdout, "Fingerprint: "),
            line_of(&outcome.stdout, "Fingerprint: ")
        );
    }
    scene.referee("report games.jsonl").succeeds();
    for [options, message] in rows(
        "
        --shard 0/2 | --shard: each round of `--format knockout` depends on all earlier results
        --sprt elo0=0 elo1=5 | `--format knockout` cannot have it
        --rounds 2 | --rounds is for `--format swiss`
        --games 4 | schedule.games was 2, now 4
    ",
    ) {
        scene.assert_refused(&format!("{KNOCKOUT} games.jsonl {options}"), message);
    }
}

#[test]
fn a_level_pairing_of_a_knockout_plays_three_more_pairs() {
    let scene = Scene::new();
    // The first player wins each game with a line of five.
    let one = scene.bot("one", Bot::thinking("echo bestmove a$thinks"));
    let two = scene.bot("two", Bot::thinking("echo bestmove h$thinks"));
    for (games_each, total) in [(2, 8), (1, 1)] {
        scene.remove("games.jsonl");
        let line = format!(
            "match {one} {two} --format knockout --games {games_each} --each st=60 --quiet --out games.jsonl"
        );
        let outcome = played(&scene, &line);
        assert_complete(&games(&scene, "games.jsonl"), total);
        let report = scene.referee("report games.jsonl --json").exits(0);
        let report: Value = serde_json::from_str(report.stdout.lines().next().unwrap()).unwrap();
        let players = report["players"].as_array().unwrap();
        assert_eq!(
            [&players[0]["name"], &players[0]["rank"]],
            [&Value::from("one"), &Value::from(1)]
        );
        assert_eq!(players[1]["rank"], 2, "the higher seed wins: {}", outcome.stdout);
        let names = fields(&scene, "games.jsonl", "first");
        assert_eq!(names[0], "one", "the higher seed moves first");
    }
}

#[test]
fn the_opponent_of_an_unfit_engine_advances() {
    let scene = Scene::new();
    let broken = scene.script("broken", "#!/bin/sh\nexit 1\n");
    let line = format!(
        "match squares {broken} plain groups --each depth=1 st=60 --format knockout --skip-broken --quiet \
         --openings random:4 --out games.jsonl"
    );
    scene.referee(&line).exits(0);
    let pairings: std::collections::BTreeSet<(u64, bool)> = games(&scene, "games.jsonl")
        .values()
        .map(|game| {
            let has_plain = ["first", "second"].iter().any(|seat| game[*seat] == "plain");
            (game["round"].as_u64().unwrap(), has_plain)
        })
        .collect();
    assert_eq!(pairings, [(1, false), (2, true)].into(), "seed 3 advances alone");
    scene.referee("report games.jsonl").exits(0);
}
