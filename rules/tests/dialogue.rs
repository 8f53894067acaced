//! Dialogues with a rules program.

use referee_rules::{GameResult, Grid, Rules, Setting, serve};

/// Take one, two or three sticks. The player who takes the last stick wins.
struct Sticks {
    count: i64,
    is_misere: bool,
    mode: String,
    file: String,
}

type Position = (i64, bool);

impl Rules for Sticks {
    type Position = Position;

    fn start(&self) -> Position {
        (self.count, true)
    }

    fn turn(&self, position: &Position) -> bool {
        position.1
    }

    fn moves(&self, position: &Position) -> Vec<String> {
        let most = if self.mode == "old" { 3 } else { 10 };
        (1..=position.0.min(most))
            .map(|count| count.to_string())
            .collect()
    }

    fn play(&self, position: &Position, mv: &str) -> Position {
        (position.0 - mv.parse::<i64>().unwrap(), !position.1)
    }

    fn result(&self, position: &Position) -> Option<GameResult> {
        (position.0 == 0).then(|| GameResult::win(position.1 == self.is_misere))
    }

    fn options(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::spin("sticks", &mut self.count, 1..=99),
            Setting::check("misere", &mut self.is_misere),
            Setting::combo("mode", &mut self.mode, &["old", "new rules"]),
            Setting::text("file", &mut self.file),
        ]
    }

    fn use_options(&mut self) -> Result<(), String> {
        match self.file.as_str() {
            "" => Ok(()),
            file => Err(format!("there is no `{file}`")),
        }
    }
}

fn sticks() -> Sticks {
    Sticks {
        count: 5,
        is_misere: false,
        mode: "old".into(),
        file: String::new(),
    }
}

