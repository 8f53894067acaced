//! The commands of the prompt, broken input at every question, and people in a match,
//! through pipes.

use std::fs;

use lodestone::game::Variant;
use lodestone::random::Random;
use serde_json::Value;

use crate::driver::Driver;
use crate::support::{Bot, Scene, assert_ends, assert_has_all};

const TWO_PEOPLE: &str = "play --first human --second human";

fn assert_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part);
        let at = at.unwrap_or_else(|| panic!("`{part}` is missing or too early in {text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn help_lists_every_command() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "help\n?\nHELP\n");
    assert_eq!(outcome.stdout.matches("Type a move such as A6, or:").count(), 3);
    for command in [
        "rules", "hint", "why", "undo", "moves", "list", "board", "flip", "scroll", "swap", "level", "save",
        "load", "new", "resign", "help",
    ] {
        let line = format!("\n  {command} ");
        assert!(outcome.stdout.contains(&line), "{command}: {}", outcome.stdout);
    }
}

#[test]
fn hint_and_why_ask_the_adviser() {
    let scene = Scene::new();
    // The first player threatens five in column a.
    let input = "a1\nh1\na2\nh2\na3\nh3\na4\nhint\nwhy\n";
    let outcome = scene.run_with_input(TWO_PEOPLE, input);
    assert_in_order(
        &outcome.stdout,
        &[
            "Hint: A5, says lodestone; `why` shows its score and line.\n",
            "\nlodestone, asked now, expects: ",
            "\nLine: A5 ",
        ],
    );
    let won = "a1\nb1\na2\nb2\na3\nb3\na4\nb4\nwhy\n";
    let outcome = scene.run_with_input(TWO_PEOPLE, won);
    assert_in_order(
        &outcome.stdout.replace('\n', " "),
        &[
            "lodestone, asked now, expects: Player 1 (■) wins with the next move. That is proven. ",
            "Line: A5 ",
        ],
    );
}

#[test]
fn why_shows_the_score_of_the_opponent() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot::thinking("echo info depth 3 score loss 4 pv h8 a1 h7 a2; echo bestmove h8"),
    );
    let outcome = scene.run_with_input(&format!("play --first {bot} --second human"), "why\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "bot, which played H8, expects: Player 2 (□) wins, on this line in 4 moves,\n\
             counting both sides. That is proven.\nLine: H8 A1 H7 A2\n",
            "lodestone, asked now, expects: ",
        ],
    );
}

#[test]
fn moves_lists_and_marks_the_legal_moves() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "a8\nmoves\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "8[■]+ · · · · · + 8\n7 + · · · · · · + 7\n",
            "\n16 moves: B8 H8 A7 H7 A6 ",
        ],
    );
    let grid = "play --variant gridlock --first human --second human --pieces 1 --turns 2 --seed 4";
    let outcome = scene.run_with_input(grid, "moves\nboard\n");
    assert_eq!(outcome.stdout.matches("2 turns are left.\n").count(), 3);
    assert!(outcome.stdout.contains(" moves: "), "{}", outcome.stdout);
}

#[test]
fn undo_takes_back_the_last_move_of_a_person() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "undo\na1\nundo\na2\nh1\nundo\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "You have no move to take back.\n",
            "Taken back: A1\n",
            "Player 1 (■), your move: a2\n",
            "Taken back: H1\n",
            "Player 2 (□), your move: \n",
        ],
    );
    let bot = scene.bot("bot", Bot::default());
    let outcome = scene.run_with_input(
        &format!("play --first {bot} --second human"),
        "undo\nh1\nundo\nh2\n",
    );
    assert_in_order(
        &outcome.stdout,
        &[
            "You have no move to take back.\n",
            "Player 1 chose move: A2\n",
            "Taken back: H1 A2\n",
            "Player 2 chose move: H2\n",
        ],
    );
    let received = scene.received("bot");
    let last = received
        .iter()
        .rfind(|line| line.starts_with("position"))
        .unwrap();
    assert_eq!(
        last, "position startpos moves a1 h2",
        "the engine goes back as well"
    );
}

