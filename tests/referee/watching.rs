//! Matches and other long commands on a terminal: boards, and the progress that is redrawn in place.

use crate::driver::{Driver, TERMINAL};
use crate::support::{
    Bot, COLUMN_A, COLUMN_H, Scene, assert_ends, assert_has, assert_lacks, assert_starts, expect,
};

/// Two slow bots, `one` and `other`; the first player wins after nine moves.
fn slow_bots(scene: &Scene) -> &'static str {
    for (name, go) in [("one", COLUMN_A), ("other", COLUMN_H)] {
        scene.bot(name, Bot::thinking(&format!("sleep 0.3; {go}")));
    }
    "match ./one ./other --games 4 --board --each st=5"
}

fn contains(screen: &[String], text: &str) -> bool {
    screen.iter().any(|line| line.contains(text))
}

/// Ctrl-C ends the program.
fn interrupt(mut program: Driver) {
    program.talk("^C");
    program.ends(130);
}

#[test]
fn boards_stand_above_the_status_line() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, slow_bots(&scene));
    program.talk(expect![[r#"
        Game 1 of 4: one (■) against other (□)
        a b c d e f g h
        1. one (■) plays a1 in
        1[■]· · · · · · · 1
        2. other (□) plays h1 in
        1 ■ · · · · · ·[□]1
    "#]]);
    program.until_screen("a board above the progress", |screen| {
        contains(screen, "0 of 4 games | one 0 - 0 other") && contains(screen, "8 ·")
    });
    program.talk(expect![[r#"
        one (■) wins: ■ has five in line, a5 to a1 (1-0, five)
        Game 2 of 4: other (■) against one (□)
    "#]]);
    program.until_screen("the result", |screen| contains(screen, "1 of 4 games | about "));
    program.talk("^C");
    assert_has(program.ends(130), "Stopped after 1 of 4 games.");
    let screen = program.screen();
    assert!(
        !contains(&screen, " games | ") && !contains(&screen, "^C"),
        "{screen:#?}"
    );
    scene.assert_no_bot_left();
}

#[test]
fn the_status_line_follows_a_change_of_size() {
    let scene = Scene::new();
    let line = slow_bots(&scene).replace("st=5", "st=600");
    scene.bot("one", Bot::thinking("sleep 600"));
    let mut program = Driver::on_terminal(&scene, &line);
    for (size, shown) in [
        ((24, 80), "0 of 4 games | one 0 - 0 other"),
        ((24, 40), "0/4 | 0 - 0 | too few"),
        ((30, 100), "0 of 4 games | one 0 - 0 other"),
    ] {
        program.resize(size.0, size.1);
        program.until_screen(shown, |screen| contains(screen, shown));
    }
    interrupt(program);
}

#[test]
fn ctrl_z_stops_the_match_and_does_not_lose_it() {
    let scene = Scene::new();
    let line = slow_bots(&scene).replace("st=5", "st=2 --out games.jsonl");
    // It sleeps longer than a move may take.
    let script = format!("set -m; $REFEREE {line}; touch stopped; sleep 4; fg; exit");
    let mut program = Driver::shell_on_terminal(&scene, &script, TERMINAL);
    program.until("3. one (■) plays a2 in");
    program.talk("^Z");
    scene.wait_for_file("stopped");
    program.talk(expect![[r#"
        one (■) wins: ■ has five in line
        Game 2 of 4
    "#]]);
    interrupt(program);
    assert_eq!(scene.records()[0]["reason"], "five");
}

const FAST: &str = "squares plain --each depth=1 timemargin=60000 --openings random:4 --concurrency 2";

/// The status lines in the output, in their order.
fn status_lines(program: &Driver, games: u64) -> Vec<String> {
    let raw = String::from_utf8_lossy(program.raw()).into_owned();
    let [long, short] = [format!(" of {games} games"), format!("/{games}")];
    let lines = raw
        .split(['\r', '\n'])
        .map(|line| anstream::adapter::strip_str(line).to_string());
    let is_status = |line: &String| {
        let rest = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
        rest.len() < line.len() && (rest.starts_with(&long) || rest.starts_with(&short))
    };
    lines.filter(is_status).collect()
}

#[test]
fn the_status_line_fits_and_counts_the_games_shown() {
    for (columns, parts) in [(40, 2), (60, 3), (80, 4), (200, 5)] {
        let scene = Scene::new();
        // Enough work for several frames.
        let line = "match squares plain --each nodes=4000 timemargin=60000 --openings random:4 \
                    --concurrency 2 --games 60 --sprt elo0=0 elo1=5";
        let mut program = Driver::on_terminal_of_size(&scene, line, (24, columns));
        program.ends(0);
        let lines = status_lines(&program, 60);
        assert!(lines.len() > 10, "{lines:#?}");
        let parts_of = |line: &str| -> Vec<String> {
            let parts = line.split(" | ").flat_map(|part| part.split("  "));
            parts.map(String::from).collect()
        };
        for line in &lines {
            assert!(line.chars().count() < columns.into(), "{columns} columns: {line}");
            let shown = parts_of(line);
            let played: f64 = shown[0].split([' ', '/']).next().unwrap().parse().unwrap();
            // The points are those of the games.
            if let Some(score) = shown.iter().find(|part| part.contains(" - ")) {
                let words = score.split(' ').filter_map(|word| word.parse::<f64>().ok());
                assert!((words.sum::<f64>() - played).abs() < 1e-9, "{line}");
            }
            let elo = shown.iter().find(|part| part.contains("Elo")).unwrap();
            let is_whole = elo == "too few games for Elo"
                || elo.starts_with("Elo ")
                    && (elo.contains(" +/- ") || elo.ends_with(']') || elo.ends_with("inf"));
            assert!(is_whole, "{line}");
            let has_llr = line.contains("LLR ") && line.contains(" (-2.94, 2.94)");
            assert!(columns < 60 || has_llr, "{line}");
        }
        assert!(
            lines.iter().any(|line| parts_of(line).len() >= parts),
            "{lines:#?}"
        );
    }
}

#[test]
fn quiet_shows_progress_on_a_terminal_only() {
    let scene = Scene::new();
    let script = format!("exec \"$REFEREE\" match {FAST} --games 200 --quiet > out.txt");
    let mut program = Driver::shell_on_terminal(&scene, &script, (24, 80));
    let text = program.ends(0);
    assert!(!status_lines(&program, 200).is_empty(), "{text}");
    let screen = program.screen();
    assert!(
        screen.iter().all(|line| line.trim().is_empty()),
        "erased: {screen:#?}"
    );
    assert_starts(scene.text("out.txt"), "----");
    assert_lacks(scene.text("out.txt"), "\x1b");

    let script = format!("exec \"$REFEREE\" match {FAST} --games 40 --quiet 2> err.txt");
    let text = Driver::shell_on_terminal(&scene, &script, (24, 80)).ends(0);
    assert_starts(&text, "----");
    assert_eq!(scene.text("err.txt"), "");
}

#[test]
fn a_warning_stands_above_the_progress() {
    let scene = Scene::new();
    let one = scene.bot("one", Bot::thinking(r"printf 'bestmove a%s\nhello\n' $thinks"));
    let other = scene.bot("other", Bot::thinking(&format!("sleep 0.3; {COLUMN_H}")));
    for option in ["--board", "--quiet", ""] {
        let line = format!("match {one} {other} --games 4 --each st=5 {option}");
        let mut program = Driver::on_terminal_of_size(&scene, &line, (200, 120));
        let screen = program.until_screen("the warning and the progress", |screen| {
            contains(screen, "unexpected output from one: `hello`")
                && contains(screen, "1 of 4 games | about ")
        });
        let place = |text: &str| screen.iter().position(|line| line.contains(text)).unwrap();
        assert!(place("unexpected output") < place("1 of 4 games"), "{screen:#?}");
        let warning = screen[place("unexpected output")].trim_end();
        assert_has(warning, expect! {"referee: warning: unexpected output from one"});
        assert_lacks(warning, " | ");
        interrupt(program);
    }
}

/// Scores every opening after 50 ms; every third is a proven win.
const EVALUATOR: &str =
    "sleep 0.05; [ $((games % 3)) = 0 ] && echo info score win 3 || echo info score cp $games; legal";

#[test]
fn openings_show_progress_and_ctrl_c_saves_those_so_far() {
    let scene = Scene::new();
    let line = "openings --count 30 --plies 3 --window 1000 --engine cmd=./evaluator";
    scene.bot("evaluator", Bot::thinking(EVALUATOR));
    let whole = scene.referee(&format!("{line} --out whole.txt")).exits(0);
    assert_lacks(&whole.stderr, " | ");
    let whole_book = scene.text("whole.txt");

    for (out, columns) in [("book.txt", 80), ("narrow.txt", 40)] {
        scene.bot("evaluator", Bot::thinking(EVALUATOR));
        let mut program = Driver::on_terminal_of_size(&scene, &format!("{line} --out {out}"), (24, columns));
        program.until_screen("the progress", |screen| {
            screen.iter().any(|line| {
                line.contains(" of 30 openings | about ")
                    && line.contains(" s left")
                    && line.trim_end().chars().count() < columns.into()
            })
        });
        program.talk("^C");
        let text = program.ends(130);
        assert_has(&text, " of 30 openings");
        assert_ends(&text, "referee: interrupted\n");
        assert!(
            !contains(&program.screen(), " | about "),
            "{:#?}",
            program.screen()
        );
        let book = scene.text(out);
        let kept = book.lines().count();
        assert!((5..3 + 2 * 30).contains(&kept) && kept % 2 == 1, "{book}");
        assert!(whole_book.lines().take(kept).eq(book.lines()), "{book}");
    }
}
