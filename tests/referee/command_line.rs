//! Wrong commands and paths, exit statuses, signals.

use regex_lite::Regex;
use rustix::process::Signal;

use lodestone_game::players;

use crate::support::{
    Bot, COLUMN_H, Expect, Scene, assert_has, assert_lacks, assert_rows, expect, joined, run,
    run_without_stdout,
};

/// The error of a command, which must have this status and show nothing.
#[track_caller]
fn refused(scene: &Scene, line: &str, status: i32) -> String {
    let outcome = scene.referee(line).exits(status);
    assert_eq!(outcome.stdout, "", "{line}");
    outcome.stderr
}

#[test]
fn missing_folder_for_temporary_files_is_named() {
    let scene = Scene::new();
    scene.file("file", "");
    let table = expect![[r#"
        nowhere | --html page.html
            | nowhere is the folder for temporary files: create it, or choose another folder with the variable TMPDIR
        nowhere | --sandbox
            | nowhere is the folder for temporary files: create it, or choose another folder with the variable TMPDIR
        file | --html page.html
            | file is the folder for temporary files: make sure that you can write to it, or choose another folder
        file | --sandbox
            | file is the folder for temporary files: make sure that you can write to it, or choose another folder
    "#]];
    assert_rows(table, |[folder, options]| {
        let line = format!("match random random --games 2 --quiet {options}");
        let mut command = scene.command(&line);
        let outcome = run(command.env("TMPDIR", scene.path(folder)), "").exits(2);
        outcome.stderr
    });
}

/// Wrong commands, each with a part of its error.
const WRONG_COMMANDS: Expect = expect![[r#"
    match random | a match needs two players, but only `random` was given; add an opponent, for example the built-in player `squares`
    match --engine cmd=random name=Ann | a match needs two players, but only `Ann` was given; add an opponent, for example the built-in player `squares`
    match mobility random
        | the built-in `mobility` does not play magnetic-cave; these do: lodestone, groups, squares, random, plain
    match squares random --variant gridlock
        | the built-in `squares` does not play gridlock; these do: lodestone, mobility, random, plain
    match --engine cmd=random movetime=100 --engine cmd=random
        | tip: `movetime` of other programs: st=SECONDS
    match random random --each trust | tip: `trust` of other programs: not needed: the rules decide every game
    match --each ./bot random | tip: a program is a setting, too: `--engine cmd=./bot`
    match random random --each plies=4 | tip: `plies` of other programs: depth=N
    match --engine cmd=random conf=x | tip: `conf` of other programs: --engines engines.json
    play --first human --second cmd=random initstr=x | `initstr` of other programs: option.Init=LINES for proto=xboard or gtp; option.NAME
    match random random --each hash=16 | tip: `hash` of other programs: option.Hash=VALUE
    match random random --openings a policy=round | tip: `policy` of other programs: not available: each pair of games
    match random random --pgn a fi=true | tip: `fi` of other programs: not needed: only finished games are written
    match --engine cmd=random dpeth=3 --engine cmd=random
        | for '--engine <KEY=VALUE…>': unknown setting `dpeth`; did you mean `depth`?
    match --each st=0 random random
        | invalid value 'st=0' for '--each <KEY=VALUE…>': `st=0`: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `0`
    match --engine name=x --engine cmd=random | an engine has no `cmd`
    match --engine cmd=random proto=uic --engine cmd=plain | `proto=uic`: expected `uci`, `ugi`, `gtp`, `xboard`, `usi`, `ucci`, `gomocup` or `uai`
    match --engine cmd=random args=x --engine cmd=plain | the built-in `random` takes no `args`
    match --engine cmd=human proto=ugi --engine cmd=plain
        | `proto` does not apply to a human player; for a program with this name, write `cmd=./human`
    match --engine cmd=random dir=nowhere --engine cmd=plain | `dir=nowhere` is not a folder
    match random plain --pieces 3 | --pieces does not apply to magnetic-cave
    match random plain --turns 30 | --turns does not apply to magnetic-cave
    match random plain --variant chess | unknown variant `chess`; the variants are magnetic-cave, gridlock
    match random plain --variant chess | tip: the rules of other games are a program: `--rules PROGRAM`, for chess
    match random plain --games 0 | invalid value '0' for '--games <N>'
    match random plain --variant gridlock --pieces 25
        | invalid value '25' for '--pieces <N>': expected a whole number from 1 to 24
    match random plain --variant gridlock --turns 1001
        | invalid value '1001' for '--turns <T>': expected a whole number from 1 to 1000
    match random plain --openings book.txt | --openings: `book.txt` cannot be read: No such file or directory
    match random plain --openings . | --openings: `.` cannot be read: it is a folder, not a file
    match random plain --openings random:64 | --openings: 64 random moves from the start always end the game
    match random plain --quiet --board | cannot be used with
    match random --engine cmd=plain | cannot be used with
    play --first random --second plain --pieces 3 | --pieces does not apply to magnetic-cave
    play --first mobility --second human | the built-in `mobility` does not play magnetic-cave
    builtin nonesuch | unknown built-in player `nonesuch`; the built-in players are lodestone, groups, squares
    openings --count 0 | expected a whole number from 1 to 100000
    openings --window 60..-20 | expected a score such as 100, or LOW..HIGH such as -20..60
    openings --engine cmd=human | --engine: a human player gives no scores; use a program
    openings --engine dpeth=3 | for '--engine <KEY=VALUE…>': unknown setting `dpeth`; did you mean `depth`?
    openings --engine cmd=mobility | the built-in `mobility` does not play magnetic-cave
    openings --turns 30 | --turns does not apply to magnetic-cave
    openings --plies 64 | --plies: 64 random moves from the start always end the game
    openings --engine nodes=100 --out no/book.txt | --out no/book.txt: No such file or directory
    match random plain --format swis | did you mean `swiss`? The formats are round-robin, gauntlet, swiss
    match random plain --rounds 2 | --rounds: --games N, with all games of a pairing (rounds × games); in a Swiss tournament
    match random plain --format gauntlet rounds=2 | `rounds` is for the format `swiss` or `ladder`
    match random plain --log level=a=b | a value such as a file name must come before `level=a=b`
    match random plain --out a.jsonl --log a.jsonl | --log a.jsonl: this is the file of --out
    play --memory 9 | referee: unexpected argument '--memory' found
    match random plain --memory 9 | tip: it is a setting of players: `--each memory=9`
    match random plain --wait 9 | --wait: not available: each game begins when a slot is free
    match random plain groups --format swiss rounds=4 | --format swiss rounds=4: 3 players have all met after 3 rounds
    match random plain --format swiss --shard 0/2
        | each round of `--format swiss` depends on all earlier results, so it cannot be split
    match random plain --format swiss --sprt elo0=0 elo1=5 | `--format swiss` does not support it
    match random plain groups --sprt elo0=0 elo1=5 | --sprt tests two engines against each other; found 3
    match random plain --sprt elo0=0 elo=5 | unknown key `elo`; did you mean `elo0`?
    match random plain --sprt elo0=0 elo1=5 --shard 0/2 | the match cannot be split with --shard
    match random plain --concurrency 0 | expected a whole number from 1 to 1024
    match random plain --concurrency 2 --board | --board shows one game at a time
    match random human --concurrency 2 | a human player plays one game at a time
    match random plain --concurrency 1000 --affinity | --affinity: 1000 games at a time need a core each
    frobnicate | unrecognized subcommand
    --games 3 | tip: write it after a command: `referee match --games`
    match random plain --openings radnom:2
        | there is no file `radnom:2`; did you mean `random:2`?
    match random plain --openings rnd:2
        | there is no file `rnd:2`; did you mean `random:2`?
    match random plain --openings random=2 | did you mean `random:2`?
    match random plain --openings file=book.txt
        | there is no file `file=book.txt`; write `book.txt`, or `./file=book.txt` for a file of this name
    match random plain --pgn file=games.pgn | there is no file `file=games.pgn`; write `games.pgn`
    ./a.pgn | tip: `referee show ./a.pgn`
    play ./mybot | tip: give the player as an option: `--second ./mybot`
    ./a ./b
        | `./a` is a player, not a command tip: `referee match ./a ./b`
    ./a | tip: `referee match ./a lodestone`
    squares random --games 4 | tip: `referee match squares random --games 4`
    cmd=./a st=1 cmd=squares | tip: `referee match --engine cmd=./a st=1 --engine cmd=squares`
    ./games.jsonl
        | `./games.jsonl` is a file, not a command tip: `referee report ./games.jsonl`
    match random plain --st 0.5 | tip: it is a setting of players: `--each st=0.5`
    match random plain --hash 64 | tip: it is a setting of players: `--each option.Hash=64`
    openings --depth 4 | tip: it is a setting of players: `--engine depth=4`
    match random plain st=1
        | `st=1` is a setting, not a player; `--each st=1` is for all players
    match cmd=random cmd=plain | `cmd=random` is a setting, not a player; `--engine cmd=random` adds a player
    match --engine ./a --engine cmd=plain | tip: a program is a setting, too: `--engine cmd=./a`
    match --engine cmd=random plain | tip: give each player its own --engine
    match random plain --variant gridlok | unknown variant `gridlok`; did you mean `gridlock`?
    match random plain --draw movenumber=1 score=1 | `movecount` is missing
    match random plain --resign movecount=1 score=x | `score=x`: expected a whole number of at least 1
    match random plain --prove emtpy=3 | unknown key `emtpy`; did you mean `empty`?
    match random plain --no-swap --sprt elo0=0 elo1=5 | --sprt counts pairs of games
    match random plain --format swiss --reverse | --reverse: `--format swiss` balances
    match random plain --format swiss seeds=2 | `seeds` is for the format `gauntlet`
    match random plain --format ladder --shard 0/2 | --shard: each round of `--format ladder`
    match random plain groups squares lodestone --format gauntlet seeds=5
        | --format gauntlet seeds=5: at least one of the 5 players must not be a seed
    match random plain --format gauntlet seeds=0 | a whole number of at least 1
    match random plain --format knockout --shard 0/2
        | --shard: each round of `--format knockout` depends on all earlier results
    match random plain --format knockout --sprt elo0=0 elo1=5 | `--format knockout` does not support it
    match random plain --ponder --affinity | --affinity gives a game one core
    match random plain --affinity=1023 | --affinity: there is no core 1023; the cores are 0
    match random plain --affinity=0 --concurrency 2
        | --affinity: 2 games at a time need a core each; the list has 1
    match --output cutechess --board | --output cutechess: --board cannot be used with it
    match --output cutechess --quiet | --output cutechess: --quiet cannot be used with it
    match --output cutechess --json | --output cutechess: --json cannot be used with it
"#]];

#[test]
fn wrong_commands_end_with_status_2_and_an_explanation() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    assert_rows(WRONG_COMMANDS, |[line]| joined(&refused(&scene, line, 2)));
    let line = format!("match --engine cmd={bot} option.Hahs=1 --engine cmd=random");
    expect! {"referee: bot announces no option `Hahs`\n"}.assert_eq(&refused(&scene, &line, 2));
    scene.bot(
        "early",
        Bot::greeting("echo uciok; echo option name Hash type check"),
    );
    let line = "match --engine cmd=./early option.Hash=true --engine cmd=random";
    assert_has(
        refused(&scene, line, 2),
        expect! {"early announces no option `Hash`; after `uciok`, which ends the list of its options, it wrote `option name Hash type check`"},
    );
    let table = expect![[r#"
        Hahs=1 | referee: random announces no option `Hahs`; did you mean `Hash`?
        Hash=0 | referee: random does not take `option.Hash=0`: expected a whole number from 1 to 1048576
        Personality=grups
            | referee: random does not take `option.Personality=grups`: expected one of PLAYERS; did you mean `groups`?
        uci_variant=gridlock
            | referee: random does not take `option.UCI_Variant=gridlock`: expected `magnetic-cave`, the game of `--variant`
    "#]];
    assert_rows(table, |[option]| {
        let line = format!("match --engine cmd=random option.{option} --engine cmd=random");
        refused(&scene, &line, 2).replace(&players::all_names().join(", "), "PLAYERS")
    });
}

#[test]
fn suggests_the_closest_word_but_no_internal_command() {
    let scene = Scene::new();
    let table = expect![[r#"
        mtach | a similar subcommand exists: 'match'
        help mtach | a similar subcommand exists: 'match'
        match --gmaes 3 | a similar argument exists: '--games'
        play --vraiant gridlock | a similar argument exists: '--variant'
        match --color alwas | a similar value exists: 'always'
        completions bsh | a similar value exists: 'bash'
        complteions | a similar subcommand exists: 'completions'
    "#]];
    assert_rows(table, |[line]| refused(&scene, line, 2));
    let lines = "lanch,launhc,builtn,help builtni,xyz,--xyz,match --xyz,match -x";
    for line in lines.split(',') {
        assert_lacks(refused(&scene, line, 2), "tip:");
    }
    for help in ["--help", "match --help", "--version"] {
        let help = scene.referee(help).succeeds().stdout;
        for internal in ["launch", "builtin"] {
            assert_lacks(&help, internal);
        }
    }
}

#[test]
fn options_of_cutechess_and_fastchess_get_our_spelling() {
    let scene = Scene::new();
    let line = "match -engine cmd=a -engine cmd=b -each tc=10+0.1 -rounds 10 -repeat -pgnout file=games.pgn \
                -openings file=book.epd order=random -concurrency 2 -sprt elo0=0 elo1=5 -resign movecount=3";
    let error = refused(&scene, line, 2);
    let advice = "  -engine: --engine KEY=VALUE…
  -each: --each KEY=VALUE…
  -rounds: --games N, with all games of a pairing (rounds × games); in a Swiss tournament --format swiss rounds=R
  -repeat: not needed: each opening is played with both colours
  -pgnout: --pgn FILE
  -openings: --openings FILE order=random|sequential start=N plies=N, or --openings random:PLIES
  -concurrency: --concurrency C
  -sprt: --sprt elo0=E elo1=E alpha=A beta=B model=M
  -resign: --resign movecount=N score=CP twosided=true";
    assert_eq!(error.split("\n\n").nth(1), Some(advice));
    for (line, advice) in [
        (
            "-engine cmd=a -engine cmd=b",
            "  -engine: --engine KEY=VALUE…\n\nUsage: referee match ",
        ),
        ("match a b --pgnout x", "  --pgnout: --pgn FILE\n"),
        ("match a b -srand 4", "  -srand: --seed S\n"),
        ("match a b -board", "  -board: --board\n"),
        ("play -variant gridlock", "  -variant: --variant\n"),
    ] {
        assert_has(refused(&scene, line, 2), advice);
    }
    assert_lacks(
        scene.referee("match a b -- -engine").stderr,
        "spelled differently",
    );
}

#[test]
fn engines_that_do_not_start_end_with_status_3_and_an_explanation() {
    let scene = Scene::new();
    scene.file("plain.txt", "hello");
    scene.script("no-interpreter", "#!/no/such/interpreter\n");
    scene.script("no-program", "hello");
    scene.bot("random", Bot::default());
    scene.bot("ends", Bot::greeting("echo 'no config' >&2; exit 4"));
    scene.bot("babbles", Bot::greeting("yes this is not an answer"));
    let isready = "exit 5";
    scene.bot(
        "unready",
        Bot {
            isready,
            ..Bot::default()
        },
    );
    let table = expect![[r#"
        ./nowhere | `./nowhere` does not exist: there is no file `nowhere` in /
        ./random/x | `./random/x` does not exist: there is no folder /
        ./no-program2 | did you mean `./no-program`?
        ./squares | the built-in player is called `squares`, without a folder
        nowhere | `nowhere` is neither a file nor a program in PATH nor a built-in player
        squaers | did you mean `squares`?
        ./plain.txt | `./plain.txt` is not executable; run `chmod +x ./plain.txt`
        . | `.` has no executable `run`; add a script that starts the bot
        ./no-interpreter | `./no-interpreter` needs `/no/such/interpreter`, which does not exist
        ./no-program | a script needs a shebang line such as `#!/usr/bin/env python3`
        ./ends | ends did not complete the handshake: it ended with exit status 4; on stderr: `no config`
        ./babbles | babbles did not complete the handshake: it wrote more than 8 MiB without an answer
        ./unready | unready did not complete the handshake: it ended with exit status 5
    "#]];
    assert_rows(table, |[engine]| {
        let error = refused(&scene, &format!("match {engine} ./random --out games.jsonl"), 3);
        assert!(
            !scene.path("games.jsonl").exists(),
            "{engine} left an empty result file"
        );
        joined(&error)
    });
    scene.assert_no_bot_left();
}

#[test]
fn a_wrong_command_leaves_an_existing_result_file_alone() {
    let scene = Scene::new();
    scene.file("games.jsonl", "precious\n");
    scene.assert_refused(
        "match random random --out games.jsonl",
        expect! {"it is not a result file, so it is not overwritten"},
    );
    assert_eq!(scene.text("games.jsonl"), "precious\n");
}

#[test]
fn a_closed_output_stops_the_match_with_status_4() {
    let scene = Scene::new();
    let mut command = scene.command("match random random --games 1000 --each st=1");
    run_without_stdout(&mut command).exits(4);
}

#[test]
fn a_signal_ends_the_match_and_keeps_finished_games() {
    for (signal, status, word) in [
        (Signal::INT, 130, "interrupted"),
        (Signal::TERM, 143, "terminated"),
    ] {
        let scene = Scene::new();
        let go = "[ $games = 2 ] && { trap '' TERM; touch thinking; sleep 60; touch slept; }; echo bestmove a$thinks";
        scene.bot("one", Bot::thinking(go));
        scene.bot("other", Bot::thinking(COLUMN_H));
        let referee = scene.start("match ./one ./other --games 3 --each st=100 --out games.jsonl");
        scene.wait_for_file("thinking");
        let outcome = referee.end_by(signal).exits(status);
        assert!(!scene.path("slept").exists());
        assert_eq!(outcome.stderr, format!("referee: {word}\n"));
        outcome.shows(expect! {"Score of one vs other: 1 - 0 - 0 [1.000] 1"});
        assert_eq!(scene.records().len(), 1);
        scene.assert_no_bot_left();
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn the_handshake_may_take_ten_seconds() {
        let scene = Scene::new();
        scene.bot(
            "mute",
            Bot::greeting("while :; do echo still thinking; sleep 0.5; done"),
        );
        let outcome = scene.referee("match random ./mute").exits(3);
        assert!(outcome.took.as_secs() >= 10, "{:?}", outcome.took);
        let lines = Regex::new("[0-9]+ lines").unwrap();
        expect![[r#"
            referee: mute did not complete the handshake: it sent no `uciok` within 10.000 s; it wrote N lines, the last of them `still thinking`; the answer is `uciok`
              `starttime=SECONDS` gives a slow starter more time
        "#]]
        .assert_eq(&lines.replace(&outcome.stderr, "N lines"));
        scene.assert_no_bot_left();
    }
}