#[test]
fn undo_and_again_work_after_the_end_of_a_game() {
    let scene = Scene::new();
    let columns = "a1\nh1\na2\nh2\na3\nh3\na4\nh4\na5\n";
    let outcome = scene
        .run_with_input(
            "",
            &format!(
                "1\n2\n{columns}hint\nresign\nb1\nundo\nb1\nresign\nundo\nb2\nresign\nagain\na1\nflip\n"
            ),
        )
        .exits(0);
    assert_in_order(
        &outcome.stdout,
        &[
            "Player 1 won! Thank you for playing!\n",
            "command: hint\nThe game is over.\n",
            "command: resign\nThe game is over.\n",
            "command: b1\n`b1` is not a command, and the game is over",
            "Taken back: A5\n",
            "Player 1 chose move: B1\n",
            "Player 2 resigned\nPlayer 1 won! Thank you for playing!\n",
            "command: undo\nThe game continues.\n",
            "Player 2 chose move: B2\n",
            "Player 1 resigned\nPlayer 2 won! Thank you for playing!\n",
            "Magnetic Cave: Player 1 (■) against Player 2 (□).\n",
            "Player 1 chose move: A1\n",
            "1[■]· · · · · · · 1\n2 ·",
        ],
    );
}

#[test]
fn undo_restarts_an_engine_that_failed() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot::thinking("if first_start; then exit 3; else legal; fi"),
    );
    let outcome = scene
        .run_with_input("", &format!("1\n1\nblack\n{bot}\na1\nundo\na2\nwhy\n"))
        .succeeds();
    assert_in_order(
        &outcome.stdout,
        &[
            "bot ended with exit status 3\nPlayer 1 won! Thank you for playing!\n",
            "Taken back: A1\n",
            "Player 1 chose move: A2\n",
            "Player 2 chose move: A1\n",
            "lodestone, asked now, expects: ",
        ],
    );
    scene.assert_no_bot_left();
}

#[test]
fn swap_and_level_change_the_opponent() {
    let scene = Scene::new();
    let line = "play --first human --second random --st 0.05 --seed 1";
    let outcome = scene.run_with_input(
        line,
        "swap\nlevel\nlevel 7\nlevel mobility\nlevel human\nlevel ./nowhere\nlevel Expert\nlevel\nh8\nwhy\nundo\nswap\n",
    );
    assert_in_order(
        &outcome.stdout,
        &[
            "You are now Player 2 (□).\n",
            "Player 1 chose move: ",
            "The computer is random, 0.05 seconds per move\n  1  beginner",
            "`7` is neither a level (1 to 6, or its name) nor a player nor a program\n",
            "the built-in `mobility` does not play magnetic-cave",
            "the computer cannot be a person: expected a level, a player or a program\n",
            "`./nowhere` does not exist",
            "The computer is expert: the engine, 1 second per move\n",
            "The computer is expert: ",
            "Player 2 chose move: H8\n",
            "lodestone, which played ",
            "You are now Player 1 (■).\n",
        ],
    );
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""));
    let outcome = scene.run_with_input(TWO_PEOPLE, "swap\nlevel\nlevel 3\n");
    assert_eq!(outcome.stdout.matches(": two people play.\n").count(), 3);
}

