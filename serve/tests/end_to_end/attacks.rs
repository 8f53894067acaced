//! Attacks on the server, one test for each row of the table in `SECURITY.md`.

use sentences::{assert_has, expect};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{Answer, Server, eventually};
use serde_json::json;

/// What a new board needs.
fn board() -> serde_json::Value {
    json!({"players": ["human", "human"]})
}

/// Asks for a new board with these header lines.
fn post_board(server: &Server, headers: &str) -> Answer {
    let line = format!("POST {}/api/boards", server.prefix);
    server.ask(&line, headers, &board().to_string())
}

/// The head of a request for a web socket.
fn socket(server: &Server, headers: &str) -> String {
    format!(
        "GET {}/live/board/1 HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n",
        server.prefix, server.host
    )
}

/// Asks for the facts of the site, and with the key, under a host. Returns both answers.
fn ask_as(server: &Server, host: &str) -> [Answer; 2] {
    let headers = format!("Host: {host}\r\n{}", server.cookie());
    let facts = server.ask(&format!("GET {}/api/site", server.prefix), &headers, "");
    let key = format!("GET /?key={}", server.key);
    [facts, server.ask(&key, &format!("Host: {host}\r\n"), "")]
}

#[test]
fn another_name_for_the_server_is_refused() {
    let server = Server::start(&[]);
    let port = server.host.rsplit(':').next().unwrap();
    for host in [
        format!("evil.example:{port}"),
        "evil.example".into(),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("notlocalhost:{port}"),
        format!("evil@127.0.0.1:{port}"),
        "127.0.0.1:x".into(),
        "127.0.0.1:70000".into(),
        "127.0.0".into(),
        "::1".into(),
        "[::1".into(),
        "[evil.example]:80".into(),
        String::new(),
    ] {
        for answer in ask_as(&server, &host) {
            assert!(matches!(answer.status, 400 | 403), "{host}: {answer:?}");
        }
    }
    // Two hosts, and none.
    let cookie = server.cookie();
    for headers in [
        format!("Host: {0}\r\nHost: evil.example\r\n{cookie}", server.host),
        cookie.clone(),
    ] {
        let answer = server.ask(&format!("GET {}/api/site", server.prefix), &headers, "");
        assert!(matches!(answer.status, 400 | 403), "{headers}: {answer:?}");
    }
    // The refusal has the option that allows the name, but no other text of the request.
    let [answer, _] = ask_as(&server, "Bots.Example.org:443");
    assert!(
        answer.error().contains("`--allowed-host Bots.Example.org`"),
        "{answer:?}"
    );
    let [answer, _] = ask_as(&server, "a$(id)");
    assert!(!answer.error().contains("id"), "{answer:?}");
}

#[test]
fn an_address_and_localhost_are_served_with_any_port() {
    let server = Server::start(&[]);
    let own_port = server.host.rsplit(':').next().unwrap();
    for host in [
        format!("LocalHost:{own_port}"),
        "localhost:9000".into(),
        "localhost".into(),
        "course.localhost:9000".into(),
        "127.0.0.1".into(),
        "127.0.0.1:1".into(),
        "192.0.2.7:9000".into(),
        "[::1]:9000".into(),
        "[2001:db8::7]".into(),
    ] {
        let [facts, first] = ask_as(&server, &host);
        assert_eq!((facts.status, first.status), (200, 303), "{host}: {facts:?}");
        // The page of this host may post; that of another port may not.
        let post = |origin: &str| {
            let headers = server.own_headers();
            let own = headers.replace(
                &format!("Origin: http://{}", server.host),
                &format!("Origin: {origin}"),
            );
            post_board(
                &server,
                &own.replace(&format!("Host: {}", server.host), &format!("Host: {host}")),
            )
        };
        let answer = post(&format!("http://{}", host.to_lowercase()));
        assert_eq!(answer.status, 200, "{host}: {answer:?}");
        let name = host.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == ':');
        for origin in [
            "http://localhost:9001",
            "http://127.0.0.1:2",
            &format!("http://{name}:7"),
        ] {
            let answer = post(origin);
            assert_eq!(answer.status, 403, "{host}, {origin}: {answer:?}");
        }
    }
}

