//! Whole sessions as the course projects describe them. 000 and 002 are the assignment
//! of Magnetic Cave with its three modes, 001 is the assignment of Gridlock, and 003
//! and 004 are reports on programs for Magnetic Cave.

use lodestone_game::board::{Bitboard, Move, Side};
use lodestone_game::random::Random;
use lodestone_game::{AnyPosition, GameResult, Variant};

use crate::driver::{Driver, TWO_PEOPLE};
use crate::printed_games::PRINTED_GAMES;
use crate::support::{Bot, Scene, expect, rows};

/// Plays a game of Magnetic Cave to its end. `person` says which sides people play;
/// `choose` chooses their moves. The moves of an engine are read from the output.
fn play_cave(
    program: &mut Driver,
    person: [bool; 2],
    mut choose: impl FnMut(&dyn AnyPosition) -> Move,
) -> Box<dyn AnyPosition> {
    let mut position = Variant::MagneticCave.startpos();
    let signs = position.diagram().signs;
    while position.outcome().is_none() {
        let side = position.side_to_move();
        let player = format!("Player {}", side.index() + 1);
        let mv = if person[side.index()] {
            program.until(&format!("{player} ({}), your move: ", signs[side.index()]));
            let mv = choose(position.as_ref());
            program.enter(&position.move_text(mv));
            mv
        } else {
            program.until("Took ");
            let took = program.until(" seconds to calculate move\n");
            assert!(
                took.split_once('.').is_some_and(|(_, parts)| parts.len() == 2),
                "{took}"
            );
            let before = program.until(&format!("{player} chose move: "));
            assert_eq!(before, "");
            let text = program.rest_of_line();
            assert_eq!(text, text.to_uppercase());
            let mv = position.parse_move(&text).unwrap();
            position.play(mv);
            expect_board(program, position.as_ref(), mv);
            continue;
        };
        program.until(&format!(
            "{player} chose move: {}\n",
            position.move_text(mv).to_uppercase()
        ));
        position.play(mv);
        expect_board(program, position.as_ref(), mv);
    }
    position
}

/// "After each move, your program must display the new configuration of the board."
/// The move stands in brackets.
fn expect_board(program: &mut Driver, position: &dyn AnyPosition, last: Move) {
    program.until("\n");
    let before = program.until("\n\n");
    let unmarked = before.replace(['[', ']', '(', ')'], " ");
    let expected = position.diagram().to_string();
    assert_eq!(unmarked.to_lowercase(), expected.to_lowercase());
    if position.outcome().is_none() {
        let row = before.lines().nth(last.to().row() as usize + 1).unwrap();
        let sign: Vec<char> = row.chars().collect();
        let at = 2 * last.to().column() as usize + 2;
        assert_eq!((sign[at - 1], sign[at + 1]), ('[', ']'), "{before}");
    }
}

/// The first legal move.
fn first_move(position: &dyn AnyPosition) -> Move {
    position.legal_moves()[0]
}

fn expect_result(program: &mut Driver, position: &dyn AnyPosition) {
    let outcome = position.outcome().unwrap();
    program.until(match outcome.result {
        GameResult::Win(Side::First) => "\nPlayer 1 won! Thank you for playing!\n",
        GameResult::Win(Side::Second) => "\nPlayer 2 won! Thank you for playing!\n",
        GameResult::Draw => "\nIt's a tie! Thank you for playing!\n",
    });
}

/// Quits with Enter after the game; the exit status must be 0.
fn quit(mut program: Driver) {
    program.until("or another command: ");
    program.enter("");
    program.ends(0);
}