#[test]
fn saves_and_loads_a_game() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(
        TWO_PEOPLE,
        "a1\nh1\nsave my game\na2\nsave my game\nmaybe\n\nsave my game\ny\nsave nowhere/game\nsave .\n",
    );
    assert_in_order(
        &outcome.stdout,
        &[
            "Saved to `my game`.\n",
            "`my game` exists. Overwrite it? [y/N] maybe\nPlease answer y or n; `maybe` is neither.\n",
            "`my game` exists. Overwrite it? [y/N] \nNot saved.\n",
            "`my game` exists. Overwrite it? [y/N] y\nSaved to `my game`.\n",
            "Not saved: `nowhere/game` cannot be written: No such file",
            "Not saved: `.` cannot be written: ",
        ],
    );
    assert_eq!(
        scene.text("my game"),
        "# A saved game; `load` continues it.\nvariant: magnetic-cave\nfirst: human\nsecond: human\n\
         start: 8/8/8/8/8/8/8/8 x\nmoves: a1 h1 a2\n"
    );

    let outcome = scene.run_with_input(TWO_PEOPLE, "h8\nload my game\nundo\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "Loaded `my game`, a game with 3 moves.\n",
            "2[■]· ",
            "Taken back: A2\n",
            "Player 1 (■), your",
        ],
    );
    let games = Variant::ALL.len();
    let outcome = scene.run_with_input("", "load\nload .\nundo\nload my game\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "`load` needs an argument: `load FILE [N]`\n",
            "`.` is not a file\n",
            &format!("Please answer with a number from 1 to {games} or a name; `undo` is neither.\n"),
            "Magnetic Cave: Player 1 (■) against Player 2 (□).\n",
            "2[■]· ",
            "1 ■ · · · · · · □ 1",
            "Player 2 (□), your move: \n",
        ],
    );

    scene.file(
        "bad",
        "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a1 c1\n",
    );
    scene.file("other", "variant: gridlock\nstart: xo5/7/7/7/7/7/5xo x 0 40\n");
    let input = "a1\nload bad\nload other\nload nothing\nload .\nb1\n";
    let outcome = scene.run_with_input(TWO_PEOPLE, input);
    assert_in_order(
        &outcome.stdout,
        &[
            "`bad`, line 3, move 2: c1 touches neither a wall nor a brick\n",
            "`other` is a game of gridlock, but this is magnetic-cave; ",
            "`nothing` cannot be read: No such file",
            "`.` is not a file\n",
            "Player 2 chose move: B1\n",
        ],
    );
}

#[test]
fn loads_games_of_results_and_pgn() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("[ $thinks = 3 ] && exit 3; legal"));
    let line = "match --engine cmd=./bot --engine cmd=random --each st=1 --openings random:2 --out games.jsonl \
                --pgn games.pgn --quiet";
    scene.referee(line).exits(0);
    let moves = scene.records()[1]["moves"].as_array().unwrap().clone();
    let last = moves.last().unwrap().as_str().unwrap().to_uppercase();
    for file in ["games.jsonl 2", "games.pgn 2"] {
        let name = file.trim_end_matches(" 2");
        let outcome = scene.run_with_input(TWO_PEOPLE, &format!("load {file}\nundo\n"));
        let count = moves.len();
        assert_in_order(
            &outcome.stdout.replace('\n', " "),
            &[
                &format!("Loaded game 2 of `{name}`: random against bot, {count} moves. "),
                &format!("Taken back: {last} "),
            ],
        );
        let outcome = scene.run_with_input("", &format!("load {file}\n1\nwhite\n1\nundo\n"));
        assert!(outcome.stdout.contains("you are Player 2"), "{}", outcome.stdout);
        assert!(outcome.stdout.contains("Taken back: "), "{}", outcome.stdout);
    }
    let outcome = scene.run_with_input(
        TWO_PEOPLE,
        "load games.jsonl\nload games.pgn 3\nload games.jsonl x\nload bot\n",
    );
    assert_in_order(
        &outcome.stdout.replace('\n', " "),
        &[
            "`games.jsonl` holds games 1 to 2: write the number of a game after its name, such as `games.jsonl 1` ",
            "`games.pgn` has no game 3: it holds games 1 to 2 ",
            "`games.jsonl x` cannot be read: No such file",
            "`bot`, line 2: expected `KEY: VALUE`, found `echo $$ >> \"$0.pids\"`; games are read from result",
        ],
    );
}

#[test]
fn rules_explain_each_game_with_an_example() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "rules\n");
    assert_in_order(
        &outcome.stdout.replace('\n', " "),
        &[
            "your move: rules Magnetic Cave ",
            "B6 is not: it touches neither a wall nor a brick.",
            "Five or more bricks of one colour in a row",
            "7 · · ·(■ ■ ■ ■ ■)7 ",
            "Here ■ wins with a bridge from D7 to H7. ",
            "Player 1 (■), your move: ",
        ],
    );
    let grid = "play --variant gridlock --first human --second human --pieces 1 --turns 2 --seed 4";
    let outcome = scene.run_with_input(grid, "rules\n");
    assert_in_order(
        &outcome.stdout.replace('\n', " "),
        &[
            "type g4g5, or first g4 and then g5.",
            "The space of X is b3, c2, d4, e3, e5 and f4; that of O is a3, a5, b5, c1, c6 and d7.",
            "Player 1 (X), choose piece to move: ",
        ],
    );
    for variant in Variant::ALL {
        let info = variant.info();
        let example = variant.parse_fen(info.example.0).unwrap();
        assert!(example.outcome().is_some(), "{variant}: a finished game");
        assert!(!info.rules.is_empty());
    }
}

