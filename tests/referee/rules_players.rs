//! The built-in players of every game that has a rules program.

use std::collections::HashSet;
use std::process::Command;

use crate::driver::Driver;
use crate::support::{Scene, assert_rows, expect};

const FIVE_IN_COLUMN: &str = "position startpos moves a8 h8 a7 h7 a6 h6 a5 h5";

/// A player after the handshake.
fn start(scene: &Scene, player: &str, rules: &str) -> Driver {
    let mut driver = Driver::through_pipes(scene, &format!("builtin {player} {rules}"));
    driver.talk(
        "> uci
        option name Seed type spin default 1 min 0 max 4294967295
        uciok
        > ucinewgame
        > isready
        readyok",
    );
    driver
}

/// The answer to these lines, of which the last is a `go`.
fn best_move(driver: &mut Driver, lines: &str) -> String {
    lines.lines().for_each(|line| driver.enter(line));
    driver.until("bestmove ");
    driver.rest_of_line()
}

/// Quits, and returns the whole output.
fn quit(mut driver: Driver) -> String {
    driver.enter("quit");
    driver.ends(0)
}

/// A program in `examples/rules`; `None` without Python, which is not on every machine.
fn example(name: &str) -> Option<String> {
    let python = Command::new("python3").arg("--version").output();
    let has_python = python.is_ok_and(|output| output.status.success());
    has_python.then(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules");
        format!("{folder}/{name}.py")
    })
}

#[test]
fn players_know_a_game_by_its_rules_program() {
    let scene = Scene::new();
    let mut mcts = start(&scene, "mcts", "magnetic-cave");
    assert_eq!(
        best_move(&mut mcts, &format!("{FIVE_IN_COLUMN}\ngo nodes 1")),
        "a4"
    );
    let mut random = start(&scene, "random", "cmd=gridlock timeout=10");
    let go = "position startpos\ngo movetime 1000";
    let mut moves = HashSet::new();
    for seed in 0..20 {
        let mv = best_move(&mut random, &format!("setoption name Seed value {seed}\n{go}"));
        assert_eq!(mv.len(), 4, "{mv}");
        moves.insert(mv);
    }
    assert!(moves.len() > 5, "{moves:?}");
    // A position of another game, the end of a game, and the game afterwards.
    let lines = "position startpos moves d4d5 h9\ngo nodes 1";
    assert_eq!(best_move(&mut random, lines), "0000");
    let text = quit(random);
    assert!(text.contains("info string error: the rules program refuses the position: "));
    let finished = format!("{FIVE_IN_COLUMN} a4\ngo movetime 1000");
    assert_eq!(best_move(&mut mcts, &finished), "0000");
    let text = quit(mcts);
    assert!(text.contains("info depth 1 score win 1 nodes 0 time "), "{text}");
    scene.assert_no_process_left();
}

/// Plays a game of the player against itself.
fn game(player: &mut Driver, go: &str) -> Vec<String> {
    let mut moves = Vec::new();
    loop {
        let line = format!("position startpos moves {}\n{go}", moves.join(" "));
        match best_move(player, &line).as_str() {
            "0000" => return moves,
            mv => moves.push(mv.to_string()),
        }
    }
}

/// In Kalah a side can move twice.
#[test]
fn mcts_knows_that_a_side_moves_twice() {
    let Some(rules) = example("kalah") else {
        return;
    };
    let scene = Scene::new();
    let mut mcts = start(&scene, "mcts", &rules);
    // Only `f1` wins: its last seed goes to the own store, and the side moves again.
    let fen = "position fen 0 4 2 0 2 1 15 1 0 0 0 0 0 23 x";
    assert_eq!(best_move(&mut mcts, &format!("{fen}\ngo nodes 5000")), "f1");
    let again = best_move(&mut mcts, &format!("{fen} moves f1\ngo nodes 5000"));
    assert!(["b1", "e1"].contains(&again.as_str()), "{again}");
    quit(mcts);
}

/// Three moves, after two of which the answer to `gameover` is the shell code `end`.
fn game_of_three_moves(end: &str) -> String {
    format!(
        "#!/bin/sh
n=0
while read -r line; do
    case $line in
        ugi) echo ugiok ;;
        isready) echo readyok ;;
        position*) set -- $line; n=$(($# > 3 ? $# - 3 : 0)) ;;
        'query gameover') [ $n -lt 2 ] && echo response false || {{ {end}; }} ;;
        'query p1turn') echo response true ;;
        'query result') [ $n -lt 3 ] && echo response none || echo response p1win ;;
        'query moves') [ $n -lt 3 ] && echo response a b || echo response ;;
        quit) exit 0 ;;
    esac
done
"
    )
}

