//! How games are arranged: colours, seeds, fresh processes, pauses, selected openings, and
//! running games that are finished.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};

use rustix::process::Signal;
use serde_json::Value;

use crate::recorded::{assert_complete, games, json_report, line_of, moves, player, text};
use crate::support::{Bot, COLUMN_H, Scene, WAITING, assert_has, assert_lacks, assert_rows, expect};

/// The value of one field of each game, by id.
fn fields(scene: &Scene, file: &str, field: &str) -> Vec<Value> {
    let games = games(scene, file);
    assert_complete(&games, games.len() as u64);
    games.into_values().map(|game| game[field].clone()).collect()
}

#[test]
fn the_first_player_keeps_its_colour_without_swaps() {
    let scene = Scene::new();
    let line = "match squares plain --each depth=1 st=60 --openings random:3 --quiet --games";
    for (options, first) in [("--no-swap", "squares"), ("--no-swap --reverse", "plain")] {
        for file in ["a.jsonl", "b.jsonl", "c.jsonl"] {
            scene.remove(file);
        }
        let outcome = scene
            .referee(&format!("{line} 5 {options} --out a.jsonl"))
            .succeeds();
        assert_eq!(fields(&scene, "a.jsonl", "first"), vec![first; 5], "{options}");
        for field in ["pair", "round"] {
            assert_eq!(fields(&scene, "a.jsonl", field), [1, 2, 3, 4, 5]);
        }
        let played = games(&scene, "a.jsonl");
        let openings: BTreeSet<String> = played.values().map(|game| moves(game)[..3].concat()).collect();
        assert_eq!(openings.len(), 5, "an opening for each game");
        assert_lacks(&outcome.stdout, "Ptnml");
        // More games, and the games of all shards, are the same games.
        scene
            .referee(&format!("{line} 7 {options} --out a.jsonl"))
            .succeeds();
        let mut parts = BTreeMap::new();
        for (shard, file) in [("0/2", "b.jsonl"), ("1/2", "c.jsonl")] {
            let line = format!("{line} 7 {options} --shard {shard} --out {file}");
            scene.referee(&line).succeeds();
            let games = games(&scene, file);
            assert!((3..=4).contains(&games.len()), "{shard}");
            parts.extend(games);
        }
        assert_eq!(parts, games(&scene, "a.jsonl"));
    }
}

#[test]
fn reversed_games_are_the_same_games_with_colours_swapped() {
    let scene = Scene::new();
    let line = "match squares plain groups --each depth=1 st=60 --openings random:3 --games 4 --quiet";
    scene.referee(&format!("{line} --out a.jsonl")).succeeds();
    scene
        .referee(&format!("{line} --reverse --out b.jsonl"))
        .succeeds();
    let (straight, reversed) = (games(&scene, "a.jsonl"), games(&scene, "b.jsonl"));
    assert_complete(&straight, 12);
    for (id, game) in &straight {
        let fields = ["first", "second", "pair", "start"].map(|field| &game[field]);
        let others = ["second", "first", "pair", "start"].map(|field| &reversed[id][field]);
        assert_eq!(fields, others);
    }
}

#[test]
fn the_seeds_of_a_gauntlet_meet_all_others_but_not_each_other() {
    let scene = Scene::new();
    let line = "match squares plain groups random lodestone --each depth=1 st=60 --openings random:3 --quiet \
                --format gauntlet seeds=2 --out games.jsonl";
    scene
        .referee(line)
        .succeeds()
        .shows(expect! {"Gauntlet of 2 against 3 ("});
    let games = games(&scene, "games.jsonl");
    assert_complete(&games, 12);
    let mut meetings = BTreeMap::new();
    for game in games.values() {
        let mut names = ["first", "second"].map(|seat| text(game, seat));
        names.sort_by_key(|name| !["squares", "plain"].contains(name));
        *meetings.entry(names).or_insert(0) += 1;
    }
    let seeds = ["squares", "plain"].into_iter();
    let expected = seeds.flat_map(|seed| ["groups", "random", "lodestone"].map(|other| ([seed, other], 2)));
    assert_eq!(meetings, expected.collect());
}

#[test]
fn a_pyramid_adds_one_player_after_the_other() {
    let scene = Scene::new();
    let line = "match squares plain groups --each depth=1 st=60 --openings random:3 --format pyramid --games 4 \
                --quiet --out games.jsonl";
    scene.referee(line).succeeds().shows("Pyramid of 3 (");
    let games = games(&scene, "games.jsonl");
    assert_complete(&games, 12);
    let pairings: Vec<String> = games
        .values()
        .map(|game| format!("{} {}", text(game, "first"), text(game, "second")))
        .collect();
    let round = "squares plain,groups squares,plain groups,plain squares,squares groups,groups plain";
    assert_eq!(pairings.join(","), format!("{round},{round}"));
}