#[test]
fn a_name_is_served_if_the_command_line_allows_it() {
    let words = ["--allowed-host", "bots.example.org", "--allowed-host", "lab"];
    let server = Server::start(&words);
    for host in ["bots.example.org", "Bots.Example.Org:443", "lab:9000"] {
        let [facts, first] = ask_as(&server, host);
        assert_eq!((facts.status, first.status), (200, 303), "{host}: {facts:?}");
    }
    for host in [
        "example.org",
        "x.bots.example.org",
        "bots.example.org.evil.example",
    ] {
        let [facts, first] = ask_as(&server, host);
        assert_eq!((facts.status, first.status), (403, 403), "{host}: {facts:?}");
    }
    // Behind a proxy that encrypts, the origin has no port.
    let post = |host: &str, origin: &str| {
        let headers = format!(
            "Host: {host}\r\nOrigin: {origin}\r\nContent-Type: application/json\r\nX-Forwarded-Host: evil.example\r\n{}",
            server.cookie()
        );
        post_board(&server, &headers).status
    };
    assert_eq!(post("bots.example.org", "https://bots.example.org"), 200);
    assert_eq!(post("bots.example.org:443", "https://bots.example.org"), 200);
    assert_eq!(post("bots.example.org", "http://bots.example.org"), 200);
    for origin in [
        "https://evil.example",
        "https://bots.example.org:8443",
        "http://bots.example.org:443",
        "https://lab",
        "ftp://bots.example.org",
    ] {
        assert_eq!(post("bots.example.org", origin), 403, "{origin}");
    }
}

#[test]
fn other_parameters_beside_the_key_are_ignored() {
    let server = Server::start(&[]);
    let ask = |query: &str| {
        server.ask(
            &format!("GET /?{query}"),
            &format!("Host: {}\r\n", server.host),
            "",
        )
    };
    let key = &server.key;
    for query in [
        format!("key={key}&utm_source=x"),
        format!("utm_source=x&key={key}"),
        format!("a&key={key}&b="),
    ] {
        let answer = ask(&query);
        assert_eq!(answer.status, 303, "{query}: {answer:?}");
        let place = answer
            .head
            .lines()
            .find_map(|line| line.strip_prefix("location: "));
        assert_eq!(place, Some(&*format!("{}/", server.prefix)));
    }
    for query in [
        format!("monkey={key}"),
        format!("key=1&utm_source={key}"),
        format!("key={key}x&a=b"),
    ] {
        assert_eq!(ask(&query).status, 403, "{query}");
    }
}

#[test]
fn nothing_is_answered_without_the_secret() {
    let server = Server::start(&[]);
    let wrong = "0".repeat(server.key.len());
    let short = &server.key[..server.key.len() - 1];
    for cookie in [
        String::new(),
        format!("Cookie: referee={wrong}\r\n"),
        format!("Cookie: referee={short}\r\n"),
        "Cookie: referee=\r\n".into(),
        format!("Cookie: other={}\r\n", server.key),
        format!("Authorization: Bearer {}\r\n", server.key),
    ] {
        for path in [
            "/",
            "/app/main.js",
            "/api/site",
            "/nothing",
            "/?key=",
            "/?key=1",
            "/app/x?key=1",
        ] {
            for place in ["", &server.prefix] {
                let line = format!("GET {place}{path}");
                let answer = server.ask(&line, &format!("Host: {}\r\n{cookie}", server.host), "");
                assert_eq!(answer.status, 403, "{line} {cookie}: {answer:?}");
            }
        }
        let headers = format!(
            "Host: {0}\r\nOrigin: http://{0}\r\nContent-Type: application/json\r\n{cookie}",
            server.host
        );
        let answer = post_board(&server, &headers);
        assert_eq!(answer.status, 403, "{cookie}: {answer:?}");
        let answer = server.send(&socket(
            &server,
            &format!("Origin: http://{}\r\n{cookie}", server.host),
        ));
        assert_eq!(answer.status, 403, "{cookie}: {answer:?}");
    }
    // A browser gets a page with a sentence.
    let headers = format!("Host: {}\r\nAccept: text/html,*/*\r\n", server.host);
    let answer = server.ask("GET /?key=1", &headers, "");
    assert!(
        answer
            .body
            .contains("<p>The key in the address is not that of this server"),
        "{answer:?}"
    );
    // The address as printed gives the cookie, once, to scripts of no page.
    let answer = server.ask(
        &format!("GET /?key={}", server.key),
        &format!("Host: {}\r\n", server.host),
        "",
    );
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(
        answer
            .head
            .contains(&format!("HttpOnly; SameSite=Lax; Path={}/", server.prefix)),
        "{answer:?}"
    );
    assert!(
        answer.head.contains(&format!("location: {}/", server.prefix)),
        "{answer:?}"
    );
}

