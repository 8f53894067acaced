//! `referee rules`: rules programs, right and wrong.

use std::time::Duration;

use crate::support::{
    Expect, Outcome, Scene, assert_lacks, assert_rows, assert_rows_by, assert_starts, expect, joined,
};

/// A rules program in shell: each move is `a` or `b`, and the game ends after three moves. Each field
/// is the shell code for a line; `$n` is the number of moves, `$position` the last `position` line.
pub struct Rules<'a> {
    pub start: &'a str,
    pub position: &'a str,
    pub gameover: &'a str,
    pub p1turn: &'a str,
    pub result: &'a str,
    pub moves: &'a str,
    pub setoption: &'a str,
    pub other: &'a str,
    pub isready: &'a str,
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Rules {
            start: ":",
            position: ":",
            gameover: "[ $n -ge 3 ] && say true || say false",
            p1turn: "[ $((n % 2)) = 0 ] && say true || say false",
            result: "[ $n -ge 3 ] && say p1win || say none",
            moves: "[ $n -ge 3 ] && say || say a b",
            setoption: ":",
            other: ":",
            isready: "echo readyok",
        }
    }
}

impl<'a> Rules<'a> {
    /// The program with other code: `FIELD: CODE`, with ` // ` between several.
    pub fn of(codes: &'a str) -> Rules<'a> {
        let mut rules = Rules::default();
        for (field, code) in codes.split(" // ").map(|code| code.split_once(": ").unwrap()) {
            *match field {
                "start" => &mut rules.start,
                "position" => &mut rules.position,
                "gameover" => &mut rules.gameover,
                "p1turn" => &mut rules.p1turn,
                "result" => &mut rules.result,
                "moves" => &mut rules.moves,
                "other" => &mut rules.other,
                _ => panic!("{field} is no field"),
            } = code;
        }
        rules
    }

    pub fn script(&self) -> String {
        format!(
            r#"#!/bin/sh
n=0
say() {{ echo response "$@"; }}
{start}
while read -r line; do
    case $line in
        ugi) echo ugiok ;;
        isready) {isready} ;;
        position*) position=$line; set -- $line; n=$(($# > 3 ? $# - 3 : 0)); {position} ;;
        "query gameover") {gameover} ;;
        "query p1turn") {p1turn} ;;
        "query result") {result} ;;
        "query moves") {moves} ;;
        setoption*) {setoption} ;;
        query*) {other} ;;
        quit) exit 0 ;;
    esac
done
"#,
            start = self.start,
            isready = self.isready,
            position = self.position,
            gameover = self.gameover,
            p1turn = self.p1turn,
            result = self.result,
            moves = self.moves,
            setoption = self.setoption,
            other = self.other,
        )
    }
}

/// `referee rules` with this program, called `game`.
fn check(rules: &Rules, options: &str) -> Outcome {
    let scene = Scene::new();
    scene.script("game", &rules.script());
    let games = if options.contains("--games") {
        ""
    } else {
        "--games 5"
    };
    scene.referee(&format!("rules ./game {games} {options}"))
}

/// `referee rules` with the programs `one` and `two`.
fn compare(one: &Rules, two: &Rules) -> Outcome {
    let scene = Scene::new();
    scene.script("one", &one.script());
    scene.script("two", &two.script());
    scene.referee("rules ./one ./two --games 20")
}