#[test]
fn restart_starts_a_process_for_each_game() {
    for slots in [1, 2] {
        let scene = Scene::new();
        // It would play an illegal move in the second game of a process.
        let go = "[ $games = 1 ] && echo bestmove a$thinks || echo bestmove d4";
        scene.bot("forgetful", Bot::thinking(go));
        scene.bot("steady", Bot::thinking(COLUMN_H));
        let players = "--engine cmd=./forgetful restart=on --engine cmd=./steady --each st=60";
        let line = format!("match {players} --games 6 --quiet --out games.jsonl --concurrency {slots}");
        scene.referee(&line).succeeds();
        assert_eq!(fields(&scene, "games.jsonl", "reason"), vec!["five"; 6]);
        assert_eq!(scene.processes("forgetful").len(), 6);
        assert!(scene.processes("steady").len() <= slots);
        assert_eq!(
            scene.count("forgetful", "quit"),
            6,
            "each process may end by itself"
        );
        assert_eq!(scene.results("games.jsonl")[0]["engines"][0]["restart"], true);
        scene.assert_no_bot_left();
    }
}

/// The first of them does not know that the other one would have failed, too.
#[test]
fn a_game_that_neither_player_begins_is_played_again_and_says_so() {
    let scene = Scene::new();
    let start = "[ -e needed ] || { echo 'needed is gone' >&2; exit 1; }";
    for (name, go) in [
        ("one", "rm -f needed; echo bestmove a$thinks"),
        ("other", COLUMN_H),
    ] {
        let bot = Bot {
            start,
            ..Bot::thinking(go)
        };
        scene.bot(name, bot);
    }
    scene.file("needed", "");
    let players = "--engine cmd=./one --engine cmd=./other";
    let line = format!("match {players} --each st=60 restart=on --games 2 --quiet --out games.jsonl");
    let outcome = scene.referee(&line).exits(0);
    assert_eq!(outcome.stderr.matches("game 2 will be replayed").count(), 3);
    let games = scene.records();
    assert_eq!(games[0]["reason"], "five");
    let detail = text(&games[1], "detail");
    assert_has(
        detail,
        expect! {"other ended with exit status 1; one did not begin the game either"},
    );
    assert_has(detail, "on stderr: `needed is gone`");
}