#[test]
fn pages_of_other_sites_can_neither_post_nor_connect_nor_read() {
    let server = Server::start(&[]);
    assert_eq!(server.post("/api/boards", &board()).status, 200);
    let cookie = server.cookie();
    let host = &server.host;
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "",
        "http://127.0.0.1:1",
    ] {
        let origin = format!("Origin: {origin}\r\n");
        let headers = format!("Host: {host}\r\n{origin}Content-Type: application/json\r\n{cookie}");
        let answer = post_board(&server, &headers);
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
        let answer = server.send(&socket(&server, &format!("{origin}{cookie}")));
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
        let answer = server.ask(
            &format!("GET {}/api/site", server.prefix),
            &format!("Host: {host}\r\n{origin}{cookie}"),
            "",
        );
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
    }
    // No origin at all: programs, and old browsers.
    let headers = format!("Host: {host}\r\nContent-Type: application/json\r\n{cookie}");
    assert_eq!(post_board(&server, &headers).status, 403);
    assert_eq!(server.send(&socket(&server, &cookie)).status, 403);
    // A form can send other types only.
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        let headers = server.own_headers().replace("application/json", kind);
        assert_eq!(post_board(&server, &headers).status, 415, "{kind}");
    }
    // A page that embeds or reads, in a browser that says so.
    for fetch in ["cross-site", "same-site"] {
        let headers = format!(
            "Host: {host}\r\nSec-Fetch-Site: {fetch}\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: script\r\n{cookie}"
        );
        assert_eq!(
            server
                .ask(&format!("GET {}/app/main.js", server.prefix), &headers, "")
                .status,
            403,
            "{fetch}"
        );
    }
    // A link of another site leads to the start only.
    for (path, status) in [
        ("/", 200),
        ("/api/boards", 403),
        ("/app/main.js", 403),
        ("/results/x.jsonl", 403),
    ] {
        let headers = format!(
            "Host: {host}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n{cookie}"
        );
        let line = format!("GET {}{path}", server.prefix);
        assert_eq!(server.ask(&line, &headers, "").status, status, "{path}");
    }
    let boards = server.get("/api/boards").json();
    assert_eq!(boards["boards"].as_array().unwrap().len(), 1, "{boards}");
}

