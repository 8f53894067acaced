//! Matches by UGI.

use serde_json::{Value, json};

use crate::matches::assert_follows_rules;
use crate::support::{Bot, COLUMN_A, COLUMN_H, Scene, assert_has_all, expect, zoo};

/// A bot that plays this and speaks UGI.
fn ugi_bot(go: &str) -> Bot<'_> {
    Bot {
        uci: "echo ugiok",
        go,
        ..Bot::default()
    }
}

#[test]
fn ugi_and_uci_engines_play_whole_matches() {
    for (variant, [one, other]) in [
        ("magnetic-cave", ["st=0.005", "tc=0.2+0.002"]),
        ("gridlock", ["tc=40/0.2", "st=0.005"]),
    ] {
        let scene = Scene::new();
        let outcome = scene.referee(&format!(
            "match --variant {variant} --engine cmd=lodestone name=ugi proto=ugi {one} \
             --engine cmd=lodestone name=uci {other} --engine cmd=plain proto=ugi nodes=100 \
             --each timemargin=5000 --games 2 --openings random:3 --out games.jsonl"
        ));
        outcome.succeeds();
        let results = scene.results("games.jsonl");
        let proto = [0, 1, 2].map(|engine| results[0]["engines"][engine]["proto"].clone());
        assert_eq!(proto, [json!("ugi"), Value::Null, json!("ugi")]);
        assert_eq!(results.len(), 7);
        results[1..].iter().for_each(assert_follows_rules);
    }
}

#[test]
fn ugi_match_follows_the_documented_dialogue() {
    let scene = Scene::new();
    scene.bot("one", ugi_bot(COLUMN_A));
    scene.bot("other", ugi_bot(COLUMN_H));
    let players = "--engine cmd=./one st=2.5 --engine cmd=./other tc=40/60+0.5 depth=9 nodes=1000";
    scene
        .referee(&format!("match {players} --each proto=ugi --games 1 --quiet"))
        .succeeds();
    let one = scene.received("one");
    assert_eq!(
        one[..7].join("\n"),
        "ugi
isready
uginewgame
isready
position startpos
go movetime 2500
position startpos moves a1 h1"
    );
    let other = scene.received("other");
    assert_eq!(
        other[4..6].join("\n"),
        "position startpos moves a1
go p1time 2500 p2time 60000 p1inc 0 p2inc 500 movestogo 40 depth 9 nodes 1000"
    );
}

#[test]
fn handshake_in_the_other_protocol_is_explained() {
    let scene = Scene::new();
    let cmd = format!("--engine cmd={}", zoo().display());
    let players = format!("{cmd} args=uciok-for-ugi name=other {cmd} args=no-uciok name=mute");
    let line = format!("match {players} --each proto=ugi starttime=1 --concurrency 2");
    let outcome = scene.referee(&line).exits(3);
    outcome.says(expect! {"other did not complete the handshake: it sent no `ugiok` within 1.000 s; it has written `uciok`, as programs do that speak UCI: add `proto=uci`"});
    outcome
        .says(expect! {"mute did not complete the handshake: it sent no `ugiok` within 1.000 s; it has written nothing at all: does it speak UGI, and"});
}

#[test]
fn configuration_file_keeps_the_protocol() {
    let scene = Scene::new();
    let line = "match --engine cmd=random --engine cmd=plain proto=uci --each proto=ugi nodes=50 \
        --games 1 --quiet --save-config match.toml --out games.jsonl";
    scene.referee(line).exits(0);
    assert_has_all(scene.text("match.toml"), ["proto = \"ugi\"", "proto = \"uci\""]);
    scene.referee("match --config match.toml").exits(0);
    let engines = &scene.results("games.jsonl")[0]["engines"];
    assert_eq!(
        [&engines[0]["proto"], &engines[1]["proto"]],
        [&json!("ugi"), &Value::Null]
    );
}
