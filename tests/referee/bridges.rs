//! Engines of other protocols (`proto`): shell scripts that speak them, and engines from packages if they are
//! installed.

use std::path::Path;
use std::process::Command;

use crate::recorded::text;
use crate::support::{Scene, assert_has, assert_lacks, assert_rows, assert_starts, expect};

/// A script for each protocol that fills the first column from the top, and logs what it receives.
/// `WHEN` runs instead of its first answer.
fn engine(protocol: &str, at_first: &str) -> String {
    let [begin, answer, rest] = match protocol {
        "gtp" => [
            "",
            "genmove) move \"= A\";;",
            "list_commands) printf '= genmove\\nplay\\ntime_settings\\ntime_left\\n\\n';;
             name) printf '= Column\\n\\n';;
             clear_board) n=8; printf '= \\n\\n';;
             *) printf '= \\n\\n';;",
        ],
        "xboard" => [
            "",
            "go|usermove) [ \"$forced\" ] && [ $cmd = usermove ] || { forced=; move 'move a'; };;",
            "protover) echo 'feature done=0 usermove=1 ping=1 myname=\"Column\"'; echo 'feature done=1';;
             force) forced=1;; new) n=8;;
             ping) echo pong $rest;;",
        ],
        "usi" | "ucci" | "uai" => [
            "",
            "go) echo 'info depth 1 score cp 3 pv 1a1b'; move 'bestmove ';;",
            "usi|ucci|uai) echo 'id name Column'; echo 'option usemillisec type check default false'; echo ${cmd}ok;;
             setoption) [ \"$rest\" = newgame ] && n=8;; usinewgame|uainewgame) n=8;; isready) echo readyok;;",
        ],
        _ => [
            "",
            "BEGIN|TURN) move '0,';;",
            "START) n=8; echo OK;; ABOUT) echo 'name=\"Column\"';; END) exit;;",
        ],
    };
    let row = match protocol {
        // The rows of Gomocup count from 0.
        "gomocup" => "$((n-1))",
        "ucci" => "a$((8-n))a$((9-n))",
        "uai" => "a$((9-n))a$((10-n))",
        // In shogi, letters count from the top, and columns from the right.
        "usi" => "9$(echo jihgfedcba | cut -c $((9-n)))9$(echo ihgfedcba | cut -c $((9-n)))",
        _ => "$n",
    };
    let end = if protocol == "gtp" { "; echo" } else { "" };
    format!(
        "#!/bin/sh
n=8; forced=
{begin}
move() {{ {at_first}
  echo \"$1{row}\"{end}; n=$((n-1)); }}
while read -r cmd rest; do
  echo \"$cmd${{rest:+ $rest}}\" >> \"$0.received\"
  case $cmd in
    {answer}
    {rest}
    quit) exit;;
  esac
done
"
    )
}

/// Plays one game, the engine first, against a bot that fills the last column.
fn play(scene: &Scene, protocol: &str, at_first: &str, settings: &str) -> serde_json::Value {
    scene.script("engine", &engine(protocol, at_first));
    scene.columns();
    let players = format!(
        "--engine cmd=./engine proto={protocol} {settings} --engine cmd=./other --each timemargin=5000"
    );
    scene
        .referee(&format!("match {players} --games 1 --quiet --out games.jsonl"))
        .exits(0);
    scene.records().remove(0)
}

#[test]
fn engines_of_three_protocols_play_and_are_told_their_time() {
    for (protocol, limits, told) in [
        ("gtp", "st=3", "time_settings 0 3 1 | play w H1 | genmove b"),
        ("gtp", "tc=60+1", "time_settings 60 0 0 | time_left b 60 0"),
        ("gtp", "tc=0.9+9", "time_settings 1 0 0 | time_left b 1 0"),
        ("xboard", "st=3", "st 3"),
        ("xboard", "st=0.5", "level 1 0:01 0 | time 50"),
        (
            "xboard",
            "tc=40/60+0.5",
            "level 40 1:00 0.500 | time 6000 | otim 300",
        ),
        ("gomocup", "st=3", "INFO timeout_turn 3000"),
        ("gomocup", "tc=60", "INFO timeout_match 60000"),
    ] {
        let scene = Scene::new();
        let record = play(&scene, protocol, "", limits);
        let end = ["result", "reason"].map(|field| text(&record, field));
        assert_eq!(end, ["1-0", "five"], "{protocol}: {record}");
        let received = scene.received("engine");
        for line in told.split(" | ") {
            assert!(received.iter().any(|known| known == line), "{line}: {received:?}");
        }
    }
}

