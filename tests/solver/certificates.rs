//! Certificates of exact values: what `lodestone-solver solve` writes, its checker, shards, and the
//! scripts for clusters.

use sentences::{assert_has, expect};
use std::cell::Cell;
use std::fs;
use std::process::Command;

use crate::boards::{SOLVER, argument, board_of, lines, nodes, random_ending, rules, solve};
use crate::folder::Folder;
use lodestone_game::random::Random;
use lodestone_solver::solve::{CertificateReport, CheckProgress, CheckedAnswers, check_certificate};
use naive::boards::Minimax;

/// The certificate that `lodestone-solver solve` writes with these arguments.
fn certificate(folder: &Folder, size: [usize; 3], arguments: &[&str]) -> String {
    let file = argument(folder.file("certificate"));
    lines(size, &[arguments, &["--certificate", &file]].concat(), 0);
    fs::read_to_string(&file).unwrap()
}

/// Checks all answers of a certificate.
fn check(text: &str) -> Result<CertificateReport, String> {
    check_certificate(|| Ok(text.as_bytes()), CheckedAnswers::All, &mut |_| {})
}

/// The error of a certificate that is wrong.
fn refusal(text: &str) -> String {
    check(text).unwrap_err()
}

#[test]
fn certificates_of_all_values_are_verified() {
    let folder = Folder::new("solve-certificate");
    for (size, fen, value, least) in [
        ([4, 4, 4], "4/4/4/4 x", "draw", 100),
        ([4, 4, 3], "4/4/4/4 x", "win", 1),
        ([4, 4, 3], "x3/4/4/4 o", "loss", 1),
        ([3, 5, 3], "3/3/3/3/3 x", "win", 1),
        ([4, 4, 3], "xxx1/oo2/4/4 o", "loss", 0),
    ] {
        let text = certificate(&folder, size, &["--fen", fen]);
        let report = check(&text).unwrap();
        assert_eq!(report.size, size);
        assert_eq!(report.values, [format!("{value} {fen}")]);
        assert!(report.answers >= least, "{size:?} {fen}: {}", report.answers);
        assert_eq!(report.verified, report.answers);
        assert!(!folder.file("certificate.part").exists());
    }
    // The command prints the same.
    let text = certificate(&folder, [4, 4, 4], &[]);
    let count = text.lines().last().unwrap().strip_prefix("end ").unwrap();
    let file = argument(folder.file("certificate"));
    for (arguments, checked) in [
        (&[][..], format!("checked: all {count} answers")),
        (
            &["--samples", "7", "--seed", "3"],
            format!("checked: 7 of {count} answers, seed 3"),
        ),
    ] {
        let output = Command::new(SOLVER)
            .args(["solve", "--check", &file])
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let expected = format!("board: 4 columns, 4 rows, 4 in line\nvalue: draw 4/4/4/4 x\n{checked}\n");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

#[test]
fn certificates_with_one_change_are_refused() {
    let folder = Folder::new("solve-changed");
    let text = certificate(&folder, [4, 4, 4], &[]);
    let all: Vec<&str> = text.lines().collect();
    let answers = 2..all.len() - 1;
    let joined = |lines: &[&str]| lines.join("\n") + "\n";
    assert!(answers.len() > 100 && refusal(&text.replace("value draw", "value win")).contains("is missing"));
    for index in answers.step_by(23) {
        let changed = |from: &str, to: &str| {
            let line = all[index].replace(from, to);
            let mut changed = all.clone();
            changed[index] = &line;
            joined(&changed)
        };
        // The other answer, for the same or the other side.
        let error = refusal(&changed("holds", "wins"));
        assert!(error.starts_with("line "), "{error}");
        let (side, other) = if all[index].starts_with('x') {
            ("x ", "o ")
        } else {
            ("o ", "x ")
        };
        if !all.contains(&all[index].replacen(side, other, 1).as_str()) {
            let swapped = all[index].replacen(side, other, 1);
            let mut changed = all.clone();
            changed[index] = &swapped;
            assert!(refusal(&joined(&changed)).starts_with("line "));
        }
        // An answer that is left out.
        let mut shorter = all.clone();
        shorter.remove(index);
        let end = format!("end {}", all.len() - 4);
        *shorter.last_mut().unwrap() = &end;
        let error = refusal(&joined(&shorter));
        let question = all[index].split(' ').take(4).collect::<Vec<_>>().join(" ");
        assert!(error.ends_with("is missing"), "{question}: {error}");
    }
    // Cut off anywhere.
    for length in (0..text.len()).step_by(37).chain([text.len() - 1]) {
        let error = refusal(&text[..length]);
        let expected = if length < all[0].len() {
            "line 1: expected `lodestone certificate"
        } else {
            "the certificate is cut off"
        };
        assert!(error.starts_with(expected), "{length}: {error}");
    }
}

#[test]
fn wrong_certificates_are_one_error() {
    let title = "lodestone certificate 1: 3x3, 3 in line, endings of 0 cells\n";
    for (rest, error) in [
        (
            "value draw 3/3/3 x\nend 0\n",
            "line 2: `x holds 3/3/3 x` is missing",
        ),
        (
            "value win xo1/xo1/3 o\nend 0\n",
            "line 2: `xo1/xo1/3 o` is not a position of this board",
        ),
        (
            "value loss xxx/oo1/3 o\nend 0\nend 0\n",
            "line 4: nothing may follow the line `end`",
        ),
        (
            "value loss xxx/oo1/3 o\nend 1\n",
            "line 3: expected `end 0`, found `end 1`",
        ),
        (
            "end 0\n",
            "the certificate proves no value: it has no line `value`",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x\nend 1\n",
            "line 3: the move is missing",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x b2\nend 1\n",
            "line 3: the move is illegal",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x a3\nx wins x2/3/3 o a1\nend 2\n",
            "line 4: no move is expected: the answer must hold after all moves",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x a3\nx wins 3/3/3 x a1\nend 2\n",
            "line 4: this answer is given twice",
        ),
        (
            // A mirror image.
            "value win 3/3/3 x\nx wins 3/3/3 x a3\nx wins x2/3/3 o\nx wins 3/3/2x o\nend 3\n",
            "line 5: this answer is given twice",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x pairs a1a2\nend 1\n",
            "line 3: pairs cannot prove a win",
        ),
        (
            "value draw 3/3/3 x\nx holds 3/3/3 x pairs a1b2\no holds 3/3/3 x a1\nend 2\n",
            "line 3: the cells of a pair must be playable, or neighbours in a row",
        ),
        (
            "value draw 3/3/3 x\nx holds 3/3/3 x pairs a1a2 a2a3\no holds 3/3/3 x a1\nend 2\n",
            "line 3: the cells of the pairs must be empty, and no two pairs may share a cell",
        ),
        (
            "value draw 3/3/3 x\nx holds 3/3/3 x pairs a1a2\no holds 3/3/3 x a1\nend 2\n",
            "line 3: an open line of x contains no pair",
        ),
        // No move is left, but the game was over before.
        (
            "value draw xox/xox/oxo o\no wins xox/xox/oxo o a1\nend 1\n",
            "line 3: the game is over in this position",
        ),
        (
            "value draw 3/3/3 x\nx holds 3/3/3\nend 1\n",
            "line 3: expected an answer, found `x holds 3/3/3`",
        ),
    ] {
        assert_eq!(refusal(&format!("{title}{rest}")), error, "{rest}");
    }
    for first in [
        "",
        "lodestone certificate 1: 9x3, 3 in line, endings of 0 cells",
        "lodestone solve 1: 3x3, 3 in line",
    ] {
        assert_has(
            refusal(first),
            expect! {"line 1: expected `lodestone certificate 1:"},
        );
    }
}

#[test]
fn endings_of_any_size_are_left_to_the_checker() {
    let folder = Folder::new("solve-endings");
    let mut counts = Vec::new();
    for endings in ["0", "6", "12", "16"] {
        let text = certificate(&folder, [4, 4, 4], &["--endings", endings]);
        let title = format!("lodestone certificate 1: 4x4, 4 in line, endings of {endings} cells");
        assert_eq!(text.lines().next(), Some(title.as_str()));
        let report = check(&text).unwrap();
        assert_eq!(report.values, ["draw 4/4/4/4 x"]);
        counts.push(report.answers);
    }
    assert!(
        counts[0] > counts[1] && counts[1] > counts[2] && counts[2] > counts[3],
        "{counts:?}"
    );
    assert_eq!(counts[3], 0);
    // A certificate with larger endings is read, too: what is missing is searched.
    let (large, small) = (folder.file("large"), folder.file("small"));
    let [large, small] = [large, small].map(argument);
    lines([4, 4, 4], &["--certificate", &large, "--endings", "12"], 0);
    lines([4, 4, 4], &["--read", &large, "--certificate", &small], 0);
    let report = check(&fs::read_to_string(&small).unwrap()).unwrap();
    assert!(report.answers > counts[2], "{report:?}");
}

#[test]
fn a_file_that_changes_during_the_check_is_refused() {
    let folder = Folder::new("solve-changing");
    let text = certificate(&folder, [4, 4, 4], &[]);
    for later in ["", &text[..text.len() / 2]] {
        let opened = Cell::new(0);
        let open = || {
            opened.set(opened.get() + 1);
            Ok(if opened.get() == 1 {
                text.as_bytes()
            } else {
                later.as_bytes()
            })
        };
        let error = check_certificate(open, CheckedAnswers::All, &mut |_| {}).unwrap_err();
        // Half of the text ends within a line.
        assert!(
            error.contains("the second time") || error.starts_with("line "),
            "{error}"
        );
    }
    let error = check_certificate(
        || Err::<&[u8], _>(std::io::Error::other("no such disk")),
        CheckedAnswers::All,
        &mut |_| {},
    );
    assert_eq!(error.unwrap_err(), "it cannot be read: no such disk");
}

#[test]
fn progress_counts_the_answers() {
    let folder = Folder::new("solve-progress");
    let text = certificate(&folder, [4, 4, 4], &[]);
    let mut seen = Vec::new();
    let selection = CheckedAnswers::Random { count: 50, seed: 1 };
    let report = check_certificate(|| Ok(text.as_bytes()), selection, &mut |progress| {
        seen.push(progress);
    });
    let read = (1..=report.unwrap().answers).map(CheckProgress::Read);
    let verified = (1..=50).map(|count| CheckProgress::Verified(count, 50));
    assert_eq!(seen, read.chain(verified).collect::<Vec<_>>());
}

#[test]
fn the_checker_uses_no_other_code_of_the_solvers() {
    let source = include_str!("../../research/solver/src/solve/checker.rs");
    let imports = source
        .split("lodestone_game::")
        .skip(1)
        .map(|rest| rest.split(';').next().unwrap());
    assert_eq!(imports.collect::<Vec<_>>(), ["random::Random", "text::quoted"]);
    assert!(!source.contains("super") && !source.contains("crate::"));
}

#[test]
fn certificates_of_shards_are_merged() {
    let folder = Folder::new("solve-merged");
    let size = [4, 4, 4];
    let mut files = Vec::new();
    for shard in 0..3 {
        let file = argument(folder.file(&format!("part-{shard}")));
        let text = format!("{shard}/3");
        lines(
            size,
            &["--plies", "3", "--shard", &text, "--certificate", &file],
            0,
        );
        let part = fs::read_to_string(&file).unwrap();
        let report = check(&part).unwrap();
        assert!(report.values.len() > 5);
        files.push(file);
    }
    let read: Vec<&str> = files.iter().flat_map(|file| ["--read", file]).collect();
    let merged = certificate(&folder, size, &read);
    let report = check(&merged).unwrap();
    assert_eq!(report.values, ["draw 4/4/4/4 x"]);
    // The moves of the parts are copied.
    let alone = lines(size, &["--certificate", &argument(folder.file("alone"))], 0);
    let merged = lines(
        size,
        &[&read[..], &["--certificate", &argument(folder.file("again"))]].concat(),
        0,
    );
    assert!(nodes(&merged) * 5 < nodes(&alone), "{merged:?} {alone:?}");
    // A part that is damaged is refused.
    let text = fs::read_to_string(&files[1]).unwrap();
    fs::write(&files[1], &text[..text.len() / 2]).unwrap();
    let output = solve(size, &read);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error.contains("part-1: ") && error.lines().count() == 1,
        "{error}"
    );
}

#[test]
fn a_search_without_a_result_writes_no_certificate() {
    let folder = Folder::new("solve-unfinished");
    let file = argument(folder.file("certificate"));
    let output = lines([5, 5, 4], &["--nodes", "5000", "--certificate", &file], 1);
    assert_eq!(output[1], "value: unknown");
    assert!(fs::read_dir(folder.file("")).unwrap().next().is_none());
}

#[cfg(unix)]
#[test]
fn the_scripts_for_clusters_split_a_proof_and_merge_it() {
    let folder = Folder::new("solve-cluster");
    let parts = argument(folder.file("parts"));
    let scripts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/cluster");
    let run = |script: &str, shard: &str, arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.arg(scripts.join(script)).args(arguments).arg(&parts);
        command.args(["--width", "3", "--height", "5", "--connect", "4", "--hash", "16"]);
        command.env("LODESTONE_SOLVER", SOLVER).env("SHARD", shard);
        command.env_remove("SLURM_ARRAY_TASK_ID");
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    assert_eq!(run("solve-shard.sh", "0", &["2", "2"]).0, Some(0));
    let (status, _, error) = run("solve-merge.sh", "", &["2"]);
    let missing = format!("part 1 of 2 is missing: {parts}/part-1.certificate\n");
    assert_eq!((status, error), (Some(1), missing));
    // A part that is complete is not solved again.
    let file = folder.file("parts").join("part-0.txt");
    fs::write(&file, "kept").unwrap();
    for shard in ["0", "1"] {
        assert_eq!(run("solve-shard.sh", shard, &["2", "2"]).0, Some(0));
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    let (status, text, error) = run("solve-merge.sh", "", &["2"]);
    assert_eq!(status, Some(0), "{error}");
    let board = "board: 3 columns, 5 rows, 4 in line\n";
    assert!(
        text.starts_with(&format!("{board}value: draw\ncertificate: ")),
        "{text}"
    );
    assert!(
        text.contains(&format!("{board}value: draw 3/3/3/3/3 x\nchecked: all ")),
        "{text}"
    );
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_sample_finds_each_wrong_answer_with_its_probability() {
        let folder = Folder::new("solve-samples");
        let text = certificate(&folder, [4, 4, 4], &[]);
        let all: Vec<&str> = text.lines().collect();
        let answers = all.len() - 3;
        let is_for_all_moves = |&index: &usize| all[index].split(' ').count() == 4;
        let places: Vec<usize> = (2..all.len() - 1).filter(is_for_all_moves).collect();
        for index in [places[0], places[places.len() / 2], places[places.len() - 1]] {
            let wrong = format!("{} a1", all[index]);
            let mut changed = all.clone();
            changed[index] = &wrong;
            let changed = changed.join("\n") + "\n";
            let mut count_of_errors = |samples: usize| {
                let mut verified = 0;
                let mut is_refused = |seed: u64| {
                    let selection = CheckedAnswers::Random { count: samples, seed };
                    let report = check_certificate(|| Ok(changed.as_bytes()), selection, &mut |progress| {
                        verified += usize::from(matches!(progress, CheckProgress::Verified(..)));
                    });
                    if let Ok(report) = &report {
                        assert_eq!((report.answers, report.verified), (answers, samples));
                        assert_eq!(verified, samples);
                    }
                    verified = 0;
                    report.is_err()
                };
                (0..300).filter(|&seed| is_refused(seed)).count()
            };
            assert_eq!(count_of_errors(answers), 300);
            // The standard deviations are 8.2 and 8.7.
            let errors = [answers / 3, answers / 2].map(&mut count_of_errors);
            assert!(
                (67..133).contains(&errors[0]) && (115..185).contains(&errors[1]),
                "{index}: {errors:?}"
            );
        }
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn parts_check_each_answer_once() {
        let folder = Folder::new("solve-check-parts");
        let text = certificate(&folder, [4, 4, 4], &[]);
        let all: Vec<&str> = text.lines().collect();
        let answers = all.len() - 3;
        for count in [1, 2, 7, 3 * answers as u32] {
            let part = |text: &str, index| {
                let selection = CheckedAnswers::Part { index, count };
                let mut last = None;
                let report = check_certificate(|| Ok(text.as_bytes()), selection, &mut |progress| {
                    last = Some(progress);
                });
                if let (Ok(report), Some(CheckProgress::Verified(verified, all))) = (&report, last) {
                    assert_eq!((verified, all), (report.verified, report.verified));
                }
                report
            };
            let verified = (0..count).map(|index| part(&text, index).unwrap().verified);
            assert_eq!(verified.sum::<usize>(), answers);
            // Only one part meets a wrong answer.
            let index = all
                .iter()
                .skip(20)
                .position(|line| line.split(' ').count() == 4)
                .unwrap()
                + 20;
            let wrong = format!("{} a1", all[index]);
            let mut changed = all.clone();
            changed[index] = &wrong;
            let changed = changed.join("\n") + "\n";
            let refused: Vec<u32> = (0..count)
                .filter(|&index| part(&changed, index).is_err())
                .collect();
            let (place, answers) = (index as u32 - 2, answers as u32);
            let is_in_part =
                |part: &u32| (answers * part / count..answers * (part + 1) / count).contains(&place);
            assert_eq!(refused, (0..count).filter(is_in_part).collect::<Vec<_>>());
            assert_eq!(refused.len(), 1);
        }
        // The command prints which part it was.
        let file = argument(folder.file("certificate"));
        let output = Command::new(SOLVER)
            .args(["solve", "--check", &file, "--shard", "1/2"])
            .output()
            .unwrap();
        let expected = format!(
            "board: 4 columns, 4 rows, 4 in line\nvalue: draw 4/4/4/4 x\nchecked: {} of {answers} answers, part 1/2\n",
            answers - answers / 2
        );
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn the_checker_searches_endings_as_plain_minimax_does() {
        let mut random = Random::new(11);
        let mut counts = [0; 3];
        for _ in 0..300 {
            let size = [
                3 + random.below(3) as usize,
                3 + random.below(3) as usize,
                3 + random.below(2) as usize,
            ];
            let Some(position) = random_ending(rules(size), 9, &mut random) else {
                continue;
            };
            let value = Minimax::new(size).value(&mut board_of(&position));
            let [width, height, connect] = size;
            for (word, number) in [("win", 1), ("draw", 0), ("loss", -1)] {
                let text = format!(
                    "lodestone certificate 1: {width}x{height}, {connect} in line, endings of 9 cells\n\
                     value {word} {}\nend 0\n",
                    position.fen()
                );
                let is_right = check(&text).is_ok();
                assert_eq!(is_right, number == value, "{text}");
            }
            counts[(value + 1) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
    }
}