#[test]
fn list_shows_the_moves_so_far() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "list\na1 h1 a2\nlist\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "No moves have been played.\n",
            "your move: list\n1. A1 H1  2. A2\n",
        ],
    );
}

#[test]
fn undo_takes_a_number_of_moves() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "a1 h1 a2 h2\nundo 5\nundo 3\nundo 0\nlist\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "You have only 4 moves to take back.\n",
            "Taken back: H1 A2 H2\n",
            "Player 2 (□), your move: undo 0\n",
            "`undo` takes a number of moves, such as `undo 3`; found `0`\n",
            "1. A1\n",
        ],
    );
    let bot = scene.bot("bot", Bot::thinking("echo bestmove h$thinks"));
    let outcome = scene.run_with_input(
        &format!("play --first human --second {bot}"),
        "a1\na2\na3\nundo 2\nlist\n",
    );
    assert_in_order(
        &outcome.stdout,
        &["Taken back: A2 H2 A3 H3\n", "list\n1. A1 H1\n"],
    );
}

#[test]
fn new_begins_another_game() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "a1\nnew\nlist\nresign\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "Player 2 (□), your move: new\n",
            "Magnetic Cave: Player 1 (■) against Player 2 (□).\n",
            "Player 1 (■), your move: list\nNo moves have been played.\n",
            "Player 2 won!",
        ],
    );
    let outcome = scene.run_with_input("", "1\n2\nresign\nnew\na1\n");
    assert_in_order(
        &outcome.stdout,
        &["or another command: new\n", "Player 1 chose move: A1\n"],
    );
}

#[test]
fn several_moves_in_a_line_are_played_one_after_the_other() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("echo bestmove h$thinks"));
    let outcome = scene.run_with_input(&format!("play --first human --second {bot}"), "a1 A2;a3\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "move: A1\n",
            "move: H1\n",
            "move: A2\n",
            "move: H2\n",
            "move: A3\n",
            "move: H3\n",
        ],
    );
    let grid = "play --variant gridlock --first human --second human --pieces 1 --turns 5";
    scene.file("slide", "variant: gridlock\nstart: x6/7/7/7/7/7/6o x 0 40\n");
    let outcome = scene.run_with_input(grid, "load slide\na1a2 g7 f7 a2-a3\nf7 f6 a1a2 f6f5\n");
    assert_in_order(
        &outcome.stdout,
        &[
            "piece at a1 to a2\n",
            "piece at g7 to f7\n",
            "piece at a2 to a3\n",
            "piece at f7 to f6\n",
            "there is no piece on a1; the rest of the line, f6f5, is not played\n",
        ],
    );
}

#[test]
fn file_names_accept_quotes_and_the_home_folder() {
    let scene = Scene::new();
    let mut command = scene.command(TWO_PEOPLE);
    command.env("HOME", scene.path(""));
    let outcome = crate::support::run(
        &mut command,
        "a1\nsave ~/first\nsave \"second game\"\nload 'first'\nload ~/second\\ game\n",
    );
    let shown = outcome.stdout.replace('\n', " ");
    assert_in_order(
        &shown,
        &[
            "/first`. ",
            "Saved to `second game`. ",
            "Loaded `first`, ",
            "/second game`, ",
        ],
    );
    assert!(scene.path("first").is_file() && scene.path("second game").is_file());
}

#[test]
fn resigns_and_saves_nothing_at_the_end_of_input() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "a1\nresign\n");
    assert_ends(
        &outcome.stdout,
        "Player 2 resigned\nPlayer 1 won! Thank you for playing!\n",
    );
    let outcome = scene.run_with_input(TWO_PEOPLE, "a1\nsave").succeeds();
    assert!(outcome.stdout.contains("`save` needs an argument: `save FILE`"));
    assert_eq!(fs::read_dir(scene.path("")).unwrap().count(), 0);
}