#[test]
fn an_engine_that_moves_second_is_told_its_own_side_and_clock() {
    for (protocol, told) in [
        ("gtp", ["play b H1", "time_left w 60 0", "genmove w"]),
        ("xboard", ["time 6000", "usermove h1", "usermove h2"]),
        ("gomocup", ["INFO time_left 60000", "TURN 7,0", "TURN 7,1"]),
    ] {
        let scene = Scene::new();
        scene.script("engine", &engine(protocol, ""));
        scene.columns();
        let line = format!(
            "match --engine cmd=./other tc=90 --engine cmd=./engine proto={protocol} tc=60 --each timemargin=5000 \
             --games 1 --quiet --out games.jsonl"
        );
        scene.referee(&line).exits(0);
        let received = scene.received("engine");
        for line in told {
            assert!(received.iter().any(|known| known == line), "{line}: {received:?}");
        }
    }
}

#[test]
fn an_engine_is_told_its_depth_and_clock_in_each_game() {
    let scene = Scene::new();
    scene.script("engine", &engine("xboard", ""));
    scene.columns();
    let players = "--engine cmd=./engine proto=xboard depth=3 tc=60 --engine cmd=./other";
    scene
        .referee(&format!(
            "match {players} --each timemargin=5000 --games 2 --quiet"
        ))
        .exits(0);
    let received = scene.received("engine");
    let games: Vec<&[String]> = received.split(|line| line == "new").skip(1).collect();
    assert!(games.len() >= 2, "{received:?}");
    for told in ["sd 3", "level 0 1:00 0"] {
        let mut counts = games
            .iter()
            .map(|game| game.iter().filter(|line| *line == told).count());
        assert!(counts.all(|count| count == 1), "{told}: {received:?}");
    }
}

#[test]
fn a_check_has_the_words_of_the_protocol() {
    let scene = Scene::new();
    scene.script("engine", &engine("gtp", ""));
    let only = "--only handshake --only long-game --only stop";
    let outcome = scene
        .referee(&format!("check --proto gtp {only} ./engine"))
        .exits(1);
    for shown in [
        "answers `protocol_version`",
        "  play b ",
        "  genmove ",
        "not checked of programs that speak GTP",
    ] {
        outcome.shows(shown);
    }
    assert_lacks(&outcome.stdout, "uci");
    scene
        .referee("check --proto ugi --only handshake lodestone")
        .exits(0)
        .shows(expect! {"answers `ugi` with `ugiok`"});
}

/// A game on the board of xiangqi: the pieces walk towards each other's side, along the first and the last column. The
/// first player wins with its third step.
const WALK: &str = r#"
from referee import rules

class Walk:
    name = "Walk"

    def start(self):
        return 1, 10, True

    def turn(self, position):
        return position[2]

    def moves(self, position):
        first, second, turn = position
        return [f"a{first}a{first + 1}" if turn else f"i{second}i{second - 1}"]

    def play(self, position, move):
        first, second, turn = position
        return first + turn, second - (not turn), not turn

    def result(self, position):
        return "1-0" if position[0] == 4 else "*"

    def fen(self, position):
        first, second, turn = position
        return f"{first}/{second} {'w' if turn else 'b'}"

    def from_fen(self, text):
        pieces, side = text.split()
        first, second = map(int, pieces.split("/"))
        return first, second, side == "w"

    def grid(self, position):
        cell = lambda column, row: "x" if (column, row) == ("a", position[0]) else "."
        rows = range(10, 0, -1)
        return list("abcdefghi"), [str(row) for row in rows], [cell(column, row) for row in rows for column in "abcdefghi"]

rules.run(Walk())
"#;