#[test]
fn correct_program_is_fit() {
    let outcome = check(&Rules::default(), "").succeeds();
    // What takes time differs.
    let lines = outcome.stdout.lines();
    let lines = lines.filter(|line| !line.contains(" time ") && !line.contains(" repeatable "));
    expect![[r#"
        Rules: game
          ok    queries         gameover p1turn result moves
          ok    end             5 games ended, after 3 moves
          ok    contradictions  none in 20 positions
          ok    second process  agrees in 11 positions, asked in another order
          warn  text            `query fen` has no answer: no position can be given as text
                repetition      `--repetition` has no effect, because it compares the texts of positions
                turns           alternate
                moves           2 moves in a position
                first player    5 wins, 0 draws, 0 losses (100.0 %) with random moves
                perft           2 4 8 0
        game passes the checks of a rules program.
        Next: `referee play --rules ./game` plays the game.
    "#]]
    .assert_eq(&lines.map(|line| format!("{line}\n")).collect::<Vec<_>>().concat());
    outcome.shows("  ok    repeatable ");
    outcome.shows(expect! {"µs for 4 queries in one batch (median),"});
}

/// A variant is a setting like any other: the referee does not know the game.
#[test]
fn options_are_those_of_the_program() {
    let rules = Rules {
        start: "echo option name UCI_Variant type combo default chess var chess var shogi",
        ..Rules::default()
    };
    check(&rules, "").succeeds();
    check(&rules, "option.UCI_Variant=shogi").succeeds();
    check(&rules, "option.UCI_Variant=gridlock").exits(2).says(
        expect! {"referee: game does not take `option.UCI_Variant=gridlock`: expected one of chess, shogi"},
    );
    check(&rules, "option.Size=3").exits(2).says("referee: game ");
}

/// A program whose option chooses the game, and whose name says which one it is. One that introduces itself only `once`
/// keeps its first name.
pub fn house_of_games(once: bool) -> String {
    let rules = Rules {
        start: "game=nought",
        setoption: "game=${line##* }",
        ..Rules::default()
    };
    let option = "option name game type combo default nought var nought var stones";
    let end = if once { "exec 3>/dev/null" } else { ":" };
    let greeting = format!("ugi) echo id name House of $game >&3; echo {option} >&3; echo ugiok; {end}");
    let script = rules.script().replace("ugi) echo ugiok", &greeting);
    script.replace("#!/bin/sh\n", "#!/bin/sh\nexec 3>&1\n")
}

#[test]
fn name_of_a_game_is_that_with_its_options() {
    for (once, options, name) in [
        (false, "", "House of nought"),
        (false, "option.game=stones", "House of stones"),
        (false, "option.game=stones name=own", "own"),
        (true, "option.game=stones", "House of nought"),
    ] {
        let scene = Scene::new();
        scene.script("game", &house_of_games(once));
        let outcome = scene
            .referee(&format!("rules ./game --games 5 {options}"))
            .succeeds();
        outcome.shows(format!("Rules: {name}\n"));
        outcome.shows(format!("\n{name} passes the checks of a rules program.\n"));
        assert_lacks(&outcome.stdout, "other lines");
    }
}

/// Asserts for each row that the check of the program fails at the position, if there is one: at the start, or after
/// moves; and its sentence.
fn assert_fail(table: Expect) {
    assert_rows_by('¦', table, |[codes, position]| {
        let outcome = check(&Rules::of(codes), "").exits(1);
        outcome.shows("  FAIL  game ");
        outcome.shows(match position {
            "start" => "\n        position startpos\n",
            "moves" => "\n        position startpos moves ",
            _ => "",
        });
        assert_eq!(outcome.stderr, "");
        outcome.stdout
    });
}

#[test]
fn answers_in_a_wrong_form_are_named_with_their_position() {
    assert_fail(expect![[r#"
        gameover: say maybe ¦ start
            ¦ game answered `query gameover` with `response maybe`; expected `true` or `false`
        result: say 1-0 ¦ start
            ¦ game answered `query result` with `response 1-0`; expected `p1win`, `p2win`, `draw` or `none`
        moves: say a b a ¦ start
            ¦ game answered `query moves` with `response a b a`; expected each move once; `a` is listed twice
        result: [ $n -ge 1 ] || say none ¦ moves
            ¦ game wrote 3 lines `response …` to 4 queries (gameover, p1turn, result, moves) in one batch; expected one
        moves: : ¦ start
            ¦ game does not answer `query moves`, which is required; expected a line `response …` before `readyok`
        position: echo info string error: no game // gameover: : ¦ 
            ¦ game refuses the start position: `no game`; expected no reply to `position startpos`
    "#]]);
}

#[test]
fn contradictions_are_named_with_their_position() {
    assert_fail(expect![[r#"
        moves: [ $n -ge 2 ] && say || say a b ¦ moves
            ¦ game answers `gameover` with `false`, but lists no move; expected a move, such as `pass`
        result: say none ¦ moves
            ¦ game answers `gameover` with `true`, but `result` with `none`; expected `p1win`, `p2win` or `draw`
        position: [ $n = 2 ] && echo info string error: no ¦ moves
            ¦ a move that it has listed: `no`; expected no reply to `position`
        p1turn: asked=$((asked + 1)); [ $((asked % 2)) = 0 ] && say true || say false ¦ start
            ¦ game answers `query p1turn` first with `
        other: case $line in *islegal*) say false ;; esac ¦ start
            ¦ ` with `false`; expected `true`
        other: case $line in *islegal*) say true ;; esac ¦ start
            ¦ game answers `query islegal no-move` with `true`; expected `false`
        other: [ "$line" != 'query fen' ] || say text // position: [ "$3" != text ] || echo info string error: what ¦ start
            ¦ game does not read its own text, `position fen text`: `what`
        other: [ "$line" != 'query fen' ] || say text // moves: [ $n -ge 3 ] && say || case $line$position in *text*) say a ;; *) say a b ;; esac ¦ start
            ¦ game answers `query moves` with `2 moves; only here: b`, but after `position fen text` with `1 move`; expected the same answer
    "#]]);
}

#[test]
fn programs_that_fail_end_with_a_sentence() {
    let table = expect![[r#"
        start: exit 3 ¦¦ 3 ¦ game did not complete the handshake: it ended with exit status 3
        start: exec sleep 60 ¦ starttime=0.3 ¦ 3 ¦ no `ugiok` within 0.300 s
        gameover: echo '  no luck' >&2; exit 4 ¦¦ 1
            ¦ game ended with exit status 4; expected an answer¶        position startpos¶        stderr:   no luck¶
        moves: [ $n = 2 ] && exec sleep 60; say a b ¦ timeout=0.5 ¦ 1
            ¦ game did not write `readyok` within 500.0ms after `query gameover`, `query p1turn`, `query result`, `query moves`; expected the answers and `readyok`, flushed; `timeout=SECONDS` gives more time¶        position startpos moves
        moves: head -c 3000000 /dev/zero | tr '\0' x ¦¦ 1 ¦ game wrote a line of more than 64 KiB; expected a shorter line
        moves: yes "response $(printf %01000d 0)" | head -c 9000000 ¦¦ 1 ¦ game wrote more than 8 MiB without `readyok`
        moves: printf 'response a \377\n' ¦¦ 1
            ¦ game wrote a line that is not UTF-8 text: `response a �`; expected UTF-8 text
        moves: printf 'response a'; exit 0 ¦¦ 1 ¦ game ended with exit status 0; expected an answer
        gameover: say false // moves: say a b // result: say none ¦ --max-plies 30 ¦ 1
            ¦ FAIL  end             5 of 5 games did not end within 30 moves (`--max-plies`)
    "#]];
    assert_rows_by('¦', table, |[codes, options, status]| {
        let outcome = check(&Rules::of(codes), options).exits(status.parse().unwrap());
        assert!(outcome.took < Duration::from_secs(20), "{outcome:?}");
        let said = if status == "3" {
            outcome.stderr
        } else {
            outcome.stdout
        };
        said.replace('\n', "¶")
    });
}

/// A game of 15 moves, where the program needs 0.2 s for each move that it has not seen, and `moves` are the legal ones.
/// `jumped` is 1 after several of them at a time.
fn slow<'a>(moves: &'a str, read: &'a str) -> Rules<'a> {
    Rules {
        start: "last=0 jumped=0",
        position: read,
        gameover: "[ $n -ge 15 ] && say true || say false",
        result: "[ $n -ge 15 ] && say p1win || say none",
        moves,
        ..Rules::default()
    }
}

#[test]
fn harmless_faults_are_warnings() {
    let rules = Rules {
        result: "say p1win",
        moves: "say a b",
        p1turn: "say true",
        other: "case $line in *reason) say none; echo hello ;; esac",
        ..Rules::default()
    };
    let outcome = check(&rules, "").succeeds();
    outcome.shows(expect! {"warn  early result    15 positions with a result before the end, which does not count; the first: position startpos"});
    outcome.shows(expect! {"warn  late moves      5 finished positions list moves, which do not count; the first: position startpos moves"});
    outcome.shows(expect! {"warn  reason          5 finished positions without a reason; the first:"});
    outcome
        .shows(expect! {"  warn  other lines     "})
        .shows(expect! {"lines of no answer; the first: `hello`"});
    outcome.shows(expect! {"turns           10 moves by the side that moved before; the first: position startpos moves"});
}

#[test]
fn comparison_prints_a_shortest_line() {
    let right = Rules::default();
    let same = compare(&right, &right).succeeds();
    same.shows(expect! {"one and two agree on moves, turns and results: 20 games, 95 positions."});
    // Texts of positions are compared if both programs have them.
    let with_texts = Rules::of("other: case $line in *fen) say $n ;; esac");
    compare(&right, &with_texts).succeeds();
    let table = expect![[r#"
        moves: case $position in *b) say a c d ;; *) [ $n -ge 3 ] && say || say a b ;; esac // other: case $line in *board) say top; say $n ;; esac
            ¦ one and two differ after 1 move:¶  position startpos moves b¶  query moves¶    one: 2 moves; only here: b¶    two: 3 moves; only here: c d¶¶top¶1¶
        result: [ $n -ge 3 ] && say draw || say none
            ¦ differ after 3 moves:¶  position startpos moves a a a¶  query result¶    one: p1win¶    two: draw¶
        p1turn: say true
            ¦ differ after 1 move:¶  position startpos moves a¶  query p1turn¶    one: false¶    two: true¶
        gameover: [ $n -ge 2 ] && say true || say false // result: [ $n -ge 2 ] && say draw || say none
            ¦ differ after 2 moves:¶  position startpos moves a a¶  query gameover¶    one: false¶    two: true¶
        position: [ "$line" != 'position startpos moves b a' ] || echo info string error: a is taken
            ¦ differ after 2 moves:¶  position startpos moves b a¶  the last move, which both list¶    one: accepted¶    two: a is taken¶
    "#]];
    assert_rows_by('¦', table, |[codes]| {
        let outcome = compare(&right, &Rules::of(codes)).exits(1);
        outcome.stdout.replace('\n', "¶")
    });
    // A fault is no difference.
    let outcome = compare(&right, &Rules::of("moves: [ $n = 2 ] && exit 5; say a b")).exits(1);
    outcome.shows(expect! {"FAIL  two ended with exit status 5; expected an answer"});
    outcome.shows("\n        position startpos moves a a\n");
}

#[test]
fn wrong_words_are_refused() {
    let scene = Scene::new();
    let table = expect![[r#"
        rules | 2 | <PROGRAM>
        rules a b c | 2 | referee: expected one or two programs, found 3 (a, b, c)
        rules args=x | 2 | referee: `args=x` belongs to no program; begin with a program or `cmd=PROGRAM`
        rules human | 2 | referee: `human` is not a program; give a program with the rules of a game
        rules gridlock option.Hsh=1 | 2 | option
        rules gridlock --games 0 | 2 | --games
        rules ./missing | 3 | referee: the rules program: `./missing` does not exist
        rules gridlock timeout=x | 2 | referee: `timeout=x`: expected seconds
    "#]];
    assert_rows(table, |[line, status]| {
        scene.referee(line).exits(status.parse().unwrap()).stderr
    });
}

/// A board of a size that the option or `query setup` gives: `SIZE:PLIES` is the text of a position.
pub fn sized(moves: &str) -> Rules<'_> {
    Rules {
        start: "default=5; echo option name size type spin default 5 min 3 max 11",
        setoption: "default=${line##* }",
        position: "case $2 in fen) size=${3%:*} n=$((${3#*:} + ($# > 4 ? $# - 4 : 0))) ;; *) size=$default ;; esac",
        moves,
        other: "case $line in *fen) say $size:$n ;; *setup*) echo ${line##* } >> seeds; say ${line##* }:0 ;; esac",
        ..Rules::default()
    }
}

#[test]
fn starts_are_those_of_a_match() {
    let scene = Scene::new();
    scene.script("game", &sized(Rules::default().moves).script());
    let outcome = scene.referee("rules ./game --games 4").succeeds();
    outcome.shows(expect! {"ok    starts          4 of `query setup`"});
    let seeds = scene.text("seeds");
    // The first one belongs to the question whether there are starts.
    let starts: Vec<String> = seeds
        .lines()
        .skip(1)
        .take(4)
        .map(|seed| format!("{seed}:0"))
        .collect();
    scene
        .referee("match --rules ./game random random --games 8 --quiet --out games.jsonl")
        .succeeds();
    let records = scene.records();
    let played: Vec<&str> = records
        .iter()
        .step_by(2)
        .filter_map(|record| record["start"].as_str())
        .collect();
    assert_eq!(played, starts);
}

#[test]
fn fault_at_a_start_or_with_an_option_is_found() {
    let right = sized(Rules::default().moves);
    // Sizes of `setup` that occur in half of the games.
    let table = expect![[r#"
        $((size % 2)) = 0 | NAME ended with exit status 7; expected an answer position fen
        $default = 11 | NAME with option.size=11 ended with exit status 7; expected an answer position startpos
    "#]];
    assert_rows(table, |[condition]| {
        let moves = format!("[ {condition} ] && exit 7; [ $n -ge 3 ] && say || say a b");
        let wrong = sized(&moves);
        let [alone, compared] = [check(&wrong, ""), compare(&right, &wrong)].map(|outcome| {
            let shown = joined(&outcome.exits(1).stdout);
            let (_, fault) = shown.split_once("FAIL ").unwrap();
            let (_, words) = fault.split_once(' ').unwrap();
            format!("NAME {words}")
        });
        assert_starts(compared, alone.split(" position ").next().unwrap());
        alone
    });
    // The value on the command line is the only one.
    let outcome = check(&sized(right.moves), "").succeeds();
    outcome.shows(expect! {"ok    options         random games with option.size=3, option.size=11"});
    let outcome = check(&sized(right.moves), "option.size=4").succeeds();
    assert_lacks(&outcome.stdout, "options");
}

#[test]
fn comparison_begins_at_starts_and_with_options() {
    let right = sized(Rules::default().moves);
    let table = expect![[r#"
        $((size % 2)) = 0 | one and two differ after 0 moves: position fen
        $default = 11 | one with option.size=11 and two with option.size=11 differ after 0 moves: position startpos
    "#]];
    assert_rows(table, |[condition]| {
        let moves = format!("[ $n -ge 3 ] && say || {{ [ {condition} ] && say a b c || say a b; }}");
        joined(&compare(&right, &sized(&moves)).exits(1).stdout)
    });
    compare(&right, &right)
        .succeeds()
        .shows(expect! {"one with option.size=11 and two with option.size=11 agree on"});
}

mod slow {
    use super::*;

    /// Waits for programs that hang.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_slow_program_is_told_from_a_wrong_one() {
        let read = "[ $((n - last)) -le 1 ] || jumped=1; while [ $n -gt $last ]; do sleep 0.2; last=$((last + 1)); done; last=$n";
        let moves = "[ $n -ge 15 ] && say || say a b";
        let cause = "usual cause";
        let options = "--games 1 timeout=2";
        let outcome = check(&slow(moves, read), options).succeeds();
        outcome.shows(expect! {"warn  slow            a second process took"});
        outcome.shows(expect! {"s, longer than `timeout`, to read 15 moves at a time, as after a restart in a match; its answers were right"});
        assert_lacks(&outcome.stdout, cause);
        // Wrong, which only a slow answer shows.
        let wrong = "[ $n -ge 15 ] && say || { [ $jumped = 1 ] && say a || say a b; }";
        let outcome = check(&slow(wrong, read), options).exits(1);
        outcome
            .shows(expect! {"FAIL  game answers `query moves` with `2 moves; only here: b`, but in a second process"})
            .shows(cause);
        // The second process does not answer at all.
        let hangs = "[ $((n - last)) -le 1 ] || exec sleep 100; last=$n";
        let outcome = check(&slow(moves, hangs), "--games 1 timeout=0.3").exits(1);
        outcome
            .shows(expect! {"FAIL  a second process of game did not write `readyok` within"})
            .shows(expect! {"after 15 moves at a time and `query gameover`"});
        assert_lacks(&outcome.stdout, cause);
        // The first one hangs once, so that a fresh one asked about the position alone answers.
        let once = "last=$n; [ $n != 9 ] || [ -e was-slow ] || { : > was-slow; exec sleep 100; }";
        let outcome = check(&slow(moves, once), "--games 1 timeout=1").exits(1);
        outcome.shows(expect! {"FAIL  game did not write `readyok` within 1.0s after `query gameover`"});
        assert_lacks(&outcome.stdout, cause);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn built_in_rules_are_fit_and_agree_only_with_themselves() {
        let scene = Scene::new();
        for (game, perft) in [("magnetic-cave", "16 256 4096"), ("gridlock", "18 288")] {
            let outcome = scene.referee(&format!("rules {game} --games 3")).succeeds();
            outcome
                .shows(format!("Rules: {game}\n"))
                .shows(format!(" {perft}"));
            outcome.shows(expect! {"queries         gameover p1turn result moves fen reason islegal parse board grid setup"});
            let line = format!("rules {game} cmd={game} name=other --games 3");
            scene
                .referee(&line)
                .succeeds()
                .shows(expect! {"agree on moves, turns, results and texts: 3 games,"});
        }
        let outcome = scene.referee("rules magnetic-cave gridlock").exits(1);
        outcome.shows(expect! {"The texts of the start position differ, so texts are not compared:"});
        outcome.shows(expect! {"magnetic-cave and gridlock differ after 0 moves:"});
        outcome.shows("\n  position startpos\n  query moves\n");
        outcome.shows(expect! {"gridlock:      18 moves; only here:"});
    }

    /// The difference is beyond the positions that are visited completely.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn difference_in_a_long_game_is_shortened() {
        let long = |ending: &'static str| Rules {
            gameover: "[ $n -ge 30 ] && say true || say false",
            result: "[ $n -ge 30 ] && say draw || say none",
            moves: ending,
            ..Rules::default()
        };
        // After twelve moves `b`, among any number of moves `a`, there is a third move.
        let right = long("[ $n -ge 30 ] && say || say a b");
        let wrong = long(
            "case $position in *b*b*b*b*b*b*b*b*b*b*b*b*) more=c ;; *) more= ;; esac; [ $n -ge 30 ] && say || say a b $more",
        );
        let outcome = compare(&right, &wrong).exits(1);
        let line = "b ".repeat(12);
        outcome.shows(expect! {"one and two differ after 12 moves:"});
        outcome.shows(format!("\n  position startpos moves {}\n", line.trim()));
        outcome.shows(expect! {"two: 3 moves; only here: c"});
    }

    /// Python is not on every machine.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn examples_agree_with_the_built_in_rules() {
        let python = std::process::Command::new("python3").arg("--version").output();
        if !python.is_ok_and(|output| output.status.success()) {
            return;
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules");
        let scene = Scene::new();
        for (file, game) in [("magnetic_cave", "magnetic-cave"), ("gridlock", "gridlock")] {
            let line = format!("rules cmd={folder}/{file}.py name=example {game} --games 5");
            scene
                .referee(&line)
                .succeeds()
                .shows(expect! {"agree on moves, turns, results and texts: 5 games,"});
        }
        for (file, text) in [
            ("kalah", " moves by the side that moved before; the first: "),
            ("nim", "perft           16 206 2116\n"),
            ("othello", "perft           4 12 56 244 1396 8200\n"),
        ] {
            scene
                .referee(&format!("rules {folder}/{file}.py --games 3"))
                .succeeds()
                .shows(text);
        }
        // Options reach the program.
        let outcome = scene
            .referee(&format!("rules {folder}/hex.py option.size=3 --games 3"))
            .succeeds();
        outcome.shows("perft           9 72 504 ");
        let line =
            format!("rules {folder}/nim.py cmd={folder}/nim.py name=misere option.misere=true --games 3");
        scene
            .referee(&line)
            .exits(1)
            .shows(expect! {"nim and misere differ after 4 moves:"})
            .shows("\n  position startpos moves 1-1 2-3 3-5 4-7\n  query result\n    nim:    p2win\n    misere: p1win\n");
    }
}
