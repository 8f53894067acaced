//! Resuming a match, rejecting another match, and the hint how to resume.

use rustix::process::Signal;

use crate::recorded::{assert_complete, games, headers, line_of, summary};
use crate::support::{
    Bot, COLUMN_A, COLUMN_H, Expect, Running, Scene, WAITING, assert_ends, assert_has, assert_lacks,
    assert_rows, assert_starts, expect, run,
};

/// Small matches that together use all options of a header.
const TWO: &str = "match --engine cmd=squares depth=1 --engine cmd=plain option.Hash=2 depth=1 \
    --each st=60 timemargin=0 --games 4 --openings random:4 --seed 3 --out games.jsonl --quiet";
const GRIDLOCK: &str = "match --variant gridlock --pieces 4 --turns 6 --engine cmd=plain depth=1 \
    --engine cmd=mobility depth=1 --each st=60 --games 4 --out games.jsonl --quiet";
const THREE: &str = "match squares groups plain --each depth=1 st=60 --games 2 --openings random:4 \
    --shard 0/2 --out games.jsonl --quiet";
const SWISS: &str = "match squares groups plain --each depth=1 st=60 --format swiss rounds=2 --games 2 \
    --openings random:4 --out games.jsonl --quiet";
/// A match with resource limits.
const LIMITED: &str = "match squares plain --each depth=1 st=60 memory=2000 max-processes=64 --games 2 --openings random:4 \
    --out games.jsonl --quiet";
/// Matches with a part of a book, and with two seeds.
const SELECTED: &str = "match squares plain --each depth=1 st=60 --games 2 --openings book.txt order=random \
    start=2 plies=1 --out games.jsonl --quiet";
const SEEDED: &str = "match squares plain groups --format gauntlet seeds=2 --each depth=1 st=60 --games 2 \
    --openings random:4 --out games.jsonl --quiet";
const TESTED: &str = "match squares plain --each depth=1 st=60 --games 4 --openings random:4 \
    --sprt elo0=0 elo1=5 --out games.jsonl --quiet";

