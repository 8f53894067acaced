//! Tournaments: pairings, shards, concurrency and results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use serde_json::Value;

use crate::recorded::{assert_complete, games, line_of, summary, text};
use crate::support::{Bot, COLUMN_H, Scene, assert_starts, expect, json_lines};

/// Three deterministic players with a generous time limit.
const THREE: &str = "squares plain groups --each depth=2 timemargin=60000";

const SEVEN: &str = "--engine cmd=plain depth=2 --engine cmd=plain name=plain-1 depth=1 \
    --engine cmd=groups depth=2 --engine cmd=groups name=groups-1 depth=1 --engine cmd=squares depth=2 \
    --engine cmd=squares name=squares-1 depth=1 --engine cmd=lodestone nodes=200 --each timemargin=60000";

/// Ten deterministic players.
const TEN: &str = "--engine cmd=plain name=plain-2 depth=2 --engine cmd=plain name=plain-1 depth=1 \
    --engine cmd=groups name=groups-2 depth=2 --engine cmd=groups name=groups-1 depth=1 \
    --engine cmd=squares name=squares-3 depth=3 --engine cmd=squares name=squares-2 depth=2 \
    --engine cmd=squares name=squares-1 depth=1 --engine cmd=lodestone name=lodestone-2 depth=2 \
    --engine cmd=lodestone name=lodestone-1 depth=1 --engine cmd=random --each timemargin=60000";

/// All events of a match, the first, and the last.
fn events(stdout: &str) -> (Vec<Value>, Value, Value) {
    let events = json_lines(stdout);
    let (first, last) = (events[0].clone(), events[events.len() - 1].clone());
    assert_eq!([&first["event"], &last["event"]], ["start", "end"]);
    (events, first, last)
}

fn players(game: &Value) -> [&str; 2] {
    ["first", "second"].map(|seat| text(game, seat))
}

/// Twice the points of the first and the second player of a game.
fn half_points(game: &Value) -> [u64; 2] {
    match text(game, "result") {
        "1-0" => [2, 0],
        "0-1" => [0, 2],
        _ => [1, 1],
    }
}

/// Twice the points of each player against each other.
fn crosstable(games: &BTreeMap<u64, Value>) -> BTreeMap<[String; 2], u64> {
    let mut table = BTreeMap::new();
    for game in games.values() {
        let ([first, second], points) = (players(game).map(String::from), half_points(game));
        *table.entry([first.clone(), second.clone()]).or_default() += points[0];
        *table.entry([second, first]).or_default() += points[1];
    }
    table
}

#[test]
fn games_keep_their_ids_in_any_order_of_ends() {
    let scene = Scene::new();
    // Of two at the same time, the first move waits until the other one is in its second game.
    let slow = "[ $games = 2 ] && touch second; \
                mkdir waits 2> /dev/null && until [ -e second ]; do sleep 0.02; done; echo bestmove a$thinks";
    scene.bot("slow", Bot::thinking(slow));
    scene.bot("other", Bot::thinking(COLUMN_H));
    let line = "match ./slow ./other --games 12 --each st=60 --quiet";
    scene.folder("waits");
    scene.referee(&format!("{line} --out one.jsonl")).succeeds();
    fs::remove_dir(scene.path("waits")).unwrap();
    scene.remove("second");
    scene
        .referee(&format!("{line} --concurrency 2 --out two.jsonl"))
        .exits(0);
    let is_sorted = |name: &str| {
        let records = scene.results(name).split_off(1);
        records
            .iter()
            .map(|record| record["id"].as_u64().unwrap())
            .is_sorted()
    };
    assert!(is_sorted("one.jsonl"));
    assert!(!is_sorted("two.jsonl"), "one of the first ends late");
    assert_eq!(games(&scene, "two.jsonl"), games(&scene, "one.jsonl"));
}

