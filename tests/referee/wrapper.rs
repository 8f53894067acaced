//! Submissions of any files, which the `run` of a wrapper starts.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::recorded::headers;
use crate::sandbox::levels;
use crate::support::{Scene, assert_has, assert_has_all, assert_lacks, assert_rows, expect, joined};

/// A bot that plays the moves of the file `column` of the submission.
const PROTOCOL: &str = r#"while read -r line; do
    case $line in
        uci) echo uciok ;;
        isready) echo readyok ;;
        position*) position=$line ;;
        go*) for rank in 1 2 3 4 5 6 7 8; do
            case " $position " in *" $column$rank "*) ;; *) echo "bestmove $column$rank"; break ;; esac
        done ;;
        quit) exit ;;
    esac
done
"#;

/// Two submissions without a program, and a wrapper that starts them.
fn course() -> Scene {
    let scene = Scene::new();
    for (name, column) in [("ann", "a"), ("bob", "h")] {
        scene.folder(&format!("hand-in/{name}"));
        scene.file(&format!("hand-in/{name}/column"), &format!("column={column}\n"));
    }
    scene.folder("wrapper");
    scene.file("wrapper/protocol.sh", PROTOCOL);
    scene.script(
        "wrapper/run",
        "#!/bin/sh\n. \"$1/column\"\n. \"${0%/*}/protocol.sh\"\n",
    );
    scene
}

/// Changes the wrapper. It does the same.
fn mend(scene: &Scene) {
    let text = scene.text("wrapper/protocol.sh");
    scene.file("wrapper/protocol.sh", &format!("{text}# mended\n"));
}

#[test]
fn a_wrapper_starts_submissions_without_a_program() {
    for level in levels() {
        let scene = course();
        // Nobody sees the files of others, but all see the wrapper and their own.
        let spy = "column=h; cat \"$1/../ann/column\" ../ann/column 2> /dev/null && column=x\n";
        scene.file("hand-in/bob/column", spy);
        let line = format!(
            "match --engines hand-in --wrapper wrapper --sandbox={level} --out games.jsonl --each st=9"
        );
        let outcome = scene.referee(&format!("{line} --quiet")).exits(0);
        outcome.shows(expect! {"Score of ann vs bob: 1 - 1 - 0"});
        assert_lacks(&outcome.stdout, "Faults");
        let header = &headers(&scene, "games.jsonl")[0];
        assert_eq!(header["engines"][0]["dir"], "hand-in/ann");
        assert_eq!(header["engines"][0]["wrapper"], "wrapper");
        assert!(header["wrappers"]["wrapper"].is_string(), "{header}");
        let files = |name: &str| fs::read_dir(scene.path(name)).unwrap().count();
        assert_eq!((files("hand-in/ann"), files("wrapper")), (1, 2));
    }
}

#[test]
fn one_submission_is_checked_and_played_by_its_wrapper() {
    let scene = course();
    for line in [
        "check --only startpos --wrapper wrapper hand-in",
        "check --only startpos hand-in --wrapper wrapper",
        "check --only startpos --wrapper wrapper hand-in/ann",
        "check hand-in/ann --wrapper wrapper --only startpos",
        "check --only startpos cmd=hand-in/ann wrapper=wrapper",
        "match --engine cmd=hand-in/ann wrapper=wrapper --engine cmd=hand-in/bob wrapper=wrapper --each st=9",
        "match hand-in/ann hand-in/bob --wrapper wrapper --each st=9",
    ] {
        let outcome = scene.referee(line).exits(0);
        assert_has(&outcome.stdout, "ann");
        assert_lacks(&outcome.stdout, "Faults");
    }
    let outcome = scene
        .referee("check --only startpos --wrapper wrapper hand-in")
        .exits(0);
    assert_has(
        &outcome.stdout,
        expect! {"2 submissions: no required check failed, but some were not run"},
    );
}