#[test]
fn suggests_a_command_for_a_typing_error() {
    let scene = Scene::new();
    let outcome = scene.run_with_input(TWO_PEOPLE, "hnit\nhint 2\n");
    assert_in_order(
        &outcome.stdout.replace("mean\n", "mean "),
        &["did you mean `hint`?\n", "`hint` takes no argument; found `2`\n"],
    );
}

#[test]
fn draws_the_board_with_what_the_terminal_supports() {
    let scene = Scene::new();
    let shown = |line: &str, variables: &[(&str, &str)]| {
        let mut command = scene.command(line);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variables.iter().copied());
        crate::support::run(&mut command, "ä\nsave\na1\n").stdout
    };
    assert!(shown(TWO_PEOPLE, &[]).contains("\n1[■]· ·"));
    for (line, variables) in [
        (format!("{TWO_PEOPLE} --ascii"), [("LC_ALL", "C.UTF-8")]),
        (TWO_PEOPLE.to_string(), [("LC_ALL", "C")]),
        (TWO_PEOPLE.to_string(), [("LC_ALL", "de_DE.ISO-8859-1")]),
    ] {
        let shown = shown(&line, &variables);
        assert!(shown.contains("\n1[X]- -"), "{variables:?}: {shown}");
        assert!(shown.is_ascii(), "{shown}");
    }
    let brick = "\x1b[36m■";
    assert!(!shown(TWO_PEOPLE, &[]).contains('\x1b'), "a pipe has no colours");
    assert!(shown(&format!("{TWO_PEOPLE} --color always"), &[]).contains(brick));
    assert!(shown(TWO_PEOPLE, &[("CLICOLOR_FORCE", "1")]).contains(brick));
    let forced_and_not = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
    assert!(!shown(TWO_PEOPLE, &forced_and_not).contains('\x1b'));
    assert!(!shown(&format!("{TWO_PEOPLE} --color never"), &[("CLICOLOR_FORCE", "1")]).contains('\x1b'));

    // A match of engines is drawn plainly unless an option asks for more.
    let engines = "match random random --games 1 --each st=1";
    let plain = shown(engines, &[]);
    assert!(plain.contains("\n8 · · · ·") && !plain.contains("[■]") && !plain.contains('\x1b'));
    assert!(shown(&format!("{engines} --color always"), &[]).contains(brick));
    assert!(shown(&format!("{engines} --ascii"), &[]).contains("[X]"));
}

/// A random line that answers no question: it holds a character that no answer has.
fn nonsense(random: &mut Random) -> String {
    const IN_NO_ANSWER: [&str; 8] = ["@", "ß", "中", "א", "\u{7f}", "\x1b[2J", "🧲", "\u{202e}"];
    const SIGNS: [&str; 14] = [
        "a",
        "B",
        "6",
        " ",
        "\t",
        "-",
        "`",
        "{}",
        "\x07",
        "\0",
        "9999999999999999999",
        "é",
        "save",
        "1",
    ];
    let mut line = String::new();
    for _ in 0..random.below(12) {
        line.push_str(random.choose(&SIGNS).unwrap());
    }
    line.push_str(random.choose(&IN_NO_ANSWER).unwrap());
    for _ in 0..random.below(12) {
        line.push_str(random.choose(&SIGNS).unwrap());
    }
    line
}

/// Every question: the arguments and the input that lead to it, and its beginning.
const QUESTIONS: [(&str, &str, &str); 14] = [
    ("", "", "Which game?"),
    ("", "1\n", "One player or two?"),
    ("", "1\n1\n", "Your colour:"),
    ("", "2\n1\n", "Are you player 1"),
    ("", "2\n2\n", "How many pieces does each side have"),
    ("", "2\n2\n\n", "What is the turn limit"),
    ("", "1\n1\n\n", "How strong is the computer?"),
    ("", "1\n2\n", "Player 1 (■), your move:"),
    ("", "2\n2\n\n\n", "Player 1 (X), choose piece to move:"),
    ("", "load slide\n2\na1\n", "Choose the new position for a1:"),
    ("", "1\n2\nresign\n", "Enter quits; or type `again`"),
    (TWO_PEOPLE, "save slide\n", "`slide` exists. Overwrite it?"),
    ("play", "", "Who moves first:"),
    ("play", "human\n", "Who moves second:"),
];