#[test]
fn every_answer_has_the_policy_and_allows_no_frame() {
    let server = Server::start(&[]);
    for path in [
        "/",
        "/app/main.js",
        "/app/app.css",
        "/api/site",
        "/nothing",
        "/app/nothing",
    ] {
        let head = server.get(path).head;
        for part in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cross-origin-opener-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(head.contains(part), "{path}: {part}: {head}");
        }
        assert!(!head.to_lowercase().contains("access-control-allow"), "{head}");
    }
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let server = Server::start(&[]);
    let results = server.folder.path().join("results");
    std::fs::create_dir_all(&results).unwrap();
    std::fs::write(server.folder.path().join("secret.jsonl"), "{}\n").unwrap();
    for name in [
        "../secret.jsonl",
        "..%2fsecret.jsonl",
        "..%2Fsecret.jsonl",
        "..%5csecret.jsonl",
        "%2e%2e/secret.jsonl",
        "%2e%2e%2fsecret.jsonl",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        ".",
        "..",
        "%00",
        "secret.jsonl%00.jsonl",
        "link.jsonl",
    ] {
        for folder in ["/app", "/results"] {
            let answer = server.get(&format!("{folder}/{name}"));
            assert!(matches!(answer.status, 400 | 404), "{folder}/{name}: {answer:?}");
        }
        let file = server.get(&format!("/results/{name}/file"));
        assert!(matches!(file.status, 400 | 404), "{name}: {file:?}");
        let new = json!({"players": ["human", "human"], "file": name.replace("%2f", "/"), "game": 1});
        let answer = server.post("/api/boards", &new);
        assert_eq!(answer.status, 404, "{name}: {answer:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    let server = Server::start(&[]);
    let results = server.folder.path().join("results");
    std::fs::create_dir_all(&results).unwrap();
    std::fs::write(server.folder.path().join("secret.jsonl"), "{}\n").unwrap();
    std::os::unix::fs::symlink("../secret.jsonl", results.join("link.jsonl")).unwrap();
    assert!(!server.get("/api/results").body.contains("link"));
    assert_eq!(server.get("/results/link.jsonl").status, 404);
    assert_eq!(server.get("/results/link.jsonl/file").status, 404);
}

/// A form and its result file may have come with the folder: the file is a link, a hard link or a pipe to elsewhere.
#[cfg(unix)]
#[test]
fn a_match_does_not_write_through_what_lies_in_the_place_of_its_file() {
    let form = json!({"kind": "match", "players": ["builtin:random", "builtin:random"], "format": "round-robin", "games": 2,
        "seconds": null, "concurrency": 1, "openings": null, "words": ""});
    let saved = json!({"form": form, "state": "paused", "games": 2}).to_string();
    let folder = tempfile::TempDir::new().unwrap();
    let results = folder.path().join("results");
    let outside = folder.path().join("outside.jsonl");
    std::fs::create_dir(&results).unwrap();
    for (name, place) in [("link", "outside.jsonl"), ("dangling", "new.jsonl")] {
        let target = std::path::Path::new("..").join(place);
        std::os::unix::fs::symlink(target, results.join(format!("{name}.jsonl"))).unwrap();
    }
    let made = std::process::Command::new("mkfifo")
        .arg(results.join("pipe.jsonl"))
        .status();
    assert!(made.unwrap().success());
    // A finished match with a player whom the page of the linked file would show.
    let engine = |name| json!({"name": name, "cmd": name, "st": "3", "timemargin": 0});
    let header = json!({"header": 1, "variant": "magnetic-cave", "seed": 1, "schedule": {"format": "round-robin", "games": 2},
        "engines": [engine("of-another-folder"), engine("b")]});
    let games = format!("{header}\n");
    std::fs::write(&outside, &games).unwrap();
    std::fs::hard_link(&outside, results.join("hard.jsonl")).unwrap();
    let names = ["link", "dangling", "pipe", "hard"];
    for name in names {
        std::fs::write(results.join(format!("{name}.serve.json")), &saved).unwrap();
    }
    let server = Server::start_in(folder, &[]);
    for name in names {
        let answer = server.post(&format!("/api/matches/{name}"), &json!({"do": "resume"}));
        assert!(
            answer.status == 422 && answer.error().contains("move it away, or choose another name"),
            "{name}: {answer:?}"
        );
        // The same form again would resume the match.
        let mut start = form.clone();
        start["name"] = name.into();
        let answer = server.post("/api/matches", &start);
        assert_eq!(answer.status, 422, "{name}: {answer:?}");
    }
    let state = server
        .follow("match/link")
        .until(|state| state["kind"] == "match");
    assert!(!state.to_string().contains("of-another-folder"), "{state}");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), games);
    assert!(!outside.with_file_name("new.jsonl").exists());
}

/// The folder of boards is a link: boards are neither read nor written nor deleted where it leads.
#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_the_folder_of_boards_is_not_followed() {
    let folder = tempfile::TempDir::new().unwrap();
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(folder.path().join("results")).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("1.json"), "{}").unwrap();
    std::os::unix::fs::symlink("../elsewhere", folder.path().join("results/boards")).unwrap();
    let server = Server::start_in(folder, &[]);
    let id = server.post("/api/boards", &board()).json()["id"].clone();
    for order in [
        json!({"do": "move", "move": "a1", "plies": 0}),
        json!({"do": "close"}),
    ] {
        assert_eq!(server.post(&format!("/api/boards/{id}"), &order).status, 200);
    }
    let names = std::fs::read_dir(&elsewhere).unwrap().count();
    let kept = std::fs::read_to_string(elsewhere.join("1.json"));
    assert_eq!((id, names, kept.ok().as_deref()), (json!(1), 1, Some("{}")));
}