/// Plays one game of the walk, the engine first. Its settings may follow the protocol.
fn walk(protocol: &str, at_first: &str, settings: &str) -> (Scene, serde_json::Value) {
    let scene = Scene::new();
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python");
    let python = python.display();
    let begin = format!("#!/usr/bin/env python3\nimport sys\nsys.path.insert(0, '{python}')\n");
    scene.script("walk.py", &(begin + WALK));
    let (name, _) = protocol.split_once(' ').unwrap_or((protocol, ""));
    scene.script("engine", &engine(name, at_first));
    scene.file("book", "1/9 w\n");
    let line = format!(
        "match --engine cmd=./engine proto={protocol} --engine cmd=random --each timemargin=5000 {settings} \
         --rules ./walk.py --games 1 --quiet --out games.jsonl"
    );
    scene.referee(&line).exits(0);
    let record = scene.records().remove(0);
    (scene, record)
}

#[test]
fn engines_of_shogi_and_xiangqi_are_told_positions_and_time() {
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    for (protocol, limits, told) in [
        (
            "ucci",
            "st=3",
            &format!(
                "setoption usemillisec true | position fen {start} moves a0a1 i9i8 | go time 3000 movestogo 1"
            ),
        ),
        (
            "ucci",
            "tc=60+1",
            &"go time 60000 increment 1000 opptime 60000 oppincrement 1000".to_string(),
        ),
        (
            "ucci",
            "tc=40/60",
            &"go time 60000 movestogo 40 opptime 60000".to_string(),
        ),
        (
            "ucci",
            "st=3 --openings book",
            &"position fen 1/9 w moves a0a1 i8i7".to_string(),
        ),
        (
            "usi",
            "st=3",
            &"position startpos moves 9j9i 1a1b | go btime 0 wtime 0 byoyomi 3000".to_string(),
        ),
        (
            "usi option.usemillisec=true",
            "tc=60",
            &"setoption name usemillisec value true | go btime 60000 wtime 60000 byoyomi 0".to_string(),
        ),
    ] {
        let (scene, record) = walk(protocol, "", limits);
        let end = ["result", "reason"].map(|field| text(&record, field));
        assert_eq!(end, ["1-0", "rules"], "{protocol}: {record}");
        let received = scene.received("engine");
        for line in told.split(" | ") {
            assert!(received.iter().any(|known| known == line), "{line}: {received:?}");
        }
    }
}