#[test]
fn openings_of_a_book_are_selected() {
    let scene = Scene::new();
    scene.file("book.txt", "a1 h1 a2\na2 h1 a3\na3 h1 a4\na4 h1 a5\na1 h2 b1\n");
    let line = "match squares plain --each depth=1 st=60 --quiet --openings book.txt";
    let played = |options: &str, file: &str| -> Vec<String> {
        scene
            .referee(&format!("{line} {options} --out {file}"))
            .succeeds();
        let games = games(&scene, file).into_values().step_by(2);
        games.map(|game| moves(&game)[..3].join(" ")).collect()
    };
    let selected = played("start=4 --games 12", "a.jsonl");
    assert_eq!(
        selected.join(","),
        "a4 h1 a5,a1 h2 b1,a1 h1 a2,a2 h1 a3,a3 h1 a4,a4 h1 a5"
    );
    let shuffled = played("order=random --seed 7 --games 12", "b.jsonl");
    assert_ne!(shuffled, selected);
    let distinct: BTreeSet<&String> = shuffled.iter().collect();
    assert_eq!(distinct.len(), 5, "{shuffled:?}");
    assert_eq!(shuffled[0], shuffled[5], "the openings repeat in the same order");

    // The order is that of the seed alone: `start` continues it, and so do more games.
    let continued = played("order=random start=3 --seed 7 --games 12", "c.jsonl");
    assert_eq!(continued[..3], shuffled[2..5]);
    for games in [4, 12] {
        played(&format!("order=random --seed 7 --games {games}"), "d.jsonl");
    }
    assert_eq!(games(&scene, "d.jsonl"), games(&scene, "b.jsonl"));

    let cut = scene
        .referee(&format!("{line} plies=2 --games 12 --out e.jsonl"))
        .exits(0);
    assert_eq!(fields(&scene, "e.jsonl", "opening_plies"), vec![2; 12]);
    cut.shows(expect! {", book.txt plies=2, "});
    let table = expect![[r#"
        book.txt start=6 | --openings: `start=6`: `book.txt` has 5 distinct openings
        book.txt plies=0 | `plies=0`: expected a whole number from 1 to 1000
        book.txt oder=random | unknown key `oder`; did you mean `order`?
        random:2 order=random | `order=random` applies to a book, and `random:2` is not a book
    "#]];
    assert_rows(table, |[openings]| {
        scene.refused(&format!("match squares plain --openings {openings}"))
    });
}

#[test]
fn pgn_of_a_match_is_a_book() {
    let scene = Scene::new();
    for (variant, openings, player) in [
        ("magnetic-cave", "--openings random:4", "squares"),
        ("gridlock", "--turns 8", "mobility"),
    ] {
        for file in ["games.pgn", "a.jsonl", "b.jsonl"] {
            scene.remove(file);
        }
        let line = format!("match {player} plain --variant {variant} --each depth=1 st=60 --games 6 --quiet");
        scene
            .referee(&format!("{line} {openings} --out a.jsonl --pgn games.pgn"))
            .succeeds();
        scene
            .referee(&format!("{line} --openings games.pgn plies=4 --out b.jsonl"))
            .exits(0);
        let [first, second] = ["a.jsonl", "b.jsonl"].map(|file| games(&scene, file));
        for id in [1, 2] {
            assert_eq!(second[&id]["opening_plies"], 4);
            assert_eq!(second[&id]["start"], first[&id]["start"]);
            assert_eq!(moves(&second[&id])[..4], moves(&first[&1])[..4]);
        }
        let whole = scene.referee(&format!("{line} --openings games.pgn")).exits(2);
        whole.says(expect! {"`games.pgn`, game 1, line 1: the game is over after this opening:"});
        whole.says(expect! {"`plies=N` plays only its first moves"});
    }
    let message = "game 1 is of gridlock, not of magnetic-cave";
    scene.assert_refused("match squares plain --openings games.pgn plies=2", message);
}

/// What the referee says after the first interrupt.
const TO_THEIR_ENDS: &str = "the running games are finished";

#[test]
fn the_first_interrupt_lets_running_games_end() {
    for (total, signals, status, finished) in [
        (6, &[Signal::INT][..], 130, 2),
        (6, &[Signal::INT, Signal::INT], 130, 1),
        (6, &[Signal::TERM], 143, 1),
        // In the last games it costs none.
        (2, &[Signal::INT], 0, 2),
    ] {
        let scene = Scene::new();
        scene.bot("bot", Bot::thinking(WAITING));
        let line = format!("match ./bot plain --games {total} --openings random:4 --each st=60 depth=1");
        let line = format!("{line} --out games.jsonl --quiet --finish-games");
        let mut referee = scene.start(&line);
        scene.wait_for_file("waits");
        let mut stderr = BufReader::new(referee.child.stderr.take().unwrap());
        for (number, &signal) in signals.iter().enumerate() {
            referee.signal(signal);
            // Only the first interrupt lets the game end.
            if signal == Signal::INT && number == 0 {
                let mut line = String::new();
                stderr.read_line(&mut line).unwrap();
                assert_has(&line, TO_THEIR_ENDS);
            }
        }
        if signals == [Signal::INT] {
            scene.file("go", "");
        }
        let outcome = referee.end().exits(status);
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        assert_lacks(&rest, TO_THEIR_ENDS);
        assert_complete(&games(&scene, "games.jsonl"), finished);
        if finished < total {
            outcome.shows(format!("Stopped after {finished} of 6 games."));
        }
        scene.file("go", "");
        scene
            .referee(&line)
            .succeeds()
            .shows(expect! {"Score of bot vs plain: "});
        assert_complete(&games(&scene, "games.jsonl"), total);
        scene.assert_no_bot_left();
        scene.assert_no_process_left();
    }
}

/// Twice the points of each player of a pairing, and the number of games.
type Sums<'a> = (BTreeMap<&'a str, u32>, u32);

/// A knockout of five deterministic players of about equal strength, the strongest last.
const KNOCKOUT: &str = "match --engine cmd=random --engine cmd=squares depth=1 --engine cmd=groups depth=1 \
    --engine cmd=plain depth=1 --engine cmd=plain name=plain-2 depth=2 --each timemargin=60000 \
    --openings random:4 --format knockout --quiet --out";

#[test]
fn the_winners_of_a_knockout_play_on() {
    let scene = Scene::new();
    let outcome = scene.referee(&format!("{KNOCKOUT} games.jsonl")).succeeds();
    outcome.shows("Knockout of 5 (");
    let whole = games(&scene, "games.jsonl");
    // Twice the points of each player, and the number of games, by round and pairing.
    let mut pairings: BTreeMap<(u64, BTreeSet<&str>), Sums> = BTreeMap::new();
    for game in whole.values() {
        let names = ["first", "second"].map(|seat| text(game, seat));
        let points = match text(game, "result") {
            "1-0" => [2, 0],
            "0-1" => [0, 2],
            _ => [1, 1],
        };
        let key = (game["round"].as_u64().unwrap(), names.into());
        let (sum, count) = pairings.entry(key).or_default();
        *count += 1;
        for (name, points) in names.into_iter().zip(points) {
            *sum.entry(name).or_default() += points;
        }
    }
    let rounds: Vec<u64> = pairings.keys().map(|(round, _)| *round).collect();
    assert_eq!(rounds, [1, 2, 2, 3]);
    let met = pairings.contains_key(&(1, ["plain", "plain-2"].into()));
    assert!(met, "three seeds have no opponent yet: {pairings:?}");
    for ((round, players), (points, count)) in &pairings {
        assert!(count % 2 == 0 && (2..=8).contains(count), "{players:?}");
        let (winner, most) = points.iter().max_by_key(|(_, points)| **points).unwrap();
        let is_level = *most == *count;
        assert!(!is_level || *count == 8, "{players:?}");
        let mut next = pairings.keys().filter(|(next, _)| *next == round + 1);
        let advances = next.any(|(_, names)| names.contains(winner));
        assert!(is_level || *round == 3 || advances, "{winner} of round {round}");
    }
    // The same games at any concurrency, and after an interruption anywhere.
    let file = scene.text("games.jsonl");
    scene
        .referee(&format!("{KNOCKOUT} two.jsonl --concurrency 2"))
        .succeeds();
    assert_eq!(games(&scene, "two.jsonl"), whole);
    for lines in [1, 3, 6] {
        let begun: String = file.split_inclusive('\n').take(lines).collect();
        scene.file("part.jsonl", &begun);
        // Games are missing.
        scene.referee("report part.jsonl").exits(1);
        let resumed = scene.referee(&format!("{KNOCKOUT} part.jsonl")).succeeds();
        assert_eq!(games(&scene, "part.jsonl"), whole);
        resumed.shows(line_of(&outcome.stdout, "Fingerprint: "));
    }
    scene.referee("report games.jsonl").succeeds();
    let line = format!("{KNOCKOUT} games.jsonl --games 4");
    scene.assert_refused(&line, expect! {"--games was 2, now 4"});
}

#[test]
fn a_level_pairing_of_a_knockout_plays_three_more_pairs() {
    // The first player wins each game with a line of five.
    for (games_each, total) in [(2, 8), (1, 1)] {
        let scene = Scene::new();
        let [one, other] = scene.columns();
        let line = format!("match {one} {other} --format knockout --games {games_each} --each st=60 --quiet");
        scene.referee(&format!("{line} --out games.jsonl")).succeeds();
        assert_complete(&games(&scene, "games.jsonl"), total);
        scene.referee("report games.jsonl").exits(0);
        let report = json_report(&scene, "games.jsonl");
        let ranks = ["one", "other"].map(|name| &player(&report, name)["rank"]);
        assert_eq!(ranks, [1, 2], "the higher seed wins");
        let names = fields(&scene, "games.jsonl", "first");
        assert_eq!(names[0], "one", "the higher seed moves first");
    }
}

#[test]
fn the_opponent_of_an_unfit_engine_advances() {
    let scene = Scene::new();
    scene.script("broken", "#!/bin/sh\nexit 1\n");
    let line = "match squares ./broken plain groups --each depth=1 st=60 --format knockout --skip-broken \
                --openings random:4 --out games.jsonl";
    let outcome = scene.referee(line).exits(0);
    assert_has(&outcome.stdout, "\nGame 3: ");
    let games = games(&scene, "games.jsonl");
    let has_plain = |game: &Value| game["first"] == "plain" || game["second"] == "plain";
    let pairings = games
        .values()
        .map(|game| (game["round"].as_u64().unwrap(), has_plain(game)));
    let expected = BTreeSet::from([(1, false), (2, true)]);
    assert_eq!(
        pairings.collect::<BTreeSet<_>>(),
        expected,
        "seed 3 advances alone"
    );
    scene.referee("report games.jsonl").exits(0);
}