/// A folder of transcripts that is a link stops the match that would write to it.
#[cfg(unix)]
#[test]
fn a_link_beside_a_match_is_not_followed() {
    let server = Server::start(&[]);
    let folder = server.folder.path();
    let elsewhere = folder.join("elsewhere");
    std::fs::create_dir_all(folder.join("results")).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("key"), "key of the user\n").unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder.join("results/x.faults")).unwrap();
    let start = json!({"kind": "match", "name": "x", "players": ["builtin:random", "builtin:random"], "format": "round-robin",
        "games": 2, "seconds": null, "concurrency": 1, "openings": null, "words": ""});
    let answer = server.post("/api/matches", &start);
    assert_eq!(answer.status, 200, "{answer:?}");
    let state = || server.get("/api/matches").json()["matches"][0].to_string();
    assert!(eventually(|| state().contains("it is a link")), "{}", state());
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 1);
    assert_eq!(
        std::fs::read_to_string(elsewhere.join("key")).unwrap(),
        "key of the user\n"
    );
}

#[test]
fn a_page_cannot_name_a_program() {
    let server = Server::start(&[]);
    for id in [
        "/bin/sh",
        "cmd=/bin/sh",
        "program:/bin/sh",
        "builtin:../sh",
        "program:",
        "",
        "level:",
        "Human",
        "human ",
    ] {
        let new = json!({"players": [id, "human"]});
        let answer = server.post("/api/boards", &new);
        assert_eq!(answer.status, 422, "{id}: {answer:?}");
        let start = json!({"kind": "match", "name": "x", "players": [id, "builtin:random"], "format": "round-robin",
            "games": 2, "seconds": null, "concurrency": 1, "openings": null, "words": ""});
        let answer = server.post("/api/matches", &start);
        assert!(matches!(answer.status, 404 | 422), "{id}: {answer:?}");
    }
    for words in [
        "--engine cmd=/bin/sh",
        "/bin/sh",
        "--log x",
        "--out x",
        "--pgn x",
        "--html x",
        "--config x",
        "--each cmd=/bin/sh",
        "--each stderr=x",
        "--each option.File=/tmp/x",
        "--openings /etc/passwd",
        "--engines /tmp",
        "--rules /bin/sh",
        "--sandbox-read /",
        "--sandbox=off",
        "--each sandbox=off",
        "--faults x",
        "--save-config x",
    ] {
        let start = json!({"kind": "match", "name": "x", "players": ["builtin:random", "builtin:random"], "format": "round-robin",
            "games": 2, "seconds": null, "concurrency": 1, "openings": null, "words": words});
        let answer = server.post("/api/matches", &start);
        assert_eq!(answer.status, 422, "{words}: {answer:?}");
    }
    assert_eq!(server.get("/api/matches").json(), json!({"matches": []}));
}

#[test]
fn slow_clients_are_dropped() {
    let server = Server::start(&[]);
    let requests = [
        String::new(),
        "GET / HTTP/1.1\r\nHost: ".into(),
        format!(
            "POST {}/api/boards HTTP/1.1\r\nContent-Length: 100\r\n{}\r\n{{",
            server.prefix,
            server.own_headers()
        ),
    ];
    let mut streams: Vec<TcpStream> = requests
        .iter()
        .map(|request| {
            let mut stream = server.connect();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    for (stream, request) in streams.iter_mut().zip(&requests) {
        let mut answer = Vec::new();
        let end = stream.read_to_end(&mut answer);
        assert!(end.is_ok(), "not closed: {request} {end:?}");
    }
}

/// A client that asks this again and again and takes next to nothing of the answers.
#[cfg(unix)]
fn reads_nothing(server: &Server, request: &str) -> TcpStream {
    use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt};
    let client = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    sockopt::set_socket_recv_buffer_size(&client, 2048).unwrap();
    connect(&client, &server.host.parse::<std::net::SocketAddr>().unwrap()).unwrap();
    let mut client = TcpStream::from(client);
    client.set_nonblocking(true).unwrap();
    // The server may have closed the connection.
    let _ = client.write_all(request.as_bytes());
    client
}

#[cfg(unix)]
#[test]
fn clients_without_the_key_that_read_nothing_keep_nobody_out() {
    let server = Server::start(&[]);
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.host).repeat(4000);
    let clients: Vec<TcpStream> = (0..600).map(|_| reads_nothing(&server, &request)).collect();
    assert_eq!(server.get("/api/site").status, 200);
    drop(clients);
}