#[test]
fn every_question_survives_a_thousand_random_lines() {
    for (number, (line, way, question)) in QUESTIONS.iter().enumerate() {
        let scene = Scene::new();
        scene.file("slide", "variant: gridlock\nstart: x6/7/7/7/7/7/6o x 0 40\n");
        let mut random = Random::new(number as u64);
        let mut input = (*way).to_string();
        for _ in 0..1000 {
            input += &(nonsense(&mut random) + "\n");
        }
        let outcome = scene.run_with_input(line, &input).succeeds();
        let asked = outcome
            .stdout
            .lines()
            .filter(|line| line.starts_with(question))
            .count();
        assert_eq!(asked, 1001, "{question}: {:.3000}", outcome.stdout);
        let is_printable = |c: char| !c.is_control() || c == '\n';
        assert!(outcome.stdout.chars().all(is_printable), "{question}");
    }
}

#[test]
fn a_match_survives_a_thousand_random_lines() {
    let mut random = Random::new(1);
    let mut input: String = (0..1000).map(|_| nonsense(&mut random) + "\n").collect();
    input += "a1\nresign\n";
    let outcome = Scene::new().run_with_input("match human human --games 1", &input);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""));
    assert_eq!(outcome.stdout.matches("human (■), your move:").count(), 1001);
}

#[test]
fn every_question_explains_broken_input_and_asks_again() {
    let long = "x".repeat(70_000);
    for (line, way, question) in QUESTIONS {
        let scene = Scene::new();
        scene.file("slide", "variant: gridlock\nstart: x6/7/7/7/7/7/6o x 0 40\n");
        let mut input = way.as_bytes().to_vec();
        for broken in [
            b"\xff\xfe".as_slice(),
            long.as_bytes(),
            b"\0",
            "шесть".as_bytes(),
            b"q",
        ] {
            input.extend_from_slice(broken);
            input.push(b'\n');
        }
        let mut command = scene.command(line);
        let outcome = crate::support::run_with_bytes(&mut command, &input).succeeds();
        let asked = outcome.stdout.lines().filter(|line| line.starts_with(question));
        assert_eq!(asked.count(), 5, "{question}: {:.3000}", outcome.stdout);
        assert_in_order(
            &outcome.stdout,
            &["That is not UTF-8 text.\n", "That line is too long.\n", "`шесть"],
        );
        assert!(outcome.stdout.ends_with(" q\n"), "{question}");
    }
}

/// Plays a match with this input; returns the output and the records.
fn match_records(scene: &Scene, line: &str, input: &str) -> (String, Vec<Value>) {
    let outcome = scene
        .run_with_input(&format!("match {line} --out games.jsonl"), input)
        .succeeds();
    (outcome.stdout, scene.records())
}

#[test]
fn a_person_plays_a_match_without_a_clock() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("echo bestmove h$thinks"));
    let (shown, records) = match_records(
        &scene,
        &format!("human {bot} --quiet"),
        "help\na1\nhint\nboard\nundo\na2\nlevel\na3\na4\na5\nhelp\nresign\n",
    );
    assert_in_order(
        &shown,
        &[
            "Game 1 of 2: human (■) against bot (□)\n  A B C",
            "human (■), your move: help\nType a move such as A6, or:\n  rules ",
            "1. human (■) plays a1 in ",
            "your move: hint\nThis command is not available in a match.\n",
            "your move: board\n\n  A B C D E F G H\n",
            "1 ■ · · · · · · □ 1\n",
            "human (■) wins: x has five in line, a5 to a1 (1-0, five)\n",
            "Game 2 of 2: bot (■) against human (□)\n",
            "human (□), your move: resign\nbot (■) wins: human resigned (1-0, resign)\n",
            "Score of human vs bot: 1 - 1 - 0",
        ],
    );
    assert_eq!(records[0]["reason"], "five");
    assert_eq!(
        (
            &records[1]["reason"],
            &records[1]["detail"],
            &records[1]["result"]
        ),
        (&"resign".into(), &"human resigned".into(), &"1-0".into())
    );
    let header = &scene.results("games.jsonl")[0];
    let person = &header["engines"][0];
    assert_eq!((&person["cmd"], &person["st"]), (&"human".into(), &Value::Null));
    assert_eq!(
        scene
            .received("bot")
            .iter()
            .filter(|line| *line == "ucinewgame")
            .count(),
        2
    );
}

