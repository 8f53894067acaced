//! A UGI referee that does not know the rules. It asks in the same order as `cutegames` with
//! generic games, and is as strict: an answer must be exactly two words.

use crate::client::Client;

/// A UGI engine.
struct UgiEngine(Client);

impl UgiEngine {
    fn start(variant: &str) -> UgiEngine {
        let mut engine = UgiEngine(Client::start());
        engine.0.send("ugi\n");
        engine.wait_for(|line| (line == "ugiok").then_some(()));
        engine
            .0
            .send(format!("setoption name UCI_Variant value {variant}\n"));
        engine
    }

    /// Skips lines until `wanted` returns a value.
    fn wait_for<T>(&mut self, mut wanted: impl FnMut(&str) -> Option<T>) -> T {
        loop {
            let line = self.0.next_line("an answer");
            assert!(!line.contains("error"), "{line}");
            if let Some(found) = wanted(&line) {
                return found;
            }
        }
    }

    /// Skips lines until one has two words, the first of them `first`; returns the second.
    fn wait_for_pair(&mut self, first: &str) -> String {
        self.wait_for(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            [word, answer] if word == first => Some(answer.to_string()),
            _ => None,
        })
    }

    fn is_ready(&mut self) {
        self.0.send("isready\n");
        self.wait_for(|line| (line == "readyok").then_some(()));
    }

    fn position(&mut self, moves: &[String]) {
        let moves = match moves {
            [] => String::new(),
            moves => format!(" moves {}", moves.join(" ")),
        };
        self.0.send(format!("position startpos{moves}\n"));
    }

    fn query(&mut self, question: &str, moves: &[String]) -> String {
        self.position(moves);
        self.0.send(format!("query {question}\n"));
        self.wait_for_pair("response")
    }

    fn go(&mut self, limits: &str) -> String {
        self.0.send(format!("go {limits}\n"));
        self.wait_for_pair("bestmove")
    }
}

/// Plays a whole game; returns the number of moves of each side and the result.
fn play(variant: &str, limits: &str) -> ([usize; 2], String) {
    let mut engines = [UgiEngine::start(variant), UgiEngine::start(variant)];
    for engine in &mut engines {
        engine.is_ready();
        engine.0.send("uginewgame\n");
    }
    let mut moves: Vec<String> = Vec::new();
    let mut counts = [0; 2];
    loop {
        assert_eq!(
            engines[0].query("p1turn", &moves),
            moves.len().is_multiple_of(2).to_string()
        );
        let to_move = usize::from(engines[0].query("p1turn", &moves) != "true");
        engines[to_move].is_ready();
        engines[to_move].position(&moves);
        // Asks both engines.
        let over = [to_move, 1 - to_move].map(|place| engines[place].query("gameover", &moves));
        assert_eq!(over[0], over[1]);
        if over[0] == "true" {
            break;
        }
        assert_eq!(engines[to_move].query("result", &moves), "none");
        engines[to_move].position(&moves);
        moves.push(engines[to_move].go(limits));
        counts[to_move] += 1;
    }
    let results = [0, 1].map(|place| {
        engines[place].is_ready();
        engines[place].query("result", &moves)
    });
    assert_eq!(results[0], results[1]);
    (counts, results[0].clone())
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn plays_whole_games_with_a_referee_without_rules() {
        for (variant, limits) in [
            ("magnetic-cave", "movetime 10"),
            ("magnetic-cave", "p1time 500 p2time 500 p1inc 5 p2inc 5"),
            ("gridlock", "depth 3"),
            ("gridlock", "nodes 500"),
        ] {
            let (counts, result) = play(variant, limits);
            assert!(counts[0] >= 5 && counts[0].abs_diff(counts[1]) <= 1, "{counts:?}");
            assert!(["p1win", "p2win", "draw"].contains(&result.as_str()), "{result}");
        }
    }
}
