//! The commands of the prompt, broken input at every question, and people in a match,
//! through pipes.

use std::fs;
use std::thread;
use std::time::Duration;

use lodestone_game::Variant;
use lodestone_game::random::Random;
use serde_json::Value;

use crate::driver::{Driver, TWO_PEOPLE};
use crate::recorded::{moves, text};
use crate::support::{
    Bot, COLUMN_H, Expect, Scene, Script, assert_ends, assert_has, assert_in_order, expect, joined, run,
    run_with_bytes, sentence_of,
};

const GRID: &str = "play --variant gridlock --first human --second human --pieces 1 --turns 2 --seed 4";

/// A game of Gridlock with a piece in two corners.
const SLIDE: &str = "variant: gridlock\nstart: x6/7/7/7/7/7/6o x 0 40\n";

/// The input of a whole game of Magnetic Cave that the first player wins.
const COLUMNS: &str = "a1\nh1\na2\nh2\na3\nh3\na4\nh4\na5\n";

/// Follows a script, and ends the input. Returns the whole output.
#[track_caller]
fn talk(scene: &Scene, line: &str, script: impl Script) -> String {
    let mut program = Driver::through_pipes(scene, line);
    program.talk(script);
    program.close();
    program.ends(0)
}

#[test]
fn help_lists_every_command_and_rules_explain_each_game() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "help\n?\nHELP\n").succeeds();
    assert_eq!(outcome.stdout.matches("Type a move such as A6, or:").count(), 3);
    for command in "rules hint why undo moves list board flip swap level save load new resign help".split(' ')
    {
        outcome.shows(format!("\n  {command} "));
    }
    let script = expect![[r#"
        > hnit
        did you mean `hint`?
        > hint 2
        `hint` takes no argument; found `2`
        > rules
        Magnetic Cave
        B6 is not: it touches neither a wall nor a brick.
        Five or more bricks of one colour in a row
        7 · · ·(■ ■ ■ ■ ■)7
        Here ■ wins with five in line, D7 to H7.
        Player 1 (■), your move:
    "#]];
    talk(&scene, TWO_PEOPLE, script);
    let script = expect![[r#"
        > rules
        type g4g5, or first g4 and then g5.
        The space of X is b3, c2, d4, e3, e5 and f4; that of O is a3, a5, b5, c1, c6 and d7.
        Player 1 (X), choose piece to move:
        > moves
        2 turns are left.
        moves:
        > board
        2 turns are left.
    "#]];
    talk(&scene, GRID, script);
    for variant in Variant::ALL {
        let info = variant.info();
        let example = variant.parse_fen(info.example.0).unwrap();
        assert!(example.outcome().is_some(), "{variant}: a finished game");
        assert!(!info.rules.is_empty());
    }
}

#[test]
fn hint_and_why_ask_the_adviser_and_the_opponent() {
    let scene = Scene::new();
    // The first player threatens five in column a.
    let script = expect![[r#"
        > a1 h1 a2 h2 a3 h3 a4
        > hint
        Hint: A5, says lodestone; `why` shows its score and line.
        > why
        lodestone, asked now, expects:
        Line: A5
    "#]];
    talk(&scene, TWO_PEOPLE, script);
    let script = expect![[r#"
        > a1 b1 a2 b2 a3 b3 a4 b4
        > why
        lodestone, asked now, expects: Player 1 (■) wins with the next move. That is proven.
        Line: A5
    "#]];
    talk(&scene, TWO_PEOPLE, script);
    let go = "echo info depth 3 score loss 4 pv h8 a1 h7 a2; echo bestmove h8";
    let bot = scene.bot("bot", Bot::thinking(go));
    let script = expect![[r#"
        > why
        bot, which played H8, expects: Player 2 (□) wins in 4 plies on this line. That is proven.
        Line: H8 A1 H7 A2
        lodestone, asked now, expects:
    "#]];
    talk(&scene, &format!("play --first {bot} --second human"), script);
}

#[test]
fn moves_and_list_show_the_moves() {
    let script = expect![[r#"
        > list
        No moves have been played.
        > a8
        > moves
        8[■]+ · · · · · + 8
        7 + · · · · · · + 7
        16 moves: B8 H8 A7 H7 A6
        > h1 a2
        > list
        1. A8 H1 2. A2
    "#]];
    talk(&Scene::new(), TWO_PEOPLE, script);
}

#[test]
fn undo_takes_back_the_moves_of_a_person() {
    let scene = Scene::new();
    let script = expect![[r#"
        > undo
        You have no move to take back.
        > a1
        > undo
        Taken back: A1
        Player 1 (■), your move:
        > a2 h1
        > undo
        Taken back: H1
        Player 2 (□), your move:
        > h1 a3 h2
        > undo 5
        You have only 4 moves to take back.
        > undo 3
        Taken back: H1 A3 H2
        Player 2 (□), your move:
        > undo 0
        `undo` takes a number of moves, such as `undo 3`; found `0`
        > list
        1. A2
    "#]];
    talk(&scene, TWO_PEOPLE, script);
    let bot = scene.bot("bot", Bot::default());
    let script = expect![[r#"
        > undo
        You have no move to take back.
        > h1
        Player 1 chose move: A2
        > undo
        Taken back: H1 A2
        > h2
        Player 2 chose move: H2
    "#]];
    talk(&scene, &format!("play --first {bot} --second human"), script);
    let received = scene.received("bot");
    let last = received.iter().rfind(|line| line.starts_with("position"));
    assert_eq!(
        last.unwrap(),
        "position startpos moves a1 h2",
        "the engine goes back as well"
    );
    let bot = scene.bot("bot", Bot::thinking(COLUMN_H));
    let script = expect![[r#"
        > a1 A2;a3
        move: A1
        move: H1
        move: A2
        move: H2
        move: A3
        move: H3
        > undo 2
        Taken back: A2 H2 A3 H3
        > list
        1. A1 H1
    "#]];
    talk(&scene, &format!("play --first human --second {bot}"), script);
}

#[test]
fn undo_new_and_again_work_after_the_end_of_a_game() {
    let script = expect![[r#"
        > 1
        > 2
        > a1 h1 a2 h2 a3 h3 a4 h4 a5
        5(■)· · · · · · · 5
        4(■)· · · · · · □ 4
        ■ has five in line, A5 to A1
        Player 1 won! Thank you for playing!
        > hint
        The game is over.
        > resign
        The game is over.
        > b1
        `b1` is not a command, and the game is over
        > undo
        Taken back: A5
        > b1
        Player 1 chose move: B1
        > resign
        Player 2 resigned
        Player 1 won! Thank you for playing!
        > undo
        The game continues.
        > b2
        Player 2 chose move: B2
        > resign
        Player 1 resigned
        Player 2 won! Thank you for playing!
        > again
        Magnetic Cave: Player 1 (■) against Player 2 (□).
        > a1
        Player 1 chose move: A1
        > flip
        1[■]· · · · · · · 1
        2 ·
        > new
        Magnetic Cave: Player 1 (■) against Player 2 (□).
        > list
        No moves have been played.
        > resign
        Player 2 won!
        or another command:
        > new
        > a1
        Player 1 chose move: A1
    "#]];
    talk(&Scene::new(), "", script);
}

#[test]
fn undo_restarts_an_engine_that_failed() {
    let scene = Scene::new();
    scene.bot(
        "bot",
        Bot::thinking("if first_start; then exit 3; else legal; fi"),
    );
    let script = expect![[r#"
        > 1
        > 1
        > black
        > ./bot
        > a1
        bot ended with exit status 3
        Player 1 won! Thank you for playing!
        > undo
        Taken back: A1
        > a2
        Player 1 chose move: A2
        Player 2 chose move: A1
        > why
        lodestone, asked now, expects:
    "#]];
    talk(&scene, "", script);
    scene.assert_no_bot_left();
}

#[test]
fn swap_and_level_change_the_opponent() {
    let scene = Scene::new();
    let script = expect![[r#"
        > swap
        You are now Player 2 (□).
        Player 1 chose move:
        > level
        The computer is random, 0.05 seconds per move
        1  beginner
        > level 7
        `7` is neither a level (1 to 6, or its name) nor a player nor a program
        > level mobility
        the built-in `mobility` does not play magnetic-cave
        > level human
        the computer cannot be `human`: expected a level, a player or a program
        > level ./nowhere
        `./nowhere` does not exist
        > level Expert
        The computer is expert: the engine, 1 second per move
        > level
        The computer is expert:
        > h8
        Player 2 chose move: H8
        > why
        lodestone, which played
        > undo
        > swap
        You are now Player 1 (■).
    "#]];
    talk(
        &scene,
        "play --first human --second random --st 0.05 --seed 1",
        script,
    );
    let outcome = scene
        .run_with_input(TWO_PEOPLE, "swap\nlevel\nlevel 3\n")
        .succeeds();
    assert_eq!(outcome.stdout.matches(": two people play.\n").count(), 3);
}

#[test]
fn saves_and_loads_a_game() {
    let scene = Scene::new();
    let script = expect![[r#"
        > a1 h1
        > save my game
        Saved to `my game`.
        > a2
        > save my game
        `my game` exists. Overwrite it? [y/N]
        > maybe
        Please answer y or n; `maybe` is neither.
        >
        Not saved.
        > save my game
        `my game` exists. Overwrite it? [y/N]
        > y
        Saved to `my game`.
        > save nowhere/game
        Not saved: `nowhere/game` cannot be written: No such file
        > save .
        Not saved: `.` cannot be written:
    "#]];
    talk(&scene, TWO_PEOPLE, script);
    expect![[r#"
        # A saved game; `load` continues it.
        variant: magnetic-cave
        first: human
        second: human
        start: 8/8/8/8/8/8/8/8 x
        moves: a1 h1 a2
    "#]]
    .assert_eq(&scene.text("my game"));
    let script = expect![[r#"
        > h8
        > load my game
        Loaded `my game`, a game with 3 moves.
        2[■]·
        > undo
        Taken back: A2
        Player 1 (■), your
    "#]];
    talk(&scene, TWO_PEOPLE, script);
    let script = expect![[r#"
        > load
        `load` needs an argument: `load FILE [N]`
        > load .
        `.` cannot be read: it is a folder, not a file
        > undo
        Please answer with a number from 1 to 2 or a name; `undo` is neither.
        > load my game
        Magnetic Cave: Player 1 (■) against Player 2 (□).
        2[■]·
        1 ■ · · · · · · □ 1
        Player 2 (□), your move:
    "#]];
    talk(&scene, "", script);

    scene.file(
        "bad",
        "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a1 c1\n",
    );
    scene.file("slide", SLIDE);
    let script = expect![[r#"
        > a1
        > load bad
        `bad`, line 3, move 2: c1 touches neither a wall nor a brick
        > load slide
        `slide` is a game of gridlock, but this is magnetic-cave;
        > load nothing
        `nothing` cannot be read: No such file
        > b1
        Player 2 chose move: B1
    "#]];
    talk(&scene, TWO_PEOPLE, script);
    let script = expect![[r#"
        > load slide
        > a1a2 g7 f7 a2-a3
        piece at a1 to a2
        piece at g7 to f7
        piece at a2 to a3
        > f7 f6 a1a2 f6f5
        piece at f7 to f6
        there is no piece on a1; the rest of the line, f6f5, is not played
    "#]];
    talk(&scene, GRID, script);
}

#[test]
fn the_menu_refuses_a_game_without_rules() {
    let scene = Scene::new();
    let header = r#"{"header":1,"variant":"pebbles","rules":{"name":"pebbles","cmd":["./pebbles"]},"seed":1,
        "schedule":{"format":"round-robin","games":2},"engines":[{"name":"a","cmd":"a"},{"name":"b","cmd":"b"}]}"#;
    let record = r#"{"id":1,"variant":"pebbles","round":1,"pair":1,"first":"a","second":"b","start":"startpos",
        "moves":["take1"],"opening_plies":0,"ms":[1],"score":[null],"result":"1-0","reason":"rules","detail":"a won"}"#;
    let lines = [header, record].map(|line| line.replace('\n', " "));
    fs::write(scene.path("games.jsonl"), lines.join("\n") + "\n").unwrap();
    let shown = scene
        .run_with_input("", "load games.jsonl\n1\n2\nquit\n")
        .succeeds();
    shown.shows(expect! {"Magnetic Cave: Player 1"});
    assert_has(
        joined(&shown.stdout),
        expect! {"`games.jsonl`: the rules of pebbles are those of a program; start it with `referee play --rules PROGRAM`"},
    );
}

#[test]
fn loads_games_of_results_and_pgn() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("[ $thinks = 3 ] && exit 3; legal"));
    let line = "match ./bot random --each st=1 --openings random:2 --out games.jsonl --pgn games.pgn --quiet";
    scene.referee(line).exits(0);
    let game = scene.records().remove(1);
    let (count, last) = (moves(&game).len(), moves(&game).pop().unwrap().to_uppercase());
    for name in ["games.jsonl", "games.pgn"] {
        let mut program = Driver::through_pipes(&scene, TWO_PEOPLE);
        program.enter(&format!("load {name} 2"));
        program.until(&format!("`{name}`: random against bot, {count} moves.\n"));
        program.enter("undo");
        program.until(&format!(": {last}\n"));
        let mut program = Driver::through_pipes(&scene, "");
        program.enter(&format!("load {name} 2"));
        program.talk(expect![[r#"
            > 1
            > white
            > 1
            you are Player 2
            > undo
            Taken back:
        "#]]);
    }
    let script = expect![[r#"
        > load games.jsonl
        `games.jsonl` holds games 1 to 2: write the number of a game after its name, such as `games.jsonl 1`
        > load games.pgn 3
        `games.pgn` has no game 3: it holds games 1 to 2
        > load games.jsonl x
        `games.jsonl x` cannot be read: No such file
        > load bot
        `bot`, line 2: expected `KEY: VALUE`, found `echo $$ >> "$0.pids"`; games are read from result
    "#]];
    talk(&scene, TWO_PEOPLE, script);
}

#[test]
fn file_names_accept_quotes_and_the_home_folder() {
    let scene = Scene::new();
    let mut command = scene.command(TWO_PEOPLE);
    command.env("HOME", scene.path(""));
    let input = "a1\nsave ~/first\nsave \"second game\"\nload 'first'\nload ~/second\\ game\n";
    let shown = run(&mut command, input).succeeds().stdout.replace('\n', " ");
    let parts = [
        "/first`. ",
        "Saved to `second game`. ",
        "Loaded `first`, ",
        "/second game`, ",
    ];
    assert_in_order(&shown, &parts);
    assert!(scene.path("first").is_file() && scene.path("second game").is_file());
}

#[test]
fn resigns_and_saves_nothing_at_the_end_of_input() {
    let scene = Scene::new();
    let script = expect![[r#"
        > a1
        > resign
        Player 2 resigned
        Player 1 won! Thank you for playing!
    "#]];
    talk(&scene, TWO_PEOPLE, script);
    scene
        .run_with_input(TWO_PEOPLE, "a1\nsave")
        .succeeds()
        .shows(expect! {"`save` needs an argument: `save FILE`"});
    assert_eq!(fs::read_dir(scene.path("")).unwrap().count(), 0);
}

#[test]
fn draws_the_board_with_what_the_terminal_supports() {
    let scene = Scene::new();
    let shown = |line: &str, variables: &[(&str, &str)]| {
        let mut command = scene.command(line);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variables.iter().copied());
        run(&mut command, "ä\nsave\na1\n").stdout
    };
    assert_has(shown(TWO_PEOPLE, &[]), "\n1[■]· ·");
    for (option, locale) in [(" --ascii", "C.UTF-8"), ("", "C"), ("", "de_DE.ISO-8859-1")] {
        let shown = shown(&format!("{TWO_PEOPLE}{option}"), &[("LC_ALL", locale)]);
        assert_has(&shown, "\n1[X]- -");
        assert!(shown.is_ascii(), "{shown}");
    }
    let (forced, off) = (("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1"));
    for (option, variables, is_coloured) in [
        ("", &[][..], false),
        (" --color always", &[], true),
        ("", &[forced], true),
        ("", &[forced, off], false),
        (" --color never", &[forced], false),
    ] {
        let shown = shown(&format!("{TWO_PEOPLE}{option}"), variables);
        let found = (shown.contains("\x1b[36m■"), shown.contains('\x1b'));
        assert_eq!(found, (is_coloured, is_coloured), "{option} {variables:?}");
    }

    // A match of engines is drawn plainly unless an option asks for more.
    let engines = "match random random --games 1 --each st=1";
    let plain = shown(engines, &[]);
    assert!(plain.contains("\n8 · · · ·") && !plain.contains("[■]") && !plain.contains('\x1b'));
    assert_has(shown(&format!("{engines} --color always"), &[]), "\x1b[36m■");
    assert_has(shown(&format!("{engines} --ascii"), &[]), "[X]");
}

/// A random line that answers no question: it holds a character that no answer has.
fn nonsense(random: &mut Random) -> String {
    const IN_NO_ANSWER: [&str; 8] = ["@", "ß", "中", "א", "\u{7f}", "\x1b[2J", "🧲", "\u{202e}"];
    const SIGNS: &str = "a,B,6, ,\t,-,`,{},\x07,\0,9999999999999999999,é,save,1";
    let signs: Vec<&str> = SIGNS.split(',').collect();
    let some = |random: &mut Random| -> String {
        (0..random.below(12))
            .map(|_| *random.choose(&signs).unwrap())
            .collect()
    };
    some(random) + random.choose(&IN_NO_ANSWER).unwrap() + &some(random)
}

/// Every question: the arguments and the input that lead to it, and its beginning.
fn questions() -> [(&'static str, &'static str, Expect); 14] {
    [
        ("", "", expect! {"Which game?"}),
        ("", "1\n", expect! {"One player or two?"}),
        ("", "1\n1\n", expect! {"Your colour:"}),
        ("", "2\n1\n", expect! {"Are you player 1"}),
        ("", "2\n2\n", expect! {"How many pieces does each side have"}),
        ("", "2\n2\n\n", expect! {"What is the turn limit"}),
        ("", "1\n1\n\n", expect! {"How strong is the computer?"}),
        ("", "1\n2\n", expect! {"Player 1 (■), your move:"}),
        ("", "2\n2\n\n\n", expect! {"Player 1 (X), choose piece to move:"}),
        (
            "",
            "load slide\n2\na1\n",
            expect! {"Choose the new position for a1:"},
        ),
        ("", "1\n2\nresign\n", expect! {"Enter quits; or type `again`"}),
        (
            TWO_PEOPLE,
            "save slide\n",
            expect! {"`slide` exists. Overwrite it?"},
        ),
        ("play", "", expect! {"Who moves first:"}),
        ("play", "human\n", expect! {"Who moves second:"}),
    ]
}

#[test]
fn every_question_survives_random_and_explains_broken_lines() {
    let long = "x".repeat(70_000);
    let broken: [&[u8]; 5] = [b"\xff\xfe", long.as_bytes(), b"\0", "шесть".as_bytes(), b"q"];
    for (number, (line, way, question)) in (0..).zip(questions()) {
        let scene = Scene::new();
        scene.file("slide", SLIDE);
        let question = &*sentence_of(&scene.run_with_input(line, way).succeeds().stdout, &question);
        let asked = |input: Vec<u8>| {
            let outcome =
                run_with_bytes(&mut scene.command(line), &[way.as_bytes(), &input].concat()).succeeds();
            let is_printable = |c: char| !c.is_control() || c == '\n';
            assert!(outcome.stdout.chars().all(is_printable), "{question}");
            let asked = outcome.stdout.lines().filter(|line| line.starts_with(question));
            (asked.count(), outcome.stdout)
        };
        let mut random = Random::new(number);
        let (count, shown) = asked(
            (0..1000)
                .flat_map(|_| (nonsense(&mut random) + "\n").into_bytes())
                .collect(),
        );
        assert_eq!(count, 1001, "{question}: {shown:.3000}");
        let (count, shown) = asked(broken.iter().flat_map(|line| [*line, b"\n"].concat()).collect());
        assert_eq!(count, 5, "{question}: {shown:.3000}");
        assert_in_order(
            &shown,
            &["That is not UTF-8 text.\n", "That line is too long.\n", "`шесть"],
        );
        assert!(shown.ends_with(" q\n"), "{question}");
    }
    let mut random = Random::new(1);
    let mut input: String = (0..1000).map(|_| nonsense(&mut random) + "\n").collect();
    input += "a1\nresign\n";
    let shown = Scene::new()
        .run_with_input("match human human --games 1", &input)
        .succeeds()
        .stdout;
    assert_eq!(shown.matches("human (■), your move:").count(), 1001);
}

#[test]
fn a_person_plays_a_match_without_a_clock() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking(COLUMN_H));
    let script = expect![[r#"
        Game 1 of 2: human (■) against bot (□)
        a b c
        human (■), your move:
        > help
        Type a move such as a6, or:
        rules
        > a1
        1. human (■) plays a1 in
        > hint
        This command is not available in a match.
        > board
        a b c d e f g h
        > undo
        > a2
        > level
        > a3
        > a4
        > a5
        1 ■ · · · · · · □ 1
        human (■) wins: ■ has five in line, a5 to a1 (1-0, five)
        Game 2 of 2: bot (■) against human (□)
        > help
        human (□), your move:
        > resign
        bot (■) wins: human resigned (1-0, resign)
        Score of human vs bot: 1 - 1 - 0
    "#]];
    talk(
        &scene,
        &format!("match human {bot} --quiet --out games.jsonl"),
        script,
    );
    let records = scene.records();
    assert_eq!(records[0]["reason"], "five");
    let end = ["reason", "detail", "result"].map(|field| text(&records[1], field));
    assert_eq!(end, ["resign", "human resigned", "1-0"]);
    let person = &scene.results("games.jsonl")[0]["engines"][0];
    assert_eq!((&person["cmd"], &person["st"]), (&"human".into(), &Value::Null));
    assert_eq!(scene.count("bot", "ucinewgame"), 2);
}

#[test]
fn a_file_starts_a_program_only_if_the_user_agrees() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    let level = format!("cmd={bot} args='-x \"two words\"' st=2 sandbox=off");
    // Game 1, one player, first side, this level.
    let input = format!("1\n1\n\n{level}\na8\nsave game\nquit\n");
    scene.run_with_input("", &input).succeeds();
    let saved = scene.text("game");
    let second = saved.lines().find_map(|line| line.strip_prefix("second: "));
    let words = shlex::split(second.unwrap()).unwrap();
    assert_eq!(
        words,
        ["cmd=./bot", "args=-x 'two words'", "st=2", "sandbox=off"],
        "{saved}"
    );
    let before = scene.count("bot", "uci");
    let script = expect![[r#"
        > load game
        The file names the program `cmd=./bot "args=-x 'two words'" st=2 sandbox=off`. Start it? [y/N]
        >
        One player or two? [1] > 2
        > level
        two people play.
    "#]];
    talk(&scene, "", script);
    assert_eq!(scene.count("bot", "uci"), before);
    let script = expect![[r#"
        > load game
        Start it? [y/N] > y
        > level
        The computer is ./bot, 2 seconds per move
    "#]];
    talk(&scene, "", script);
    assert_eq!(scene.count("bot", "uci"), before + 1);
}

#[test]
fn a_late_person_loses_on_time() {
    let scene = Scene::new();
    let line = "match --engine cmd=human st=0.2 name=Ann --engine cmd=random --games 1 --out games.jsonl";
    let mut program = Driver::through_pipes(&scene, line);
    // No input comes, and it does not end.
    program.talk(expect![[r#"
        Ann (■), your move:
        random (□) wins: Ann sent no move within 0.200 s (0-1, stall)
    "#]]);
    program.ends(0);
    assert_eq!(scene.records()[0]["reason"], "stall");

    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    let line =
        format!("match --engine cmd=human tc=2 --engine cmd={bot} tc=10+1 --games 1 --out games.jsonl");
    let mut program = Driver::through_pipes(&scene, &line);
    program.talk(expect![[r#"
        your move:
        > a8
        bot (□) plays
        your move:
    "#]]);
    // The rest of its clock, and more than `timemargin`; a second later it would be a stall.
    let go = scene.received("bot").pop().unwrap();
    let left = go.strip_prefix("go wtime ").unwrap();
    let left: u64 = left.split(' ').next().unwrap().parse().unwrap();
    thread::sleep(Duration::from_millis(left + 100));
    program.talk(expect![[r#"
        > a7
        bot (□) wins: human answered after
    "#]]);
    program.ends(0);
    assert_eq!(scene.records()[0]["reason"], "time");
    assert_ends(go, " btime 10000 winc 0 binc 1000");

    // A person without a clock has none in `go`.
    let line = format!("match --engine cmd=human --engine cmd={bot} tc=10 --games 1");
    scene.run_with_input(&line, "h1\nresign\n").exits(0);
    assert_eq!(scene.count("bot", "go btime 10000"), 1);
}

#[test]
fn two_people_play_a_match_and_quit_it() {
    let scene = Scene::new();
    let line = "match human human --games 2 --out games.jsonl";
    let outcome = scene
        .run_with_input(line, &format!("{COLUMNS}a1\n  quit \n"))
        .exits(130);
    outcome
        .shows("your move: quit\n")
        .shows(expect! {"human (■) against human-2 (□)"})
        .shows(expect! {"Score of human vs human-2: 1 - 0 - 0"});
    let records = scene.records();
    assert_eq!(records.len(), 1, "what was played is saved");
    assert_eq!(records[0]["second"], "human-2");
}