#[test]
fn a_file_does_not_choose_the_settings_of_a_program() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    let level = format!("cmd={bot} args='-x \"two words\"' st=2 sandbox=off");
    // Game 1, one player, first side, this level.
    scene
        .run_with_input("", &format!("1\n1\n\n{level}\na8\nsave game\nquit\n"))
        .succeeds();
    let saved = scene.text("game");
    let second = saved.lines().find_map(|line| line.strip_prefix("second: "));
    let words = shlex::split(second.unwrap()).unwrap();
    assert_eq!(
        words,
        ["cmd=./bot", "args=-x 'two words'", "st=2", "sandbox=off"],
        "{saved}"
    );
    // The menu asks again who plays.
    let outcome = scene
        .run_with_input("", &format!("load game\n1\n\n{level}\nlevel\nquit\n"))
        .succeeds();
    assert_has_all(
        &outcome.stdout,
        [
            "One player or two?",
            "The computer is ./bot, 2 seconds per move\n",
        ],
    );
}

#[test]
fn a_late_person_loses_on_time() {
    let scene = Scene::new();
    let line = "match --engine cmd=human st=0.2 name=Ann --engine cmd=random --games 1";
    let mut program = Driver::through_pipes(&scene, &format!("{line} --out games.jsonl"));
    program.until("Ann (■), your move: ");
    // No input comes, and it does not end.
    program.until("random (□) wins: Ann gave no move within 0.200 s (0-1, stall)\n");
    let (_, status) = program.end();
    assert_eq!(status.code(), Some(0));
    assert_eq!(scene.records()[0]["reason"], "stall");

    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    let line = format!("match --engine cmd=human tc=0.3 --engine cmd={bot} tc=10+1 --games 1");
    let mut program = Driver::through_pipes(&scene, &format!("{line} --out games.jsonl"));
    program.until("your move: ");
    program.enter("a8");
    program.until("bot (□) plays ");
    program.until("your move: ");
    std::thread::sleep(std::time::Duration::from_millis(600));
    program.enter("a7");
    program.until("bot (□) wins: human answered after ");
    program.end();
    assert_eq!(scene.records()[0]["reason"], "time");
    let go = scene
        .received("bot")
        .into_iter()
        .find(|line| line.starts_with("go"))
        .unwrap();
    assert!(
        go.starts_with("go wtime ") && go.ends_with(" btime 10000 winc 0 binc 1000"),
        "{go}"
    );
}

#[test]
fn omits_the_clock_of_a_person_without_one() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    scene
        .run_with_input(
            &format!("match --engine cmd=human --engine cmd={bot} tc=10 --games 1"),
            "h1\nresign\n",
        )
        .exits(0);
    assert!(scene.received("bot").contains(&"go btime 10000".to_string()));
}

#[test]
fn two_people_play_a_match_and_quit_it() {
    let scene = Scene::new();
    let columns = "a1\nh1\na2\nh2\na3\nh3\na4\nh4\na5\n";
    let (shown, records) = match_records(&scene, "human human --games 1", columns);
    assert!(shown.contains("human (■) against human-2 (□)"), "{shown}");
    assert_eq!(records[0]["second"], "human-2");

    let scene = Scene::new();
    let outcome = scene
        .run_with_input(
            "match human human --games 2 --out games.jsonl",
            &format!("{columns}a1\nquit\n"),
        )
        .exits(130);
    assert_eq!(scene.records().len(), 1, "what was played is saved");
    assert!(outcome.stdout.contains("Score of human vs human-2: 1 - 0 - 0"));
}