#[test]
fn answer_is_in_time_although_the_rules_program_stalls() {
    let scene = Scene::new();
    let stalls = "while [ ! -e released ]; do sleep 0.02; done; [ $n -lt 3 ] && echo response false || echo response true";
    scene.script("game", &game_of_three_moves(stalls));
    let mut mcts = start(&scene, "mcts", "./game timeout=1000");
    // The first answer comes while the program stalls; the second `go` waits for the program.
    best_move(&mut mcts, "position startpos\ngo movetime 100");
    mcts.talk(
        "> position startpos moves a
        > go infinite
        > stop",
    );
    scene.file("released", "");
    mcts.until("bestmove ");
    let text = quit(mcts);
    assert!(!text.contains("error"), "{text}");
}

#[test]
fn faults_of_the_rules_program_end_the_player() {
    let scene = Scene::new();
    let table = expect![[r#"
        echo gone >&2; exit 3 | ended with exit status 3; expected an answer; position startpos moves
        echo response true | answers `gameover` with `true`, but `result` with `none`; expected
        echo response maybe | answered `query gameover` with `response maybe`
        echo info string error: no | refuses a move that it has listed:
    "#]];
    assert_rows(table, |[end]| {
        scene.script("game", &game_of_three_moves(end));
        let mut mcts = start(&scene, "mcts", "./game");
        mcts.enter("position startpos");
        mcts.enter("go nodes 5");
        let text = mcts.ends(5);
        let errors: Vec<&str> = text.lines().filter(|line| line.contains("error")).collect();
        assert_eq!(errors.len(), 1, "{text}");
        assert!(errors[0].starts_with("info string error: game "), "{text}");
        assert!(!text.contains("bestmove"), "{text}");
        errors[0].into()
    });
    // A program without rules, and one that does not start.
    scene.script(
        "game",
        "#!/bin/sh\necho ugiok; while read -r line; do echo readyok; done",
    );
    let mut driver = Driver::through_pipes(&scene, "builtin random ./game");
    let text = driver.ends(5);
    assert!(
        text.starts_with("info string error: game does not answer `query gameover`"),
        "{text}"
    );
    scene
        .referee("builtin random ./none")
        .exits(3)
        .says(expect! {"`./none` does not exist"});
    scene
        .referee("builtin mctx gridlock")
        .exits(2)
        .says(expect! {"did you mean `mcts`?"});
    scene
        .referee("builtin mcts gridlock gridlock")
        .exits(2)
        .says(expect! {"expected KEY=VALUE, found `gridlock`"});
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn mcts_wins_and_prevents_losses() {
        let Some(rules) = example("connect_four") else {
            return;
        };
        let scene = Scene::new();
        let mut mcts = start(&scene, "mcts", &rules);
        for (moves, best) in [
            // Three in a column, in a row and in a diagonal.
            ("a b a b a b", "a"),
            ("a a b b c c", "d"),
            ("a b b c c d c d d f", "d"),
            // The same of the opponent.
            ("a b a b a", "a"),
            ("c f d f c f", "f"),
            ("a a b b c", "d"),
        ] {
            let lines = format!("position startpos moves {moves}\ngo nodes 1000");
            assert_eq!(best_move(&mut mcts, &lines), best, "{moves}");
        }
        let text = quit(mcts);
        assert!(text.contains(" score win 1 nodes "), "{text}");
    }

    /// The rules program refuses illegal moves.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn players_play_whole_games() {
        let scene = Scene::new();
        for name in ["nim", "kalah", "connect_four", "breakthrough"] {
            let Some(rules) = example(name) else {
                return;
            };
            for (player, go) in [("random", "go depth 1"), ("mcts", "go nodes 3")] {
                let mut driver = start(&scene, player, &rules);
                let moves = game(&mut driver, go);
                driver.enter("ucinewgame");
                assert_eq!(moves, game(&mut driver, go), "{name}, {player}");
                let text = quit(driver);
                assert!(!text.contains("error"), "{name}, {player}: {text}");
            }
        }
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn search_obeys_its_clock_and_stop() {
        let scene = Scene::new();
        let mut mcts = start(&scene, "mcts", "gridlock");
        for go in [
            "go movetime 100",
            "go movetime 0",
            "go wtime 200 btime 200 winc 10 binc 10",
            "go p1time 500 p2time 1 movestogo 1",
            "go depth 3",
        ] {
            assert_eq!(best_move(&mut mcts, &format!("position startpos\n{go}")).len(), 4);
        }
        // Without a limit that means something, a search has 1000 playouts. These have more.
        for go in ["go movetime 600000", "go infinite"] {
            mcts.enter(go);
            let mut playouts = 0;
            while playouts <= 1000 {
                mcts.until(" nodes ");
                playouts = mcts.rest_of_line().split(' ').next().unwrap().parse().unwrap();
            }
            mcts.enter("stop");
            mcts.until("bestmove ");
        }
        mcts.talk(
            "> go infinite
            info depth
            > isready
            readyok
            > go nodes 1
            info string error: a search is running; it ends with `stop`
            > setoption name Seed value x
            > stop
            bestmove
            info string error: option Seed: expected a whole number from 0 to 4294967295, found `x`
            > query p1turn
            response true
            > go ponder",
        );
        // The end of input stops it, too.
        mcts.close();
        assert!(mcts.ends(0).contains("bestmove"));
    }
}