#[test]
fn assignment_000_mode_1_two_people() {
    let scene = Scene::new();
    let mut program = Driver::through_pipes(&scene, "");
    // The illegal configuration of the assignment.
    program.talk(expect![[r#"
        Which game? > Magnetic Cave
        One player or two? [1] > 2
        Magnetic Cave: Player 1 (■) against Player 2 (□).
        Player 1 (■), your move: > B6
        B6 touches neither a wall nor a brick
    "#]]);
    let position = play_cave(&mut program, [true, true], first_move);
    program.until(" has five in line, ");
    expect_result(&mut program, position.as_ref());
    quit(program);
}

#[test]
fn assignment_000_modes_2_and_3_the_person_is_black_or_white_and_the_engine_the_other() {
    for (person, menu) in [
        (
            [true, false],
            expect![[r#"
                Which game? >
                One player or two? [1] >
                Your colour: black (■, moves first) or white (□)? [black] >
                How strong is the computer? [3] > beginner
                you are Player 1 (■), the computer (beginner) is Player 2 (□).
            "#]],
        ),
        (
            [false, true],
            expect![[r#"
                Which game? > 1
                One player or two? [1] > 1
                or white (□)? [black] > White
                1  beginner
                6  master
                How strong is the computer? [3] > lodestone 0.12
                you are Player 2 (□), the computer (lodestone) is Player 1 (■).
            "#]],
        ),
    ] {
        let scene = Scene::new();
        let mut program = Driver::through_pipes(&scene, "");
        program.talk(menu);
        let position = play_cave(&mut program, person, first_move);
        let result = position.outcome().unwrap().result;
        assert!(
            person[0] || result == GameResult::Win(Side::First),
            "against the first legal move"
        );
        expect_result(&mut program, position.as_ref());
        quit(program);
    }
}

/// Plays a round of 003 to the final board that it prints, with X and O and with row 1
/// on top, which is our rank 8. `engine` is the side of the computer, if any.
fn play_round(program: &mut Driver, round: usize, engine: Option<Side>) {
    let game = &PRINTED_GAMES[round];
    let mut position = Variant::MagneticCave.startpos();
    for text in game.moves.split(' ') {
        let mv = position.parse_move(text).unwrap();
        let side = position.side_to_move();
        let player = format!("Player {}", side.index() + 1);
        let text = text.to_uppercase();
        if engine == Some(side) {
            program.until("Took ");
            program.until(" seconds to calculate move\n");
        } else {
            program.until(&format!("{player} ({}), your move: ", ['X', 'O'][side.index()]));
            program.enter(&text);
        }
        program.until(&format!("{player} chose move: {text}\n"));
        position.play(mv);
    }
    program.until("\n");
    let shown = program.until("\n\n");
    let rows = shown.lines().skip(1).take(8).zip(1..).map(|(line, number)| {
        let cells = line.replace(['(', ')'], " ");
        let cells = cells.trim_matches(|sign: char| sign.is_ascii_digit());
        format!("{number}{}", cells.trim_end())
    });
    let rows: Vec<String> = rows.collect();
    let printed: Vec<&str> = game.board.trim().lines().map(str::trim).collect();
    assert_eq!(rows, printed);
    let winner = if game.result.starts_with("1-0") { 1 } else { 2 };
    let before = program.until(&format!("Player {winner} won! Thank you for playing!\n"));
    assert_eq!(before.trim().to_lowercase(), game.sentence);
}

#[test]
fn report_003_multiplayer_round() {
    let scene = Scene::new();
    let mut program = Driver::through_pipes(&scene, "--ascii");
    program.talk(expect![[r#"
        Which game? > 1
        One player or two? [1] > 2
        Magnetic Cave: Player 1 (X) against Player 2 (O).
    "#]]);
    play_round(&mut program, 0, None);
    quit(program);
}

/// The computer plays the same side as in the report.
#[test]
fn report_003_single_player_rounds() {
    for (round, engine, colour) in [
        (0, Side::Second, "black"),
        (1, Side::First, "white"),
        (2, Side::Second, "black"),
    ] {
        let moves = PRINTED_GAMES[round].moves.split(' ');
        let answers: Vec<&str> = moves.skip(engine.index()).step_by(2).collect();
        let scene = Scene::new();
        let go = format!(
            "set -- {}; eval \"echo bestmove \\${{$thinks}}\"",
            answers.join(" ")
        );
        scene.bot("bot", Bot::thinking(&go));
        let mut program = Driver::through_pipes(&scene, "--ascii");
        program.talk(expect![[r#"
            Which game? >
            One player or two? [1] > 1
            Your colour: black (X, moves first) or white (O)? [black]
        "#]]);
        program.enter(colour);
        program.talk(expect! {"How strong is the computer? [3] > ./bot"});
        play_round(&mut program, round, Some(engine));
        quit(program);
    }
}

/// 004 prints the message of a tie. Its three modes are those of the assignment.
#[test]
fn report_004_a_tie() {
    let mut random = Random::new(1);
    let moves = loop {
        let mut position = Variant::MagneticCave.startpos();
        let mut moves = Vec::new();
        while let Some(&mv) = random.choose(&position.legal_moves()) {
            moves.push(mv);
            position.play(mv);
        }
        if position.outcome().unwrap().result == GameResult::Draw {
            break moves;
        }
    };
    let scene = Scene::new();
    let mut program = Driver::through_pipes(&scene, TWO_PEOPLE);
    let mut moves = moves.into_iter();
    let position = play_cave(&mut program, [true, true], |_| moves.next().unwrap());
    assert_eq!(position.diagram().pieces.map(Bitboard::count), [32, 32]);
    program.talk(expect! {"the board is full and neither side has five in line It's a tie!"});
    program.ends(0);
}

/// Plays a game of Gridlock to its end against the computer. The person enters each
/// move in two steps.
fn play_grid(program: &mut Driver, position: &mut Box<dyn AnyPosition>, person: Side) {
    while position.outcome().is_none() {
        let text = if position.side_to_move() == person {
            let text = position.move_text(first_move(position.as_ref()));
            let (from, to) = text.split_at(2);
            program.until("Choose piece to move: ");
            program.enter(from);
            program.until(&format!("Choose the new position for {from}: "));
            program.enter(to);
            program.until(&format!("Player moves the piece at {from} to {to}\n"));
            text
        } else {
            program.until("Computer moves the piece at ");
            program.rest_of_line().replace(" to ", "")
        };
        let mv = position.parse_move(&text).unwrap();
        position.play(mv);
        program.until("\n");
        let board = program.until("\n\n").replace(['[', ']'], " ");
        assert!(board.starts_with(&position.diagram().to_string()), "{board}");
    }
}

#[test]
fn assignment_001_the_user_is_player_1_or_player_2() {
    let scene = Scene::new();
    for (number, person) in [("1", Side::First), ("2", Side::Second)] {
        let mut program = Driver::through_pipes(&scene, "");
        program.talk(expect![[r#"
            Which game? > 2
            One player or two? [1] > 1
            Are you player 1 (X, moves first) or player 2 (O)? [1]
        "#]]);
        program.enter(number);
        program.talk(expect![[r#"
            How many pieces does each side have, 1 to 24? [5] > 6
            What is the turn limit, 1 to 1000? [40] > 11
            How strong is the computer? [3] > 3
        "#]]);
        program.until("The seed of the random placement is ");
        let seed: u64 = program.rest_of_line().trim_end_matches('.').parse().unwrap();
        let setup = lodestone_game::Setup { pieces: 6, turns: 11 };
        let mut position = Variant::Gridlock.random_start(setup, &mut Random::substream(seed, 1));
        program.until("for a list of commands.\n\n");
        program.until(&position.diagram().to_string());
        play_grid(&mut program, &mut position, person);
        expect_result(&mut program, position.as_ref());
        quit(program);
    }
}

/// The INITIAL picture and the example lines of the assignment: the player moves c4 to
/// d4, the computer g4 to g5. A wrong piece is asked for again before the target.
#[test]
fn assignment_001_example_lines() {
    let scene = Scene::new();
    scene.file(
        "initial",
        "variant: gridlock\nstart: 4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40\n",
    );
    let go = "[ $thinks = 1 ] && echo bestmove g3g4 || echo bestmove g4g5";
    scene.bot("bot", Bot::thinking(go));
    let mut program = Driver::through_pipes(&scene, "");
    program.talk(expect![[r#"
        Which game? > load initial
        One player or two? [1] >
        player 2 (O)? [1] >
        How strong is the computer? [3] > ./bot
    "#]]);
    program.until(
        "  1 2 3 4 5 6 7\na · · · · O · · a\nb · X O · · X · b\nc · · · X · · · c\n\
         d · · · · · O · d\ne · O X · · · · e\nf · · · · X · · f\ng · · O · · · · g\n",
    );
    // Another piece after all, and a move in one step, at the end.
    program.talk(expect![[r#"
        Choose piece to move: > b3
        the piece on b3 is the opponent's
        Choose piece to move: > a1
        there is no piece on a1
        Choose piece to move: > k9
        `k9` is not a cell: expected a row from a to g and a column from 1 to 7
        Choose piece to move: > C4
        Choose the new position for c4: > e4
        e4 is not next to c4
        Choose the new position for c4: > z
        `z` is not a cell: expected
        Choose the new position for c4: > d4
        Player moves the piece at c4 to d4
        39 turns are left.
        Computer moves the piece at g3 to g4
        Choose piece to move: > b2
        Choose the new position for b2: >
        Choose piece to move: > d4-c4
        Player moves the piece at d4 to c4
        Computer moves the piece at g4 to g5
        36 turns are left.
        > q
    "#]]);
    program.ends(0);
}

/// The final pictures of the assignment, each with its result.
#[test]
fn assignment_001_results() {
    let scene = Scene::new();
    for [fen, ending, result] in rows(
        "xo3ox/ox3ox/6o/7/3x3/7/7 x 40 40
             | turn limit 40 reached: X has 6 cells to go to, O has 6 | It's a tie!
         xxo4/xxo4/oo5/7/5oo/4oxx/4oxx x 10 40 | X has no move | Player 2 won!
         xo5/ox5/7/7/x6/oox4/xo5 x 40 40
             | turn limit 40 reached: X has 7 cells to go to, O has 4 | Player 1 won!",
    ) {
        scene.file("ending", &format!("variant: gridlock\nstart: {fen}\n"));
        let outcome = scene.run_with_input("", "load ending\n2\n\n").exits(0);
        outcome.shows(format!("\n{ending}\n{result} Thank you for playing!\n"));
    }
}