#[test]
fn prints_every_event_as_json() {
    let scene = Scene::new();
    let line = format!("match {THREE} --openings random:4 --games 4 --concurrency 2 --out games.jsonl");
    let outcome = scene.referee(&format!("{line} --json")).succeeds();
    let (events, start, end) = events(&outcome.stdout);
    let lines = scene.results("games.jsonl");
    assert_eq!(start["header"], lines[0]);
    assert_eq!([&start["games"], &start["played"]], [12, 0]);
    let of_kind = |kind: &str| -> Vec<Value> {
        let events = events.iter().filter(|event| event["event"] == kind);
        events.cloned().collect()
    };
    let mut reported = of_kind("game");
    for game in &mut reported {
        game.as_object_mut().unwrap().remove("event");
    }
    assert_eq!(reported, lines[1..], "the records of the file, in order");
    for (number, status) in (1..).zip(of_kind("status")) {
        assert_eq!(status["played"], number);
        let points = status["points"].as_array().unwrap().iter();
        let points: f64 = points.map(|one| one.as_f64().unwrap()).sum();
        assert!((points - f64::from(number)).abs() < 1e-9, "{status}");
    }
    assert_eq!([&end["scheduled"], &end["games"]], [12, 12]);
    assert_eq!(events.len(), 2 + 12 + 12);

    // The same command again reports the finished games, and the same summary.
    let again = scene.referee(&format!("{line} --json")).succeeds();
    let (events, start, again) = self::events(&again.stdout);
    assert_eq!((events.len(), &start["played"]), (2, &12.into()));
    assert_eq!(again, end);
    let shown = scene.referee(&line).succeeds();
    assert_eq!(line_of(&shown.stdout, "Fingerprint: "), end["fingerprint"]);
    shown.shows(expect! {"12 of 12 games are in games.jsonl already; nothing is left to play; use another --out file to play again"});
}