#[cfg(unix)]
#[test]
fn a_download_that_nobody_reads_is_dropped() {
    let server = Server::start(&[]);
    let large = std::fs::File::create(server.folder.path().join("results/large.jsonl")).unwrap();
    large.set_len(64 << 20).unwrap();
    let (prefix, host, cookie) = (&server.prefix, &server.host, server.cookie());
    let request = format!("GET {prefix}/results/large.jsonl/file HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n");
    let mut client = reads_nothing(&server, &request);
    // The server reads no other request before its answer is taken; what comes to a closed connection is an error.
    assert!(eventually(|| client.write_all(b"\n").is_err()));
}

#[test]
fn an_answer_without_the_key_ends_the_connection() {
    let server = Server::start(&[]);
    let own = format!("Host: {}\r\n", server.host);
    for (headers, closes) in [
        (own.clone(), true),
        (format!("Host: evil.example\r\n{}", server.cookie()), true),
        (own + &server.cookie(), false),
    ] {
        let head = format!("GET {}/api/site HTTP/1.1\r\n{headers}\r\n", server.prefix);
        let answer = server.send(&head);
        assert_eq!(answer.head.contains("connection: close"), closes, "{answer:?}");
    }
}

/// Clients that connect again whenever they are dropped.
#[test]
fn many_connections_do_not_keep_the_server_from_others() {
    let server = Server::start(&[]);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut flood = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                flood.retain_mut(|client: &mut TcpStream| {
                    client
                        .read(&mut [0])
                        .is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
                });
                while flood.len() < 512 {
                    flood.push(server.connect());
                    flood[flood.len() - 1].set_nonblocking(true).unwrap();
                }
            }
        });
        let all: Vec<u16> = (0..20).map(|_| server.get("/api/site").status).collect();
        is_over.store(true, Ordering::SeqCst);
        assert_eq!(all, [200; 20]);
    });
}

#[test]
fn large_requests_are_refused() {
    let server = Server::start(&[]);
    let large = json!({"players": ["human", "human"], "saved": "x".repeat(1_100_000)});
    assert_eq!(server.post("/api/boards", &large).status, 413);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(
        server
            .ask(
                &format!("POST {}/api/boards", server.prefix),
                &server.own_headers(),
                &deep
            )
            .status,
        400 | 422
    ));
    let head = format!(
        "GET /{} HTTP/1.1\r\nHost: {}\r\n\r\n",
        "x".repeat(100_000),
        server.host
    );
    assert!(matches!(server.send(&head).status, 0 | 400 | 414 | 431));
    assert_eq!(server.get("/api/site").status, 200);
}

#[test]
fn a_client_that_writes_to_a_web_socket_is_dropped() {
    let server = Server::start(&[]);
    assert_eq!(server.post("/api/boards", &board()).status, 200);
    let head = socket(
        &server,
        &format!("Origin: http://{}\r\n{}", server.host, server.cookie()),
    );
    // A text, a message that is too long, and bytes that are no frame.
    for frame in [
        b"\x81\x81\0\0\0\0x".to_vec(),
        b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0".to_vec(),
        vec![0xff; 64],
    ] {
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&frame).unwrap();
        let mut answer = Vec::new();
        let end = stream.read_to_end(&mut answer);
        assert!(end.is_ok() || answer.starts_with(b"HTTP/1.1 101"), "{end:?}");
        assert!(String::from_utf8_lossy(&answer).contains("\"kind\":\"board\"") || !answer.is_empty());
    }
    assert_eq!(server.get("/api/boards").status, 200);
}

#[test]
fn the_number_of_boards_is_limited() {
    let server = Server::start(&[]);
    for _ in 0..128 {
        assert_eq!(server.post("/api/boards", &board()).status, 200);
    }
    let answer = server.post("/api/boards", &board());
    assert_eq!(
        (answer.status, answer.error().as_str()),
        (429, "there are 128 boards; close one")
    );
    assert_eq!(server.post("/api/boards/1", &json!({"do": "close"})).status, 200);
    assert_eq!(server.post("/api/boards", &board()).status, 200);
}

