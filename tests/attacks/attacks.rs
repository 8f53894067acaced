//! A hostile bot: `attacks all …` tries every attack of [`list::ATTACKS`], `attacks allowed`
//! what a bot must be able to do, `attacks fixed-port` is a bot that needs a port, `attacks calls` system calls by their numbers. The outcomes go to stderr, a line each; then it plays
//! the first legal moves. `attacks NAME` is a bot that goes too far in one way while it
//! thinks.
//!
//! `tests/referee/sandbox.rs` compares the outcomes with the table in docs/sandbox.md.

#[cfg(target_os = "linux")]
mod allowed;
#[cfg(target_os = "linux")]
mod excess;
#[cfg(target_os = "linux")]
mod list;
#[cfg(target_os = "linux")]
#[expect(dead_code, reason = "a test of what is left uses the rest")]
mod machine_code;

#[cfg(target_os = "linux")]
fn main() {
    use std::io::{BufRead, Write};

    use lodestone_game::Variant;
    use lodestone_game::protocol::{Command, Start};

    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut args = args.iter().map(String::as_str);
    let name = args.next().unwrap_or_default();
    match name {
        "all" => list::try_all(&list::Victim::of_words(&args.collect::<Vec<_>>())),
        "allowed" => allowed::try_all(),
        "fixed-port" => allowed::serve_at_a_fixed_port(),
        "calls" => list::try_calls(args.next().unwrap_or_default()),
        "burn-a-while" => return excess::burn(300),
        "burn-a-moment" => return excess::burn(4),
        "fills-sockets" if args.next().is_some() => excess::commit(name),
        _ => {}
    }
    let mut position = Variant::MagneticCave.startpos();
    let say = |line: &str| {
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            std::process::exit(0);
        }
    };
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match Command::parse(&line) {
            Ok(Command::Greet(dialect)) => say(dialect.greeted()),
            Ok(Command::IsReady) => say("readyok"),
            Ok(Command::Position { start, moves }) => {
                position = match start {
                    Start::Startpos => Variant::MagneticCave.startpos(),
                    Start::Fen(fen) => Variant::MagneticCave.parse_fen(&fen).unwrap_or(position),
                };
                for text in moves {
                    if let Ok(mv) = position.parse_move(&text) {
                        position.play(mv);
                    }
                }
            }
            Ok(Command::Go(_)) => {
                excess::commit(name);
                let mv = position.legal_moves().first().map(|&mv| position.move_text(mv));
                say(&format!("bestmove {}", mv.unwrap_or("0000".into())));
            }
            Ok(Command::Quit) => return,
            _ => {}
        }
    }
}

/// The sandbox is for Linux.
#[cfg(not(target_os = "linux"))]
fn main() {}