#[test]
fn engines_of_shogi_and_xiangqi_resign_and_answer_nonsense() {
    let table = expect![[r#"
        ucci | echo nobestmove; return | resign | engine resigned
        ucci | echo bestmove a0a1 resign; return | resign | engine resigned
        usi | echo bestmove resign; return | resign | engine resigned
        ucci | echo bestmove a0; return | crash
            | engine answered `go time 3000 movestogo 1` with `bestmove a0`, which is not a move such as `h2e2`
        usi | echo bestmove win; return | crash
            | engine answered `go btime 0 wtime 0 byoyomi 3000` with `bestmove win`: it claims a win, which the rules
        ucci | echo bestmove a0a2; return | illegal | engine played a1a3, which is illegal
    "#]];
    assert_rows(table, |[protocol, at_first, reason]| {
        let (_, record) = walk(protocol, at_first, "st=3");
        let end = ["result", "reason"].map(|field| text(&record, field));
        assert_eq!(end, ["0-1", reason], "{protocol} {at_first}: {record}");
        text(&record, "detail").into()
    });
}

#[test]
fn what_an_engine_does_wrong_has_its_own_line() {
    let table = expect![[r#"
        gtp | printf '= banana\n\n'; return | crash
            | engine answered `genmove b` with `banana`, which is not a cell such as `D4`
        gtp | printf '? unknown command\n\n'; return | crash
            | engine answered `genmove b` with `? unknown command`
        gtp | printf '= D4\n\n'; return | illegal | engine played d4, which is illegal
        gtp | echo 'cannot open patterns.db'; exit 3 | crash
            | engine ended with exit status 3 after `genmove b`; its last line was `cannot open patterns.db`
        gtp | echo 'IndexError: no row' >&2; exit 1 | crash
            | engine ended with exit status 1 after `genmove b`; on stderr: `IndexError: no row`
        gtp | kill -SEGV $$ | crash | engine was ended by signal 11 (SIGSEGV) after `genmove b`
        xboard | echo 'Error (unknown command): go'; return | crash
            | engine answered `go` with `Error (unknown command): go`
        xboard | echo 'move Nf3x'; return | crash
            | engine answered `go` with `move Nf3x`, which is not a move such as `e2e4`
        gomocup | echo 'ERROR no board'; return | crash
            | engine answered `BEGIN` with `ERROR no board`, which is not a cell such as `3,3`
        gtp | printf '= resign\n\n'; return | resign | engine resigned
        xboard | echo resign; return | resign | engine resigned
        xboard | echo '0-1 {White resigns}'; return | resign | engine resigned
    "#]];
    assert_rows(table, |[protocol, at_first, reason]| {
        let scene = Scene::new();
        let record = play(&scene, protocol, at_first, "st=3");
        let end = ["result", "reason"].map(|field| text(&record, field));
        assert_eq!(end, ["0-1", reason], "{protocol} {at_first}: {record}");
        text(&record, "detail").into()
    });
}

#[test]
fn the_transcript_shows_both_sides_of_a_bridge_and_a_stall_its_last_line() {
    let scene = Scene::new();
    scene.script("engine", &engine("gtp", "echo thinking; sleep 9"));
    scene.columns();
    let line = "match --engine cmd=./engine proto=gtp --engine cmd=./other --each st=0.2 timemargin=0 --games 1 \
                --quiet --out games.jsonl";
    scene.referee(line).exits(0);
    let record = scene.records().remove(0);
    let detail = "engine sent no move within 0.200 s; it wrote ";
    assert_starts(text(&record, "detail"), detail);
    assert!(
        text(&record, "detail").contains("`thinking`; it was asked `genmove b`"),
        "{record}"
    );
    let transcript = scene.text("games.faults/game-000001-engine-stall.txt");
    for line in [
        "> engine: position startpos",
        "info string > genmove b",
        "info string < thinking",
    ] {
        assert!(transcript.contains(line), "{line}: {transcript}");
    }
    // The response to a command that was done says nothing.
    assert!(!transcript.contains("info string < =\n"), "{transcript}");
    scene.script("engine", &engine("gtp", "sleep 9"));
    scene
        .referee(&line.replace("games.jsonl", "silent.jsonl"))
        .exits(0);
    assert_has(
        text(&scene.results("silent.jsonl")[1], "detail"),
        expect! {"it has written nothing since `genmove b`"},
    );
}

/// It is first taken for an engine of version 1, which has no features.
#[test]
fn an_engine_whose_features_come_late_is_told_moves_as_it_wants_them() {
    for (players, pings) in [
        (
            "--engine cmd=./engine proto=xboard --engine cmd=./other",
            "ping=1",
        ),
        (
            "--engine cmd=./other --engine cmd=./engine proto=xboard",
            "ping=0",
        ),
    ] {
        let scene = Scene::new();
        let mut script = engine("xboard", "").replace("ping=1", pings);
        if pings == "ping=0" {
            script = script.replace("ping) echo pong", "ping) echo Error: unknown command:");
        }
        scene.script(
            "engine",
            &script.replace("n=8; forced=\n", "n=8; forced=\nsleep 4\n"),
        );
        scene.columns();
        let line = format!("match {players} --each st=30 --games 1 --quiet --out games.jsonl");
        scene.referee(&line).exits(0);
        let record = scene.records().remove(0);
        let end = ["result", "reason"].map(|field| text(&record, field));
        assert_eq!(end, ["1-0", "five"], "{pings}: {record}");
        let received = scene.received("engine");
        assert!(
            received.iter().any(|line| line.starts_with("usermove ")),
            "{received:?}"
        );
    }
}

#[test]
fn an_engine_without_features_is_told_moves_without_a_word_before_them() {
    let scene = Scene::new();
    let script = engine("xboard", "").replace("protover)", "new-protover)");
    let script = script.replace("go|usermove)", "go|[a-h][1-8])");
    scene.script("engine", &script.replace("$cmd = usermove", "$cmd != go"));
    scene.columns();
    let players = "--engine cmd=./engine proto=xboard --engine cmd=./other";
    let line = format!("match {players} --each st=30 --games 1 --quiet --out games.jsonl");
    scene.referee(&line).exits(0);
    let record = scene.records().remove(0);
    let end = ["result", "reason"].map(|field| text(&record, field));
    assert_eq!(end, ["1-0", "five"], "{record}");
}

#[test]
fn an_engine_that_plays_one_game_only_is_named_without_words_of_uci() {
    let scene = Scene::new();
    let once = engine("gomocup", "").replace(
        "n=8; echo OK",
        "[ \"$used\" ] && echo ERROR used || { used=1; echo OK; }",
    );
    scene.script("engine", &once);
    let found = scene.referee("check --proto gomocup ./engine").exits(1).stdout;
    let found = found.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_has(
        &found,
        expect! {"engine answered `START 15` with `ERROR used`, expected `OK` expected an answer to `START 15` within 10 s, also in the next game"},
    );
    scene.columns();
    let players = "--engine cmd=./other --engine cmd=./engine proto=gomocup";
    scene
        .referee(&format!("match {players} --each st=60 --games 2 --quiet"))
        .exits(0)
        .says(expect! {"Between two games, engine answered `START 15` with `ERROR used`, expected `OK`; it is restarted"});
}

#[test]
fn an_engine_that_ends_at_its_start_is_named_with_its_line() {
    let scene = Scene::new();
    scene.columns();
    let table = expect![[r#"
        xboard | read x; read y; echo 'No book'; exit 2
            | it ended with exit status 2 after `protover 2`; its last line was `No book`
        gtp | read x; printf '? unknown command\n\n'; sleep 9
            | it answered `protocol_version` with `? unknown command`
        gtp | read x; printf '= 2\n\n'; read x; printf '? no list\n\n'; sleep 9
            | it answered `list_commands` with `? no list`
        usi | exit 0 | it ended with exit status 0 after `usi`
    "#]];
    assert_rows(table, |[protocol, script]| {
        scene.script("engine", &format!("#!/bin/sh\n{script}\n"));
        let line =
            format!("match --engine cmd=./engine proto={protocol} --engine cmd=./other --games 1 --quiet");
        scene.referee(&line).exits(3).stderr
    });
    let line = "match --engine cmd=random proto=gtp --engine cmd=./other --quiet";
    scene
        .referee(line)
        .exits(2)
        .says(expect! {"`random` speaks UCI and UGI, not gtp"});
}

#[test]
fn a_game_that_begins_elsewhere_is_refused_before_it() {
    let scene = Scene::new();
    scene.script("engine", &engine("gtp", ""));
    scene.columns();
    // The first games could be played.
    scene.file("book", "startpos\na8\n8/8/8/8/8/8/8/x6o x moves a8\n");
    for protocol in ["gtp", "xboard", "gomocup"] {
        scene.script("engine", &engine(protocol, ""));
        let game = format!(
            "match --engine cmd=./engine proto={protocol} --engine cmd=./other --games 2 --each st=9 --quiet"
        );
        scene
            .referee(&format!("{game} --openings book"))
            .exits(3)
            .says(expect! {"engine plays from the start position only, because it cannot be told another one, but an opening is `8/8/8/8/8/8/8/x6o x moves a8`; openings of moves, `startpos moves …`, work"});
        scene.referee(&format!("{game} --openings random:4")).exits(0);
    }
}

#[test]
fn a_ladder_leaves_out_who_cannot_be_told_its_openings() {
    let scene = Scene::new();
    scene.folder("all/ann");
    scene.script("all/ann/run", &engine("gtp", ""));
    scene.file("all/ann/proto.toml", "proto = \"gtp\"\n");
    scene.file("book", "8/8/8/8/8/8/8/x6o x\n");
    let ladder = "ladder all random squares --sandbox=off --games 2 --each st=60 --quiet";
    scene
        .referee(&format!("{ladder} --openings book --out fens.jsonl"))
        .exits(0)
        .says(expect! {"not in this run: ann: plays from the start position only, because it cannot be told another one"});
    let outcome = scene
        .referee(&format!("{ladder} --openings random:4 --out moves.jsonl"))
        .exits(0);
    assert!(!outcome.stderr.contains("not in this run"), "{}", outcome.stderr);
}

#[test]
fn what_a_protocol_cannot_say_is_said_once() {
    let scene = Scene::new();
    scene.script("engine", &engine("gtp", ""));
    scene.columns();
    let line = "match --engine cmd=./engine proto=gtp depth=3 --engine cmd=./other --each st=1.5 timemargin=5000 \
                --games 4 --quiet";
    let outcome = scene.referee(line).exits(0);
    expect![[r#"
        referee: warning: engine is not told `depth` and `nodes`: GTP has no such limits
        referee: warning: engine is told 1 s for a move of 1.500 s: GTP counts whole seconds
    "#]]
    .assert_eq(&outcome.messages());
}

#[test]
fn a_file_in_the_folder_of_a_submission_says_the_protocol() {
    let scene = Scene::new();
    scene.columns();
    scene.folder("all/ann");
    scene.script("all/ann/run", &engine("gtp", ""));
    scene.file("all/ann/proto.toml", "proto = \"gtp\"\n");
    let line = "match all/ann other --games 1 --each st=3 timemargin=5000 --quiet --out games.jsonl";
    scene.referee(line).exits(0);
    assert_eq!(scene.results("games.jsonl")[0]["engines"][0]["proto"], "gtp");
    assert_eq!(text(&scene.records()[0], "reason"), "five");
    scene
        .referee("check --only handshake --only startpos --only whole-game all/ann")
        .shows(expect! {"Magnetic Cave, GTP"});
    scene.file(
        "all/ann/proto.toml",
        "proto = \"gtp\"\ninit = [\"time_left b 9 0\", \"kgs-rules x\"]\n",
    );
    scene
        .referee("match all/ann other --games 1 --quiet")
        .exits(3)
        .says(expect! {"it has no command `kgs-rules`, with which a line of `init` begins"});
    scene.file("all/ann/proto.toml", "proto = \"gpt\"\n");
    scene.script("all/bob", "");
    scene
        .referee("match --engines all --engine cmd=./other --quiet")
        .says(expect! {"`proto`: expected `uci`, `ugi`, `gtp`, `xboard`, `usi`, `ucci`, `gomocup` or `uai`"});
}

/// Whether this program is installed, and Python has this module.
fn has(program: &str, module: &str) -> bool {
    let is_there = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path)
            .chain(["/usr/games".into()])
            .any(|folder| folder.join(program).is_file())
    });
    let import = format!("import {module}");
    let python = Command::new("python3").args(["-c", &import]).output();
    let has_module = python.is_ok_and(|output| output.status.success());
    if !is_there || !has_module {
        println!("SKIPPED: {program} or the Python module {module} is not installed");
    }
    is_there && has_module
}

#[test]
fn scores_are_those_of_the_protocol() {
    for (protocol, line, score) in [
        ("usi", "info depth 3 score mate 3 pv 7g7f", "win 3"),
        ("usi", "info score mate -", "loss 999"),
        ("ucci", "info depth 6 score -4 pv b0c2", "cp -4"),
        ("uai", "info score cs 120 depth 2", "cp 120"),
        ("xboard", "9 100003 5 100 e2e4", "win 5"),
        ("xboard", "9 -45 5 100 e2e4", "cp -45"),
    ] {
        let say = format!("echo '{line}'");
        let record = match protocol {
            "xboard" => play(&Scene::new(), protocol, &say, "st=9"),
            _ => walk(protocol, &say, "st=9").1,
        };
        assert_eq!(record["score"][0], score, "{protocol}: {record}");
    }
}

#[test]
fn stones_on_the_board_have_their_owners() {
    let scene = Scene::new();
    scene.script("engine", &engine("gomocup", ""));
    scene.columns();
    scene.file("book", "startpos moves h1 h2\n");
    let line = "match --engine cmd=./engine proto=gomocup --engine cmd=./other --openings book --games 2 --each st=9 \
                timemargin=5000 --quiet --out games.jsonl";
    scene.referee(line).exits(0);
    let received = scene.received("engine");
    let board = received.iter().position(|line| line == "BOARD").unwrap();
    assert_eq!(received[board..board + 4], ["BOARD", "7,0,1", "7,1,2", "DONE"]);
}

#[test]
fn a_brain_may_write_spaces_and_facts_with_its_cell() {
    let scene = Scene::new();
    let spaced = engine("gomocup", "").replace("move '0,'", "move '0 , '");
    scene.script(
        "engine",
        &spaced.replace("\"$1$((n-1))\"", "\"$1$((n-1)) eval 3,5\""),
    );
    scene.columns();
    let line = "match --engine cmd=./engine proto=gomocup --engine cmd=./other --each timemargin=5000 --games 1 \
                --quiet --out games.jsonl";
    scene.referee(line).exits(0);
    assert_eq!(text(&scene.records()[0], "reason"), "five");
}

#[test]
fn what_a_chinese_or_gomoku_engine_is_not_told_is_said() {
    for (protocol, settings, messages) in [
        (
            "gomocup",
            "tc=60+1 depth=3",
            expect![[r#"
                referee: warning: engine is not told `depth` and `nodes`: Gomocup has no such limits
                referee: warning: engine is told the time on its clock, but not what is added later: Gomocup cannot express it
            "#]],
        ),
        (
            "gtp",
            "tc=0.9+9",
            expect![[r#"
                referee: warning: engine is told the time on its clock, but not what is added later: GTP cannot express it
                referee: warning: engine is told 1 s for a clock of 0.900 s: GTP counts whole seconds
            "#]],
        ),
    ] {
        let scene = Scene::new();
        scene.script("engine", &engine(protocol, ""));
        scene.columns();
        let line = format!(
            "match --engine cmd=./engine proto={protocol} {settings} --engine cmd=./other --each timemargin=5000 \
             --games 1 --quiet"
        );
        let outcome = scene.referee(&line).exits(0);
        messages.assert_eq(&outcome.messages());
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn engines_of_packages_play_whole_games() {
        let rules = |name: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../examples/rules")
                .join(name);
            path.display().to_string()
        };
        let chess = rules("python_chess.py");
        let shogi = format!("{} option.UCI_Variant=shogi", rules("pyffish_rules.py"));
        let xiangqi = format!("{} option.UCI_Variant=xiangqi", rules("pyffish_rules.py"));
        let go = format!("{} option.game=go(board_size=9)", rules("openspiel.py"));
        for (command, settings, module, rules) in [
            ("phalanx", "proto=xboard", "chess", &chess),
            ("sjeng", "proto=xboard", "chess", &chess),
            ("hoichess", "proto=xboard", "chess", &chess),
            ("fairymax", "proto=xboard", "chess", &chess),
            ("gnuchess --xboard", "proto=xboard", "chess", &chess),
            ("gpsusi", "proto=usi starttime=60", "pyffish", &shogi),
            ("eleeye", "proto=ucci", "pyffish", &xiangqi),
            (
                "gnugo --mode gtp --level 1",
                "proto=gtp option.size=9",
                "pyspiel",
                &go,
            ),
        ] {
            let program = command.split(' ').next().unwrap_or_default();
            if !has(program, module) {
                continue;
            }
            let scene = Scene::new();
            scene.script(
                "engine",
                &format!("#!/bin/sh\nPATH=$PATH:/usr/games exec {command}\n"),
            );
            let line = format!(
                "match --engine cmd=./engine {settings} --engine cmd=random --each st=1 timemargin=5000 \
                 --rules {rules} --games 2 --max-plies 400 --quiet --out games.jsonl"
            );
            scene.referee(&line).exits(0);
            for record in scene.records() {
                let reason = text(&record, "reason").to_string();
                assert!(
                    ["rules", "resign", "limit"].contains(&reason.as_str()),
                    "{program}: {record}"
                );
            }
        }
    }
}