#[test]
fn wrong_requests_change_nothing() {
    let server = Server::start(&[]);
    assert_eq!(server.post("/api/boards", &board()).status, 200);
    for order in [
        json!({}),
        json!({"do": "dance"}),
        json!({"do": "move"}),
        json!({"do": "move", "move": "z9", "plies": 0}),
        json!({"do": "move", "move": "d4", "plies": 0}),
        json!({"do": "move", "move": "a1", "plies": 1}),
        json!({"do": "move", "move": "a1\u{0}\u{1b}[31m", "plies": 0}),
        json!({"do": "continue", "plies": 5}),
        json!({"do": "continue", "plies": -1}),
        json!({"do": "players", "players": ["human", "cmd=/bin/sh"]}),
        json!({"do": "hint", "player": "nothing"}),
        json!({"do": "analyse", "player": "nothing", "plies": 0}),
        json!({"do": "undo"}),
        json!({"do": "retry"}),
        json!([1, 2]),
        json!(null),
    ] {
        let answer = server.post("/api/boards/1", &order);
        assert!(matches!(answer.status, 400 | 404 | 422), "{order}: {answer:?}");
    }
    for path in [
        "/api/boards/2",
        "/api/boards/-1",
        "/api/boards/x",
        "/api/boards/99999999999999999999",
        "/api/matches/none",
    ] {
        let answer = server.post(path, &json!({"do": "close"}));
        assert!(matches!(answer.status, 400 | 404 | 422), "{path}: {answer:?}");
    }
    let boards = server.get("/api/boards").json();
    assert_eq!(boards["boards"][0]["moves"], 0, "{boards}");
    assert_eq!(
        server
            .post("/api/boards/1", &json!({"do": "move", "move": "A1", "plies": 0}))
            .status,
        200
    );
}

#[test]
fn the_cookie_is_for_a_path_that_no_other_server_knows() {
    let [one, other] = [Server::start(&[]), Server::start(&[])];
    assert!(one.prefix.len() > 30 && one.prefix != other.prefix);
    // Browsers send the cookie of a host to all its ports, but only to its path.
    let headers = format!("Host: {}\r\n{}", other.host, one.cookie());
    assert_eq!(
        other
            .ask(&format!("GET {}/api/site", other.prefix), &headers, "")
            .status,
        403
    );
    let headers = format!("Host: {}\r\n{}", one.host, one.cookie());
    assert_eq!(one.ask("GET /api/site", &headers, "").status, 404);
}

#[cfg(unix)]
#[test]
fn what_lies_in_the_folder_cannot_hold_up_the_server() {
    let server = Server::start(&[]);
    let folder = server.kill();
    let boards = folder.path().join("results/boards");
    std::fs::create_dir_all(&boards).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(boards.join("1.json"))
        .status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", boards.join("2.json")).unwrap();
    std::fs::write(boards.join("3.json"), "{").unwrap();
    std::fs::write(boards.join("18446744073709551615.json"), "{}").unwrap();
    let server = Server::start_in(folder, &[]);
    assert_eq!(server.get("/api/boards").json(), json!({"boards": []}));
    let answer = server.post("/api/boards", &board());
    assert_eq!(answer.json(), json!({"id": 4}), "{answer:?}");
}

#[test]
fn a_second_server_does_not_use_the_folder() {
    let server = Server::start(&[]);
    let results = server.folder.path().join("results");
    let second = std::process::Command::new(env!("CARGO_BIN_EXE_referee-serve"))
        .args(["serve", "--results"])
        .arg(&results)
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(2), "{second:?}");
    let message = String::from_utf8_lossy(&second.stderr);
    assert_has(&message, expect! {"another `referee serve` uses this folder"});
}

#[test]
fn many_boards_at_once_respect_the_limit() {
    let server = Server::start(&[]);
    let made = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..160)
            .map(|_| {
                scope.spawn(|| {
                    server
                        .post("/api/boards", &json!({"players": ["human", "builtin:random"]}))
                        .status
                })
            })
            .collect();
        asked
            .into_iter()
            .map(|one| one.join().unwrap())
            .filter(|status| *status == 200)
            .count()
    });
    assert_eq!(made, 128);
}
