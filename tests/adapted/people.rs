//! A program made for people, in the style of the course projects, for the tests of
//! `referee adapt`: `people STYLE [FAULT]`.
//!
//! Styles: `menu` (a menu; says its move), `board` (only prints its board), `slide FEN`
//! (Gridlock; a move in two steps). It plays random legal moves.
//!
//! Faults, at its second move: `words` (prints other words than before), `crash` (exits with status 3),
//! `over` (says that the game is over), `illegal` (plays on a cell without support), `flood` (never stops
//! printing), `deaf` (reads no more).

use std::io::{self, Write};
use std::time::Duration;

use lodestone_game::board::{Cell, Move, Side};
use lodestone_game::random::Random;
use lodestone_game::{AnyPosition, GameResult, Variant};

/// Longer than any test.
const LONG: Duration = Duration::from_mins(5);

struct Program {
    position: Box<dyn AnyPosition>,
    own: Side,
    fault: String,
    random: Random,
}

// The tests need a child that is left alone.
#[allow(clippy::zombie_processes)]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |place: usize| arguments.get(place).map_or("", String::as_str);
    if arguments.iter().any(|word| word == "child") {
        // A child that ignores the end of its terminal, in another session.
        let mut child = std::process::Command::new("sh");
        let child = child.args(["-c", "trap '' HUP TERM; setsid sleep 300 & sleep 300"]);
        child.spawn().unwrap();
    }
    let is_slide = word(0) == "slide";
    let variant = if is_slide {
        Variant::Gridlock
    } else {
        Variant::MagneticCave
    };
    let mut program = Program {
        position: variant.startpos(),
        own: Side::First,
        fault: arguments.last().cloned().unwrap_or_default(),
        random: Random::new(u64::from(std::process::id())),
    };
    match word(0) {
        "menu" => program.menu(),
        "board" => program.board_only(),
        "slide" => program.slide(word(1)),
        style => panic!("no style `{style}`"),
    }
}

/// Reads a line; at the end of input the program ends.
fn ask(prompt: &str) -> String {
    print!("{prompt}");
    io::stdout().flush().unwrap();
    let mut line = String::new();
    if io::stdin().read_line(&mut line).unwrap() == 0 {
        std::process::exit(0);
    }
    line.trim().to_string()
}

/// The side of the program.
const fn other_if(person_starts: bool) -> Side {
    if person_starts { Side::Second } else { Side::First }
}

impl Program {
    fn is_over(&self) -> bool {
        self.position.outcome().is_some()
    }

    fn is_own_turn(&self) -> bool {
        self.position.side_to_move() == self.own
    }

    /// A move of the program, after its fault at the second one.
    fn choose(&mut self) -> Move {
        let pieces = self.position.diagram().pieces;
        let mv = *self.random.choose(&self.position.legal_moves()).unwrap();
        if self.position.info().slides || pieces[self.own.index()].count() == 0 {
            return mv;
        }
        match self.fault.as_str() {
            "crash" => {
                eprintln!("Exception in thread main");
                std::process::exit(3);
            }
            "over" => {
                println!("Player 1 won! Thank you for playing!");
                std::thread::sleep(LONG);
            }
            "illegal" => return Move::place(Cell::new(3, 3)),
            "flood" => loop {
                println!("Thinking about nothing in particular");
            },
            "deaf" => std::thread::sleep(LONG),
            _ => {}
        }
        mv
    }

    fn menu(&mut self) {
        println!("\x1b[1mWelcome to Magnetic Cave!\x1b[0m");
        while ask("1. Single player\n2. Multiplayer\nYour choice: ") != "1" {
            println!("Please enter 1 or 2.");
        }
        let color = ask("Which color do you want, X or O? ");
        self.own = other_if(color == "X");
        while !self.is_over() {
            let player = self.position.side_to_move().index() + 1;
            let mv = if self.is_own_turn() {
                self.choose()
            } else {
                self.asked(&format!("Player {player}, enter your move: "))
            };
            let has_other_words = self.is_own_turn() && self.fault == "words";
            let verb = if has_other_words { "plays" } else { "chose move:" };
            // Row 1 is at the top.
            let cell = mv.to();
            let column = char::from(b'A' + cell.column());
            println!("Player {player} {verb} {column}{}", cell.row() + 1);
            if !self.position.legal_moves().contains(&mv) {
                ask("");
            }
            self.position.play(mv);
            self.print_rows("-");
        }
        match self.position.outcome().unwrap().result {
            GameResult::Win(side) => println!("Player {} won! Thank you for playing!", side.index() + 1),
            GameResult::Draw => println!("It's a tie! Thank you for playing!"),
        }
    }

    /// A legal move of the person, such as `A6`.
    fn asked(&mut self, prompt: &str) -> Move {
        loop {
            let text = ask(prompt).into_bytes();
            if let [column @ b'A'..=b'H', row @ b'1'..=b'8'] = text[..] {
                let mv = Move::place(Cell::new(row - b'1', column - b'A'));
                if self.position.legal_moves().contains(&mv) {
                    return mv;
                }
            }
            println!("Invalid move! Try again.");
        }
    }

    fn print_rows(&self, empty: &str) {
        let diagram = self.position.diagram();
        println!("  A B C D E F G H");
        for row in 0..8 {
            let cells = (0..8).map(|column| match diagram.owner(Cell::new(row, column)) {
                Some(side) => ["X", "O"][side.index()],
                None => empty,
            });
            println!("{} {}", row + 1, cells.collect::<Vec<_>>().join(" "));
        }
    }

    fn board_only(&mut self) {
        self.own = other_if(ask("Do you start (y/n)? ") == "y");
        self.print_rows(".");
        while !self.is_over() {
            let mv = if self.is_own_turn() {
                self.choose()
            } else {
                self.asked("")
            };
            let has_played = self.position.diagram().pieces[self.own.index()].count() > 0;
            if self.is_own_turn() && has_played && self.fault == "words" {
                println!("I have played");
                ask("");
            }
            self.position.play(mv);
            self.print_rows(".");
        }
    }

    fn slide(&mut self, fen: &str) {
        self.position = Variant::Gridlock.parse_fen(fen).unwrap();
        self.own = other_if(ask("Are you player 1 or 2? ") == "1");
        while !self.is_over() {
            let mv = if self.is_own_turn() {
                self.choose()
            } else {
                let from = ask("Choose piece to move: ");
                let to = ask(&format!("Choose the new position for {from}: "));
                let Ok(mv) = self.position.parse_move(&(from + &to)) else {
                    println!("You cannot do that.");
                    continue;
                };
                mv
            };
            // The same words for both players.
            let [from, to] = [mv.from(), mv.to()].map(|cell| self.position.cell_text(cell));
            println!("The piece at {from} moves to {to}.");
            self.position.play(mv);
            println!("{}", self.position.diagram());
        }
        println!("The game is over.");
    }
}