/// The answers to these lines.
fn answers(game: impl Rules, lines: &[u8]) -> String {
    let mut output = Vec::new();
    serve(game, &mut &lines[..], &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// Checks a dialogue: the answers after `<`, the other lines are questions.
fn check(game: impl Rules, dialogue: &str) {
    let lines: Vec<&str> = dialogue
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let (expected, asked): (Vec<&str>, Vec<&str>) = lines.iter().partition(|line| line.starts_with('<'));
    let expected: Vec<&str> = expected.iter().map(|line| line[1..].trim()).collect();
    let found = answers(game, asked.join("\n").as_bytes());
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn answers_what_the_game_has_and_nothing_else() {
    check(
        sticks(),
        "ugi
         < id name Sticks
         < option name sticks type spin default 5 min 1 max 99
         < option name misere type check default false
         < option name mode type combo default old var old var new rules
         < option name file type string default <empty>
         < ugiok
         query fen
         query score
         query grid
         query board
         query setup 1
         query setup x
         query notation
         query parse 1
         query proven
         query no-query
         isready
         < readyok
         position startpos moves 1 3
         query gameover
         < response false
         query p1turn
         < response true
         query result
         < response none
         query moves
         < response 1
         query islegal 2
         < response false
         query reason
         < response none
         position startpos moves 1 3 1
         query gameover
         < response true
         query result
         < response p1win
         query moves
         < response
         quit
         isready",
    );
}

/// A game that calls every move legal, whether it is over or not.
struct Careless;

impl Rules for Careless {
    type Position = u32;

    fn start(&self) -> u32 {
        1
    }

    fn turn(&self, _: &u32) -> bool {
        true
    }

    fn moves(&self, _: &u32) -> Vec<String> {
        vec!["1".into()]
    }

    fn play(&self, position: &u32, _: &str) -> u32 {
        position - 1
    }

    fn result(&self, position: &u32) -> Option<GameResult> {
        (*position == 0).then_some(GameResult::Draw)
    }

    fn is_legal(&self, _: &u32, _: &str) -> bool {
        true
    }
}

#[test]
fn no_move_is_legal_after_the_end() {
    check(
        Careless,
        "query islegal 1
         < response true
         position startpos moves 1
         query islegal 1
         < response false",
    );
}

#[test]
fn goes_back_and_aside_in_a_game() {
    check(
        sticks(),
        "position startpos moves 1 1 1
         query moves
         < response 1 2
         position startpos moves 1
         query moves
         < response 1 2 3
         position startpos moves 1 2
         query moves
         < response 1 2
         position startpos
         query p1turn
         < response true",
    );
}

#[test]
fn refuses_what_it_cannot_use_and_goes_on() {
    check(
        sticks(),
        "position startpos moves 1 4
         < info string error: move 2: `4` is not a legal move; expected 1, 2, 3
         query moves
         < info string error: no answer, because the last `position` was refused: move 2: `4` is not a legal move; expected 1, 2, 3
         position startpos moves 3 2 1
         < info string error: move 3: `1` cannot be played: the game is over
         position fen 3 x
         < info string error: FEN `3 x`: this game has no FEN; expected `position startpos`, then perhaps `moves …`
         position
         < info string error: expected `position startpos` or `position fen TEXT`, then perhaps `moves …`
         go depth 3
         < info string error: expected ugi, uci, isready, setoption, position, query or quit, found `go`
         position startpos moves 3
         query moves
         < response 1 2",
    );
    let found = answers(sticks(), b"position \xff\nisready");
    let expected = "info string error: a line is not UTF-8 text: byte 10 of it is wrong\nreadyok\n";
    assert_eq!(found, expected);
    let long = [vec![b'x'; 3 << 20], b"\nisready\n".to_vec()].concat();
    let expected = "info string error: a line has more than 1048576 bytes\nreadyok\n";
    assert_eq!(answers(sticks(), &long), expected);
}

#[test]
fn options_are_fields_and_a_wrong_value_changes_nothing() {
    check(
        sticks(),
        "setoption name STICKS value 2
         query moves
         < response 1 2
         setoption name misere value true
         position startpos moves 2
         query result
         < response p2win
         setoption name sticks value 100
         < info string error: option sticks: expected 1 to 99, found `100`
         setoption name mode value NEW rules
         setoption name mode value x
         < info string error: option mode: expected old, new rules, found `x`
         setoption name file value a b
         < info string error: option file: there is no `a b`
         setoption name colour value red
         < info string error: there is no option `colour`; there are: sticks, misere, mode, file
         setoption name sticks value 12
         position startpos moves 0
         < info string error: move 1: `0` is not a legal move; expected 1, 2, 3, 4, 5, 6, 7, 8 or 2 more
         uci
         < id name Sticks
         < option name sticks type spin default 12 min 1 max 99
         < option name misere type check default true
         < option name mode type combo default new rules var old var new rules
         < option name file type string default <empty>
         < uciok",
    );
}

/// A game with everything.
struct Full;

impl Rules for Full {
    type Position = u64;

    fn start(&self) -> u64 {
        0
    }

    fn turn(&self, position: &u64) -> bool {
        position.is_multiple_of(2)
    }

    fn moves(&self, _: &u64) -> Vec<String> {
        vec!["a1".into(), "b1".into()]
    }

    fn play(&self, position: &u64, _: &str) -> u64 {
        position + 1
    }

    fn result(&self, position: &u64) -> Option<GameResult> {
        (*position >= 4).then_some(GameResult::Draw)
    }

    fn name(&self) -> String {
        "Full\tgame".into()
    }

    fn fen(&self, position: &u64) -> Option<String> {
        Some(format!("number {position}"))
    }

    fn from_fen(&self, text: &str) -> Result<u64, String> {
        let number = text
            .strip_prefix("number ")
            .and_then(|number| number.parse().ok());
        number.ok_or_else(|| "expected a number".into())
    }

    fn reason(&self, position: &u64) -> Option<String> {
        Some(format!("{position} is enough"))
    }

    fn score(&self, position: &u64) -> Option<(String, String)> {
        Some((position.to_string(), "2.5".into()))
    }

    fn grid(&self, position: &u64) -> Option<Grid> {
        if *position == 2 {
            return Some(Grid::new("", "", [""; 0]));
        }
        let grid = Grid::new("a a| b", "2 2_ 1", ["x", "|", "o", "w", "w", ".", ".", ".", "17"]);
        Some(grid.with_cell_names("{row},{column}"))
    }

    fn setup(&self, seed: u64) -> Option<u64> {
        Some(seed % 4)
    }

    fn notation(&self, _: &u64, mv: &str) -> Option<String> {
        Some(mv.to_uppercase())
    }

    fn parse(&self, _: &u64, text: &str) -> Option<String> {
        (text == "A-1").then(|| "a1".into())
    }

    fn proves(&self) -> bool {
        true
    }

    fn proven(&self, position: &u64) -> Option<GameResult> {
        (*position == 3).then_some(GameResult::SecondWins)
    }
}

#[test]
fn a_game_may_answer_every_query() {
    check(
        Full,
        "ugi
         < id name Full game
         < ugiok
         query proven
         < response none
         position fen number 3
         query proven
         < response p2win
         query fen
         < response number 3
         query score
         < response 3 2.5
         query grid
         < response columns a a| b rows 2 2_ 1 names {row},{column} cells x | o w w . . . 17
         query board
         < response    a     b
         < response 2  x  |  o 2
         < response    -  +
         < response 1  .    17 1
         < response    a     b
         query notation
         < response A1 B1
         query notation b1
         < response B1
         query parse A-1
         < response a1
         query parse c1
         < response none
         query setup 7
         < response number 3
         query setup x
         < info string error: query setup: expected a whole number, found `x`
         position fen number 2
         query board
         < response
         < response
         position fen number 3 moves a1
         query reason
         < response 4 is enough
         query proven
         < response draw
         query notation
         < response
         position fen 3
         < info string error: FEN `3`: expected a number",
    );
}