#[test]
fn a_mended_wrapper_goes_on_with_accept() {
    let scene = course();
    let line = "match --engines hand-in --wrapper wrapper --out games.jsonl --each st=9 --quiet";
    scene.referee(line).exits(0);
    scene.referee(&format!("{line} --games 4")).exits(0);
    mend(&scene);
    let text = scene.text("games.jsonl");
    let outcome = scene.referee(&format!("{line} --games 6")).exits(2);
    outcome.says(
        expect! {"--out games.jsonl: since the 4 games there, the wrapper `wrapper` has changed. Add `--accept` to continue, or use a new file"},
    );
    assert_eq!(scene.text("games.jsonl"), text);
    scene.referee(&format!("{line} --games 6 --accept")).exits(0);
    // From now on, the wrapper is the new one.
    scene.referee(&format!("{line} --games 8")).exits(0);
    mend(&scene);
    scene.referee(&format!("{line} --games 10 --accept")).exits(0);
    let headers = headers(&scene, "games.jsonl");
    let first = &headers[0]["wrappers"]["wrapper"];
    let accepted = &headers.last().unwrap()["accepted"];
    assert_eq!(accepted[0], json!({"after": 4, "wrappers": {"wrapper": first}}));
    assert_eq!(accepted[1]["after"], 8);
    // All of it is one match.
    scene.referee("report games.jsonl").exits(0).shows("Games: 10,");
    scene
        .referee("verify games.jsonl")
        .exits(0)
        .shows("10 games replayed");
    scene.referee("show games.jsonl --game 9").exits(0).shows("ann");
}

#[test]
fn a_ladder_goes_on_with_a_mended_wrapper_and_the_same_versions() {
    let scene = course();
    let line = "ladder hand-in --wrapper wrapper --out ladder.jsonl --openings none --sandbox=off --each st=9 \
                --csv grades.csv --feedback feedback --reviews 0 --quiet";
    scene.referee(&format!("{line} --games 4")).exits(0);
    mend(&scene);
    let outcome = scene.referee(&format!("{line} --games 4")).exits(2);
    outcome.says(expect! {"since the 4 games there, the wrapper `wrapper` has changed"});
    scene.referee(&format!("{line} --games 4 --accept")).exits(0);
    let table = scene.text("grades.csv");
    assert_has_all(&table, [",ann,1,8,", ",bob,1,8,"]);
    // A change of the hand-in alone is a new version.
    scene.file("hand-in/bob/column", "column=h # again\n");
    scene.referee(&format!("{line} --games 2")).exits(0);
    assert_has(scene.text("grades.csv"), ",bob,2,");
    assert_has_all(
        scene.text("feedback/ann.txt"),
        ["ann, version 1", "10 games of this version"],
    );
    assert_lacks(scene.text("feedback/ann.txt"), "wrapper");
}

#[test]
fn changed_rules_go_on_after_the_games_were_replayed() {
    let scene = Scene::new();
    let referee = env!("CARGO_BIN_EXE_referee");
    let rules = |filter: &str| {
        scene.script(
            "rules.sh",
            &format!("#!/bin/sh\n'{referee}' builtin lodestone{filter}\n"),
        );
    };
    rules("");
    let line = "match random random --rules ./rules.sh --out games.jsonl --quiet --each st=9";
    scene.referee(line).exits(0);
    let text = scene.text("games.jsonl");
    rules(" # mended");
    let outcome = scene.referee(&format!("{line} --games 4")).exits(2);
    outcome
        .says(expect! {"since the 2 games there, the rules program (the hash of `./rules.sh` in --rules was"})
        .says(
            expect! {"has changed. Add `--accept` to continue, which replays these games by the new rules first, or use a new file"},
        );
    scene.referee(&format!("{line} --games 4 --accept")).exits(0);
    let last = headers(&scene, "games.jsonl").pop().unwrap();
    assert_eq!(last["accepted"][0]["after"], 2);
    assert_eq!(
        scene
            .referee("verify games.jsonl --rules ./rules.sh")
            .exits(0)
            .stderr,
        ""
    );
    // Other rules are not accepted.
    let text_of_both = scene.text("games.jsonl");
    assert!(text_of_both.starts_with(&text));
    rules(" | sed -u 's/p[12]win/draw/'");
    let outcome = scene.referee(&format!("{line} --games 6 --accept")).exits(2);
    let said = joined(&outcome.stderr);
    assert_has(
        &said,
        expect! {"by the rules as they are now, 4 of the 4 games there are different"},
    );
    assert_has(said, "game 1: it ends 1/2-1/2");
    assert_eq!(scene.text("games.jsonl"), text_of_both);
}