/// Parts of commands, their replacements, and the expected messages.
const CHANGES: [(&str, Expect); 8] = [
    (
        TWO,
        expect![[r#"
            --seed 3 | --seed 4 | --seed was 3, now 4
            --seed 3 | | --seed was 3, now 1
            random:4 | random:5 | --openings was random:4, now random:5
            --openings random:4 | | --openings was random:4, now not given
            random:4 | book.txt | --openings was random:4, now book.txt
            cmd=squares | cmd=groups | cmd of `squares` was squares, now groups
            --games | --engine cmd=groups --games | the list of players was squares, plain, now squares, plain, groups
            --engine cmd=squares depth=1 --engine cmd=plain option.Hash=2 depth=1
                | --engine cmd=plain option.Hash=2 depth=1 --engine cmd=squares depth=1 | was squares, now plain
            Hash=2 | Hash=4 | option.Hash of `plain` was 2, now 4
            Hash=2 | Hash=2 option.Threads=1 | option.Threads of `plain` was not given, now 1
            cmd=squares | cmd=squares name=other | was squares, now other
            cmd=squares depth=1 | cmd=squares depth=2 | depth of `squares` was 1, now 2
            cmd=squares depth=1 | cmd=squares depth=1 nodes=100 | nodes of `squares` was not given, now 100
            cmd=squares | cmd=squares proto=ugi | proto of `squares` was not given, now ugi
            st=60 | st=61 | st of `squares` was 60, now 61; st of `plain` was 60, now 61
            st=60
                | tc=60+1 | st of `squares` was 60, now not given; tc of `squares` was not given, now 60+1
            timemargin=0 | timemargin=9 | timemargin of `squares` was 0, now 9
            option.Hash=2 depth=1
                | option.Hash=2 depth=1 starttime=20 | starttime of `plain` was not given, now 20
            --games 4 | --games 3 | --games was 4, now 3
            --games | --format gauntlet --games | --format was round-robin, now gauntlet
            --games | memory=2000 --games | memory of `squares` was not given, now 2000
            --games | max-processes=64 --games | max-processes of `squares` was not given, now 64
            --games | cpu-time=900 --games | cpu-time of `squares` was not given, now 900
            --games | --sprt elo0=0 elo1=5 --games | --sprt was not given, now elo0=0 elo1=5
            --games | --shard 0/2 --games | --shard was not given, now 0/2
            --games | --forfeit-after 3 --games | --forfeit-after was not given, now 3
            --games | --ponder --games | --ponder was not given, now on
            --games | --no-swap --games | --no-swap was not given, now on
            --games | --reverse --games | --reverse was not given, now on
            option.Hash=2 depth=1 | option.Hash=2 depth=1 restart=on | restart of `plain` was not given, now on
        "#]],
    ),
    (
        GRIDLOCK,
        expect![[r#"
            --variant gridlock --pieces 4 --turns 6 --engine cmd=plain depth=1 --engine cmd=mobility
                | --engine cmd=plain depth=1 --engine name=mobility cmd=squares | --variant was gridlock, now magnetic-cave
            --pieces 4 | --pieces 5 | --pieces was 4, now 5
            --turns 6 | | --turns was 6, now 40
        "#]],
    ),
    (
        THREE,
        expect![[r#"
            0/2 | 1/2 | --shard was 0/2, now 1/2
            0/2 | 0/3 | --shard was 0/2, now 0/3
            --shard 0/2 | | --shard was 0/2, now not given
        "#]],
    ),
    (
        SWISS,
        expect![[r#"
            rounds=2 | rounds=3 | rounds of --format was 2, now 3
            --games 2 | --games 4 | --games was 2, now 4
        "#]],
    ),
    (
        LIMITED,
        expect![[r#"
            memory=2000 | memory=1000 | memory of `squares` was 2000, now 1000
            memory=2000 | | memory of `squares` was 2000, now not given
            64 | 65 | max-processes of `squares` was 64, now 65
            max-processes=64 | | max-processes of `squares` was 64, now not given
        "#]],
    ),
    (
        SELECTED,
        expect![[r#"
            order=random
                | order=sequential | --openings was order=random start=2 plies=1, now start=2 plies=1
            start=2 | start=1 | --openings was
            plies=1 | plies=2 | the hash of the file of --openings was
            order=random start=2 plies=1 | | --openings was
        "#]],
    ),
    (
        SEEDED,
        expect![[r#"
            seeds=2 | seeds=1 | seeds of --format was 2, now not given
        "#]],
    ),
    (
        TESTED,
        expect![[r#"
            elo1=5 | elo1=6 | --sprt was
            elo1=5 | elo1=5 alpha=0.01 | --sprt was
            elo1=5 | elo1=5 model=logistic | --sprt was
            --sprt elo0=0 elo1=5 | | --sprt was
        "#]],
    ),
];

#[test]
fn rejects_another_match_and_names_the_differences() {
    for (line, changes) in CHANGES {
        let scene = Scene::new();
        scene.file("book.txt", "startpos\na1\na2 h2\na3 h3 a4\n");
        let first = scene.referee(line).succeeds();
        let file = scene.text("games.jsonl");
        assert_rows(changes, |[from, to]| {
            assert!(line.contains(from), "{from}");
            let error = scene.refused(&line.replacen(from, to, 1));
            assert_has(
                &error,
                expect! {"referee: --out games.jsonl: it holds another match:"},
            );
            assert_eq!(scene.text("games.jsonl"), file, "{to}");
            error
        });
        // The rejected commands did not change the match.
        let again = scene.referee(line).exits(0);
        assert_eq!(summary(&again.stdout), summary(&first.stdout));
        assert_eq!(scene.text("games.jsonl"), file);
    }
}

#[test]
fn display_and_concurrency_are_not_part_of_the_match() {
    let scene = Scene::new();
    let match_of = |engines: &str, more: &str| {
        let each = "--games 6 --openings random:4 --each depth=1 timemargin=60000";
        format!("match {engines} {each} --out games.jsonl {more}")
    };
    let plain = "--engine cmd=squares --engine cmd=plain";
    let first = scene.referee(&match_of(plain, "")).exits(0);
    let expected = games(&scene, "games.jsonl");
    let file = scene.text("games.jsonl");
    let begun: String = file.split_inclusive('\n').take(3).collect();
    let display = "--concurrency 2,--concurrency 7,--affinity,--affinity=0,--strict,--log log level=debug engines=on,\
                   --quiet,--finish-games,--board,--json,--board --ascii --color always,\
                   --save-config saved.toml";
    let settings = "--engine cmd=squares stderr=log --engine cmd=plain,\
                    --engine cmd=squares name=squares --engine cmd=plain st=3,\
                    --engine cmd=squares restart=off --engine cmd=plain,\
                    --engine cmd=squares starttime=10 --engine cmd=plain";
    let display = display.split(',').map(|options| match_of(plain, options));
    for line in display.chain(settings.split(',').map(|engines| match_of(engines, ""))) {
        scene.file("games.jsonl", &begun);
        let outcome = scene.referee(&line).exits(0);
        assert_eq!(games(&scene, "games.jsonl"), expected, "{line}");
        assert_starts(scene.text("games.jsonl"), &begun);
        assert_eq!(headers(&scene, "games.jsonl").len(), 1, "{line}");
        outcome.shows(line_of(&first.stdout, "Fingerprint: "));
    }
}

#[test]
fn a_changed_file_beside_run_is_named_when_a_match_resumes() {
    let scene = Scene::new();
    let referee = env!("CARGO_BIN_EXE_referee");
    for (folder, player) in [("in/mia", "squares"), ("in/tom", "plain")] {
        scene.folder(folder);
        let run = format!("#!/bin/sh\nexec '{referee}' builtin $(cat player)\n");
        scene.script(&format!("{folder}/run"), &run);
        scene.file(&format!("{folder}/player"), player);
    }
    for players in ["in/mia in/tom", "--engines in"] {
        let line =
            format!("match {players} --each depth=1 timemargin=60000 --quiet --out games.jsonl --games");
        assert_eq!(scene.referee(&format!("{line} 2")).exits(0).stderr, "");
        assert_eq!(scene.referee(&format!("{line} 4")).exits(0).stderr, "");
        scene.file("in/mia/player", "groups\n");
        let outcome = scene.referee(&format!("{line} 6")).exits(0);
        outcome.says(expect! {"`mia` has changed since the last run of this match (`in/mia`): its games are of two programs"});
        assert_eq!(scene.referee(&format!("{line} 8")).exits(0).stderr, "");
        scene.file("in/mia/player", "squares");
        scene.remove("games.jsonl");
    }
    // What a match writes there is no change.
    let line = "match in/mia random --each depth=1 timemargin=60000 --quiet --out in/mia/games.jsonl --games";
    scene.referee(&format!("{line} 2")).exits(0);
    assert_eq!(scene.referee(&format!("{line} 4")).exits(0).stderr, "");
}

#[test]
fn changed_program_is_named_when_a_match_resumes() {
    let scene = Scene::new();
    scene.bot("new", Bot::thinking(COLUMN_A));
    scene.bot("old.sh", Bot::thinking(COLUMN_H));
    let line = "match --engine cmd=./new --engine cmd=sh args=old.sh name=old --each st=3 timemargin=60000 --quiet \
                --out games.jsonl";
    let mut said = String::new();
    let mut run = |total: u64, changed: &[&str]| {
        for name in changed {
            scene.file(name, &(scene.text(name) + "# A new version\n"));
        }
        let outcome = scene.referee(&format!("{line} --games {total}")).exits(0);
        let counts = format!("{total} games, changed: {changed:?}\n");
        said += &(counts + &outcome.messages());
        assert_complete(&games(&scene, "games.jsonl"), total);
    };
    run(2, &[]);
    run(4, &[]);
    run(6, &["new"]);
    run(8, &["old.sh"]);
    run(10, &["new", "old.sh"]);
    // Without further games, no program has played.
    run(10, &["new"]);
    run(12, &[]);
    // Without a new number of games, too.
    let file = scene.text("games.jsonl");
    let (rest, _) = file.trim_end().rsplit_once('\n').unwrap();
    scene.file("games.jsonl", &format!("{rest}\n"));
    run(12, &["new"]);
    run(12, &[]);
    expect![[r#"
        2 games, changed: []
        4 games, changed: []
        6 games, changed: ["new"]
        referee: warning: `new` has changed since the last run of this match (`./new`): its games are of two programs
        8 games, changed: ["old.sh"]
        referee: warning: `old` has changed since the last run of this match (`old.sh`): its games are of two programs
        10 games, changed: ["new", "old.sh"]
        referee: warning: `new` has changed since the last run of this match (`./new`): its games are of two programs
        referee: warning: `old` has changed since the last run of this match (`old.sh`): its games are of two programs
        10 games, changed: ["new"]
        referee: warning: `new` has changed since the last run of this match (`./new`): no game was played with the new program; use another file to play with it
        12 games, changed: []
        referee: warning: `new` has changed since the last run of this match (`./new`): its games are of two programs
        12 games, changed: ["new"]
        referee: warning: `new` has changed since the last run of this match (`./new`): its games are of two programs
        12 games, changed: []
    "#]].assert_eq(&said);
}

#[test]
fn the_last_command_names_event_and_site() {
    let scene = Scene::new();
    let line =
        "match squares plain --each depth=1 timemargin=60000 --quiet --out games.jsonl --pgn games.pgn";
    for (more, tags) in [
        ("", "[Event \"Match\"]\n[Site \"?\"]\n"),
        ("event=Cup site=Hall", "[Event \"Cup\"]\n[Site \"Hall\"]\n"),
        ("event=Final", "[Event \"Final\"]\n[Site \"Hall\"]\n"),
    ] {
        scene.referee(&format!("{line} {more}")).exits(0);
        assert_starts(scene.text("games.pgn"), tags);
        assert_eq!(games(&scene, "games.jsonl").len(), 2, "{more}");
    }
}

/// Names may turn the direction of text. Older versions wrote them as they are, and records without
/// the time of the game.
#[test]
fn names_are_printable_and_files_of_older_versions_resume() {
    const NAME: &str = "a\u{202e}b";
    let scene = Scene::new();
    let line = |games| {
        let each = "--each depth=1 timemargin=60000 --openings random:4 --quiet --out games.jsonl";
        format!("match --engine cmd=squares name={NAME} --engine cmd=plain {each} --games {games}")
    };
    let first = scene.referee(&line(2)).exits(0);
    let whole = games(&scene, "games.jsonl");
    assert_eq!(whole[&1]["first"], r"a\u{202e}b");
    let mut old = String::new();
    for mut record in scene.results("games.jsonl") {
        let object = record.as_object_mut().unwrap();
        let had_times = ["started", "ended"].map(|name| object.remove(name).is_some());
        assert_eq!(had_times, [object.contains_key("moves"); 2]);
        old += &(record.to_string().replace(r"a\\u{202e}b", NAME) + "\n");
    }
    assert_eq!(old.matches(NAME).count(), 3);
    scene.file("games.jsonl", &old);
    let (again, report) = (scene.referee(&line(2)), scene.referee("report games.jsonl"));
    let grown = scene.referee(&line(4));
    again.shows(expect! {"nothing is left to play"});
    assert_eq!(summary(&again.stdout), summary(&first.stdout));
    assert_starts(scene.text("games.jsonl"), &old);
    assert_eq!(games(&scene, "games.jsonl").len(), 4);
    for outcome in [first, again, report, grown] {
        let outcome = outcome.exits(0);
        let shown = outcome.stdout + &outcome.stderr;
        assert_has(&shown, r"a\u{202e}b");
        assert_lacks(&shown, "\u{202e}");
    }
}

#[test]
fn second_referee_cannot_write_to_the_same_file() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking(WAITING));
    let line = format!("match {bot} plain --games 4 --each st=60 depth=1 --out games.jsonl --quiet");
    let first = scene.start(&line);
    scene.wait_for_file("waits");
    let file = scene.text("games.jsonl");
    // Neither with the same command nor with another one.
    for line in [line.clone(), line.replace("--games 4", "--games 4 --seed 9")] {
        scene.assert_refused(
            &line,
            expect! {"referee: --out games.jsonl: another referee is writing to it"},
        );
    }
    assert_eq!(scene.text("games.jsonl"), file);
    scene.file("go", "");
    first.end().succeeds();
    assert_complete(&games(&scene, "games.jsonl"), 4);
    // The first referee has ended.
    scene.referee(&line).exits(0);
}

#[test]
fn interrupted_match_prints_how_to_resume() {
    for (signal, status, options) in [
        (Signal::INT, 130, "--concurrency 2"),
        (Signal::TERM, 143, "--quiet"),
    ] {
        let scene = Scene::new();
        let bot = scene.bot("it's a bot", Bot::thinking(WAITING));
        let line = format!("match --games 6 --openings random:4 --each st=60 {options}");
        let command = || {
            let mut command = scene.command(&line);
            command.args(["--engine", "cmd=plain", "depth=1", "--out", "my games.jsonl"]);
            command.args(["--engine", &format!("cmd={bot}"), "name=$HOME & \"co\""]);
            command
        };
        let referee = Running::start(command());
        scene.wait_for_file("waits");
        let shown = referee.end_by(signal).exits(status).stdout;
        let file = scene.text("my games.jsonl");
        assert_ends(&file, "}\n");
        let played = games(&scene, "my games.jsonl").len();
        assert!((1..6).contains(&played));
        let stopped = format!(
            "\nStopped after {played} of 6 games. They are saved in my games.jsonl; \
             run the same command again to resume.\n"
        );
        assert_ends(&shown, &stopped);

        scene.file("go", "");
        let again = run(&mut command(), "").succeeds();
        assert_complete(&games(&scene, "my games.jsonl"), 6);
        assert_eq!(headers(&scene, "my games.jsonl").len(), 1);
        assert_starts(scene.text("my games.jsonl"), &file);
        assert_lacks(&again.stdout, "Stopped");
        scene.assert_no_bot_left();
        scene.assert_no_process_left();
    }
}

#[test]
fn interruption_while_engines_start_leaves_no_verdict() {
    let scene = Scene::new();
    scene.bot(
        "bot",
        Bot::greeting("[ -e go ] || { touch waits; sleep 60; }; echo uciok"),
    );
    let line = "match ./bot plain --games 4 --openings random:4 --each st=60 depth=1 --sprt elo0=0 elo1=5 \
                --out games.jsonl";
    scene.interrupted(line).exits(130);
    let lines = scene.results("games.jsonl");
    assert_eq!(lines.len(), 1, "only the header: {lines:?}");
    scene.file("go", "");
    scene.referee(line).exits(0);
    assert_complete(&games(&scene, "games.jsonl"), 4);
}

#[test]
#[cfg(target_os = "linux")]
fn command_that_is_not_utf8_is_interrupted_cleanly() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking(WAITING));
    let mut command = scene.command("match ./bot plain --games 4 --each st=60 depth=1 --quiet --out");
    command.arg(OsStr::from_bytes(b"\xff.jsonl"));
    let referee = Running::start(command);
    scene.wait_for_file("waits");
    let shown = referee.end_by(Signal::INT).exits(130).stdout;
    assert_ends(&shown, "run the same command again to resume.\n");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn more_games_do_not_change_existing_games() {
        for (more, few, many) in [
            ("--variant gridlock --turns 8 --pieces 4 plain mobility", 4, 8),
            ("squares groups plain --openings random:4", 3, 6),
            ("squares groups plain --openings random:4 --format gauntlet", 2, 5),
            ("squares groups plain --openings random:4 --shard 1/3", 4, 8),
            ("groups plain --openings random:4 --sprt elo0=0 elo1=1", 4, 8),
        ] {
            let scene = Scene::new();
            let line = |games: u64, file: &str| {
                format!("match --games {games} {more} --each depth=1 timemargin=60000 --out {file}")
            };
            scene.referee(&line(few, "games.jsonl")).exits(0);
            let begun = scene.text("games.jsonl");
            let grown = scene.referee(&line(many, "games.jsonl")).exits(0);
            let fresh = scene.referee(&line(many, "fresh.jsonl")).exits(0);
            assert_eq!(summary(&grown.stdout), summary(&fresh.stdout), "{more}");
            let file = scene.text("games.jsonl");
            assert_starts(&file, &begun);
            let played = games(&scene, "games.jsonl");
            assert_eq!(played, games(&scene, "fresh.jsonl"), "{more}");
            assert!(played.len() > begun.lines().count() - 1, "{more}");

            // The second header is where the match became longer.
            let lines = scene.results("games.jsonl");
            assert_eq!(lines[begun.lines().count()]["schedule"]["games"], many, "{more}");
            assert_eq!(headers(&scene, "games.jsonl").len(), 2, "{more}");
            scene.referee(&line(many, "games.jsonl")).exits(0);
            let message = format!("--games was {many}, now {few}");
            scene.assert_refused(&line(few, "games.jsonl"), &message);
            assert_eq!(scene.text("games.jsonl"), file, "{more}");
        }
    }
}