#[test]
fn events_of_moves_make_the_records_again() {
    let scene = Scene::new();
    let line =
        format!("match {THREE} --openings random:4 --games 2 --concurrency 2 --out games.jsonl --json-moves");
    let outcome = scene.referee(&line).succeeds();
    let (events, ..) = events(&outcome.stdout);
    let records = scene.results("games.jsonl");
    for record in &records[1..] {
        let of_game = |kind: &str| {
            let all = events.iter().filter(|event| event["event"] == kind);
            all.filter(|event| event["id"] == record["id"])
                .collect::<Vec<_>>()
        };
        let [begin] = of_game("begin")[..] else {
            panic!("{record}");
        };
        assert_eq!(
            begin["players"],
            serde_json::json!([record["first"], record["second"]])
        );
        assert_eq!(
            [&begin["start"], &begin["opening"]],
            [&record["start"], &record["opening_plies"]]
        );
        let moves = of_game("move");
        let opening = begin["moves"].as_array().unwrap().iter();
        let played: Vec<&Value> = opening.chain(moves.iter().map(|event| &event["move"])).collect();
        assert_eq!(
            played,
            record["moves"].as_array().unwrap().iter().collect::<Vec<_>>()
        );
        let scores: Vec<&Value> = moves.iter().map(|event| &event["score"]).collect();
        assert_eq!(
            scores,
            record["score"].as_array().unwrap().iter().collect::<Vec<_>>()
        );
        assert_eq!(begin["turns"], "12121");
        assert_eq!(moves[0]["turn"], "2");
        assert_eq!(
            [&moves[0]["board"], &moves[0]["clocks"][0]],
            [&Value::Null, &Value::Null]
        );
        assert_starts(begin["grids"][0].as_str().unwrap(), "columns a b c ");
        assert_eq!(begin["grids"].as_array().unwrap().len(), 5);
        // A cell of Magnetic Cave and the piece that it got.
        let changed: Vec<&str> = moves[0]["grid"].as_str().unwrap().split(' ').collect();
        assert_eq!((changed.len(), changed[1]), (2, "x"));
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn the_result_does_not_depend_on_concurrency() {
        for (line, total) in [
            (format!("{THREE} --openings random:4 --games 10"), 30),
            (
                "--engine cmd=random --engine cmd=random name=another option.Seed=9 --openings random:4 --games 20"
                    .into(),
                20,
            ),
            (format!("{THREE} --openings random:4 --games 9 --format gauntlet"), 18),
            (
                format!("{SEVEN} --openings random:4 --games 2 --format swiss rounds=5"),
                30,
            ),
            (
                format!("{SEVEN} --openings random:4 --games 2 --format ladder rounds=5"),
                30,
            ),
            (
                "--variant gridlock plain mobility lodestone --each depth=2 timemargin=60000 --games 6 --turns 20"
                    .into(),
                18,
            ),
        ] {
            let scene = Scene::new();
            let runs = [1, 4].map(|slots| {
                let file = format!("{slots}.jsonl");
                let outcome = scene.referee(&format!("match {line} --concurrency {slots} --out {file}")).exits(0);
                (summary(&outcome.stdout), games(&scene, &file))
            });
            assert!(runs[0].0.contains("\nFingerprint: "), "{}", runs[0].0);
            assert_complete(&runs[0].1, total);
            assert_eq!(runs[1], runs[0], "{line}");
        }
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn ten_players_have_ratings_and_a_crosstable() {
        let scene = Scene::new();
        let line = format!("match {TEN} --openings random:4 --out games.jsonl");
        let outcome = scene.referee(&line).succeeds();
        let games = games(&scene, "games.jsonl");
        assert_complete(&games, 90);
        let expected = crosstable(&games);
        assert_eq!(expected.len(), 90, "every player has met every other");

        let (head, rest) = outcome
            .stdout
            .split_once("Round robin of 10 (magnetic-cave, ")
            .unwrap();
        assert_eq!(head.lines().filter(|line| line.starts_with("Game ")).count(), 90);
        let mut parts = rest.split("\n----").map(|part| part.lines().skip(2));
        let words = |line: &str| -> Vec<String> { line.split_whitespace().map(String::from).collect() };
        let table: Vec<Vec<String>> = parts.next().unwrap().map(words).collect();
        let cross: Vec<Vec<String>> = parts.next().unwrap().map(words).collect();
        assert_eq!((table.len(), cross.len()), (10, 10), "{rest}");
        let number = |word: &String| -> f64 { word.parse().unwrap() };
        let all_points: Vec<f64> = table.iter().map(|row| number(&row[2])).collect();
        let mut ratings = Vec::new();
        for (place, (row, cells)) in (1..).zip(table.iter().zip(&cross)) {
            // Rank, name, points, percent, `%`, games, wins, draws, losses, Elo, and `LOW to HIGH`.
            let name = &row[1];
            let above = all_points
                .iter()
                .filter(|&&points| points > number(&row[2]))
                .count();
            let equal = all_points
                .iter()
                .filter(|&&points| (points - number(&row[2])).abs() < 1e-9)
                .count();
            assert_eq!(
                row[0],
                format!("{}{}", above + 1, if equal > 1 { "=" } else { "" })
            );
            assert_eq!(cells[..2], [place.to_string(), name.clone()]);
            let [low, elo, high] = [10, 9, 12].map(|column| number(&row[column]));
            assert!(low < elo && elo < high && high - low < 3000.0, "{row:?}");
            ratings.push(elo);
            let counts: Vec<u64> = row[5..9].iter().map(|count| count.parse().unwrap()).collect();
            assert_eq!((counts[0], counts[1..].iter().sum()), (18, 18_u64));
            let mut points = 0;
            for (column, cell) in cells[2..].iter().enumerate() {
                let other = &table[column][1];
                if other == name {
                    assert_eq!(cell, "*");
                    continue;
                }
                let against = expected[&[name.clone(), other.clone()]];
                assert_eq!(
                    *cell,
                    (against as f64 / 2.0).to_string(),
                    "{name} against {other}"
                );
                points += against;
            }
            assert_eq!(2 * counts[1] + counts[2], points, "{name}");
            assert_eq!(row[2], format!("{:.1}", points as f64 / 2.0), "{name}");
            assert_eq!(row[3], format!("{:.1}", points as f64 / 36.0 * 100.0), "{name}");
        }
        assert!(
            all_points.iter().is_sorted_by(|one, other| one >= other),
            "{all_points:?}"
        );
        assert!(ratings[0] > ratings[9] + 100.0, "{ratings:?}");
        assert_eq!(table[9][1], "random", "{rest}");
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn swiss_tournament_of_sixty_players() {
        for (count, rounds) in [(60, 6), (59, 5)] {
            let scene = Scene::new();
            let mut line =
                format!("match --format swiss rounds={rounds} --games 1 --openings random:4 --concurrency 2");
            for number in 1..=count {
                let engine = if number % 3 == 0 {
                    "squares depth=1"
                } else {
                    "random"
                };
                let _ = write!(line, " --engine cmd={engine} name=p{number} option.Seed={number}");
            }
            line += " --each timemargin=60000 --json --out games.jsonl";
            let outcome = scene.referee(&line).succeeds();
            let boards = count / 2;
            let games = games(&scene, "games.jsonl");
            assert_complete(&games, boards * rounds);
            let (_, _, end) = events(&outcome.stdout);

            let mut met = BTreeSet::new();
            let mut points: BTreeMap<String, u64> =
                (1..=count).map(|number| (format!("p{number}"), 0)).collect();
            let mut byes = BTreeSet::new();
            // The difference in points between opponents, in half points.
            let mut gaps: Vec<u64> = Vec::new();
            for round in 1..=rounds {
                let mut here: BTreeSet<String> = points.keys().cloned().collect();
                let before = points.clone();
                for game in games.values().filter(|game| game["round"] == round) {
                    let [one, other] = players(game).map(String::from);
                    assert!(
                        here.remove(&one) && here.remove(&other),
                        "twice in round {round}: {game}"
                    );
                    let gap = before[&one].abs_diff(before[&other]);
                    gaps.push(gap);
                    for (player, share) in [&one, &other].into_iter().zip(half_points(game)) {
                        *points.get_mut(player).unwrap() += share;
                    }
                    assert!(met.insert([one.clone(), other.clone()]), "met before: {game}");
                    assert!(met.insert([other, one]), "met before: {game}");
                }
                assert_eq!(here.len() as u64, count % 2, "round {round}");
                for player in here {
                    *points.get_mut(&player).unwrap() += 2;
                    assert!(byes.insert(player), "two byes");
                }
            }
            let wide = gaps.iter().filter(|&&gap| gap > 1).count();
            // With random pairings it would be four in five.
            assert!(
                5 * wide < gaps.len(),
                "{wide} of {} pairings are of unequal players",
                gaps.len()
            );
            // A bye is a point, and the table shows it.
            let table = end["players"].as_array().unwrap();
            assert_eq!(table.len() as u64, count);
            for player in table {
                let name = player["name"].as_str().unwrap();
                assert_eq!(player["points_off"], u64::from(byes.contains(name)), "{name}");
                assert_eq!(player["points"], points[name] as f64 / 2.0, "{name}");
            }
            let totals = table.iter().map(|player| player["points"].as_f64().unwrap());
            assert!(totals.is_sorted_by(|one, other| one >= other), "{table:?}");
        }
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn ladder_resumes_exactly_and_orders_by_rating() {
        let scene = Scene::new();
        let line =
            format!("match {SEVEN} --openings random:4 --games 2 --format ladder rounds=6 --out games.jsonl");
        let first = scene.referee(&line).succeeds();
        let expected = games(&scene, "games.jsonl");
        assert_complete(&expected, 36);
        let title = "Ladder of 7, 6 rounds (magnetic-cave, ";
        assert!(first.stdout.contains(title), "{}", first.stdout);
        for round in 1..=6 {
            let here = expected.values().filter(|game| game["round"] == round);
            let seats: Vec<[&str; 2]> = here.map(players).collect();
            let active: BTreeSet<&str> = seats.iter().flatten().copied().collect();
            assert_eq!((seats.len(), active.len()), (6, 6), "round {round}");
        }

        // Cut within a record of an early round.
        let text = scene.text("games.jsonl");
        fs::write(scene.path("games.jsonl"), &text[..text.len() / 3]).unwrap();
        let again = scene.referee(&line).succeeds();
        assert_eq!(summary(&again.stdout), summary(&first.stdout));
        assert_eq!(games(&scene, "games.jsonl"), expected);

        let report = scene.referee("report games.jsonl --json").succeeds();
        let report: Value = serde_json::from_str(&report.stdout).unwrap();
        let table = report["players"].as_array().unwrap();
        let elo = |player: &Value| player["rating"]["elo"].as_f64().unwrap();
        assert_eq!(table.len(), 7);
        assert!(
            elo(&table[0]) > elo(&table[3]) && elo(&table[3]) > elo(&table[6]),
            "{table:?}"
        );
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn the_shards_together_are_the_tournament() {
        let scene = Scene::new();
        // Two games at a time in three shards.
        let line = format!("match {THREE} --openings random:4 --games 9 --format gauntlet");
        scene
            .referee(&format!("{line} --out whole.jsonl --quiet"))
            .succeeds();
        let expected = games(&scene, "whole.jsonl");
        assert_complete(&expected, 18);
        let mut all = BTreeMap::new();
        let mut pairs = BTreeSet::new();
        for part in 0..3 {
            let file = format!("{part}.jsonl");
            let line = format!("{line} --shard {part}/3 --concurrency 2 --out {file} --quiet");
            let first = scene.referee(&line).succeeds();
            let games = self::games(&scene, &file);
            assert!(!games.is_empty());

            // An interrupted shard resumes.
            let text = scene.text(&file);
            fs::write(scene.path(&file), &text[..text.len() - 700]).unwrap();
            let again = scene.referee(&line).succeeds();
            assert_eq!(summary(&again.stdout), summary(&first.stdout));
            assert_eq!(self::games(&scene, &file), games);

            let here: BTreeSet<u64> = games
                .values()
                .map(|game| game["pair"].as_u64().unwrap())
                .collect();
            assert!(pairs.is_disjoint(&here), "both games of a pair are in one part");
            pairs.extend(here);
            for (id, game) in games {
                assert!(all.insert(id, game).is_none(), "game {id} is in two parts");
            }
        }
        assert_eq!(all, expected);
    }
}