#[test]
fn says_what_is_wrong_with_a_wrapper() {
    let scene = course();
    scene.folder("empty");
    scene.file("program", "");
    let table = expect![[r#"
        match --engines hand-in --wrapper empty | the wrapper: empty has no file `run`
        match random squares --wrapper wrapper
            | --wrapper wrapper: there is nothing to start; a wrapper starts the submissions of `--engines DIR`
        check --wrapper wrapper random | --wrapper wrapper: there is nothing to start
        match --engine cmd=./program wrapper=wrapper --engine cmd=random
            | `./program` is not a folder, and the wrapper `wrapper` starts the submission in a folder
        match --engine cmd=hand-in/ann wrapper=wrapper dir=. --engine cmd=random
            | `dir` cannot be combined with `wrapper`
        match --engines hand-in --wrapper . | `hand-in/ann` is inside the wrapper, which all players may read
    "#]];
    assert_rows(table, |[line]| joined(&scene.referee(line).exits(2).stderr));
    // Nobody hands the wrapper in.
    let outcome = scene.referee("match --engines . --wrapper wrapper");
    outcome.says(expect! {"not in the match: `./wrapper` is the wrapper, which all players may read"});
}

/// A course whose wrapper makes a program of each submission.
fn prepared_course() -> Scene {
    let scene = course();
    scene.file("wrapper/run", "#!/bin/sh\nexec \"$2/bin/bot\"\n");
    scene.script(
        "wrapper/prepare",
        "#!/bin/sh
. \"$1/column\" || exit 7
echo preparing; echo \"$1\" >> \"${0%/*}.runs\"
mkdir bin
{ echo '#!/bin/sh'; echo column=$column; cat \"${0%/*}/protocol.sh\"; } > bin/bot
chmod +x bin/bot || true
",
    );
    scene
}

#[test]
fn a_wrapper_prepares_each_version_once_in_the_sandbox() {
    let folders = |scene: &Scene| fs::read_dir(scene.path("wrapper.prepared")).unwrap().count();
    for level in levels() {
        let scene = prepared_course();
        // It cannot write to the files of others, nor to its own.
        let spy = "(echo x > \"$1/x\"; echo x > ../x; echo x > \"${0%/*}/x\") 2> /dev/null; column=h; mkdir -m 0 shut\n";
        scene.file("hand-in/bob/column", spy);
        let line = format!("match --engines hand-in --wrapper wrapper --sandbox={level} --each st=9 --quiet");
        let outcome = scene.referee(&line).exits(0);
        outcome.shows(expect! {"Score of ann vs bob: 1 - 1 - 0"});
        assert_lacks(&outcome.stdout, "Faults");
        assert_eq!(folders(&scene), 2);
        for name in ["hand-in/bob/x", "wrapper/x", "wrapper.prepared/x", "wrapper.runs"] {
            assert!(!scene.path(name).exists(), "{name} at {level}");
        }
    }
    // All commands share what is prepared of a folder, by any path of the wrapper, and only a change of a file prepares
    // again. A ladder plays copies.
    let scene = prepared_course();
    let runs = |scene: &Scene| scene.text("wrapper.runs").lines().count();
    let line = "match --engines hand-in --wrapper wrapper --each st=9 --quiet --out games.jsonl";
    scene.referee(line).exits(0);
    scene
        .referee("check hand-in --wrapper wrapper --only startpos")
        .exits(0);
    scene.referee(&format!("{line} --games 4")).exits(0);
    let ladder =
        "ladder hand-in --wrapper wrapper --sandbox=off --out ladder.jsonl --each st=9 --games 2 --quiet";
    symlink("wrapper", scene.path("other")).unwrap();
    let same = line.replace("--wrapper wrapper", "--wrapper other");
    scene.referee(&same.replace("--out games.jsonl", "")).exits(0);
    assert!(!scene.path("other.prepared").exists());
    assert_eq!((runs(&scene), folders(&scene)), (2, 2));
    let ladder = format!("{ladder} --openings none");
    scene.referee(&ladder).exits(0);
    scene.referee(&ladder.replace("--games 2", "--games 4")).exits(0);
    assert_eq!((runs(&scene), folders(&scene)), (4, 4));
    scene.file("hand-in/bob/column", "column=h # again\n");
    scene
        .referee("check hand-in --wrapper wrapper --only startpos")
        .exits(0);
    assert_eq!((runs(&scene), folders(&scene)), (5, 5));
    // Each file of the wrapper may change what it makes.
    for (count, file) in [(7, "wrapper/prepare"), (9, "wrapper/protocol.sh")] {
        scene.file(file, &(scene.text(file) + "# again\n"));
        scene
            .referee("check hand-in --wrapper wrapper --only startpos")
            .exits(0);
        assert_eq!((runs(&scene), folders(&scene)), (count, count), "{file}");
    }
}

#[test]
fn what_cannot_be_prepared_is_the_fault_of_the_submission() {
    let scene = prepared_course();
    scene.folder("hand-in/eve");
    scene.file(
        "hand-in/eve/column",
        "echo \"$1/column:1: error: no letter\" >&2; echo '  1 | +' >&2; exit 3\n",
    );
    let line = "match --engines hand-in --wrapper wrapper --each st=9 --quiet";
    let output = "\n  column:1: error: no letter\n    1 | +\n";
    let refused = scene.referee(line).exits(3);
    refused
        .says(expect! {"`hand-in/eve` cannot be prepared: the wrapper's `prepare` ended with exit status 3; it wrote `column:1: error: no letter`"})
        .says(output);
    let skipped = scene.referee(&format!("{line} --skip-broken")).exits(0);
    skipped
        .says(expect! {"not in the match: eve cannot be started: `hand-in/eve` cannot be prepared: the wrapper's `prepare` ended with exit status 3;"})
        .says(output);
    scene
        .referee("check --wrapper wrapper hand-in/eve")
        .exits(3)
        .says(output);
    let outcome = scene
        .referee("check --wrapper wrapper --only startpos --out reports hand-in")
        .exits(1);
    outcome.shows(expect! {"FAIL  eve  `hand-in/eve` cannot be prepared: the wrapper's `prepare` ended with exit status 3;"});
    assert_has(scene.text("reports/eve.txt"), output);
    let ladder = "ladder hand-in --wrapper wrapper --sandbox=off --out ladder.jsonl --each st=9 --games 2 --quiet \
                  --feedback feedback --reviews 0 --csv grades.csv";
    let outcome = scene.referee(ladder).exits(0);
    outcome.says(expect! {"not in this run: eve: `hand-in/eve` cannot be prepared: the wrapper's `prepare` ended with exit status 3;"});
    assert_has(scene.text("feedback/eve.txt"), "column:1: error: no letter");
    // Nothing of it is kept, only what was made of two others and of their copies.
    assert_eq!(fs::read_dir(scene.path("wrapper.prepared")).unwrap().count(), 4);
    scene.file("wrapper/prepare", "");
    fs::set_permissions(
        scene.path("wrapper/prepare"),
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    scene
        .referee(line)
        .exits(2)
        .says(expect! {"the wrapper: `prepare` in wrapper is not executable; run `chmod +x"});
}

#[test]
fn a_preparation_cannot_fill_the_disk() {
    for level in levels() {
        let scene = prepared_course();
        let fill = "column=h; for file in 1 2; do head -c 40000000 /dev/zero > $file; done; sleep 99\n";
        scene.file("hand-in/bob/column", fill);
        let line = format!("check --wrapper wrapper --sandbox={level} --only startpos hand-in/bob");
        let outcome = scene.referee(&line).exits(3);
        outcome
            .says(expect! {"the wrapper's `prepare` wrote "})
            .says(expect! {"MB to its scratch folder, 64 MB are allowed"});
        assert_eq!(fs::read_dir(scene.path("wrapper.prepared")).unwrap().count(), 0);
    }
}
