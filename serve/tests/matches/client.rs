//! A small client of the server, over plain TCP.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(4);

/// A running server, which is killed at the end.
pub struct Server {
    child: Child,
    host: String,
    cookie: String,
}

/// An answer: its status, its head and its body.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Server {
    /// Starts the program with this folder of results.
    pub fn start(folder: &Path) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_referee-serve"))
            .args(["serve", "--results"])
            .arg(folder.join("results"))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let (host, key) = address
            .trim()
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        let mut server = Server {
            child,
            host: host.into(),
            cookie: String::new(),
        };
        let first = server.ask("GET", &format!("/{key}"), None);
        let cookie = first
            .head
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "))
            .unwrap();
        server.cookie = cookie.split(';').next().unwrap().into();
        server
    }

    /// The answer to a request.
    pub fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(&self.host).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            host = self.host,
            cookie = self.cookie,
            length = body.len(),
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: if head.contains("transfer-encoding: chunked") {
                joined(body)
            } else {
                body.into()
            },
            head: head.into(),
        }
    }

    pub fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None).json()
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, Some(body))
    }

    /// Starts a match between two random players.
    pub fn start_match(&self, name: &str, games: u64, words: &str) -> Answer {
        let players = ["builtin:random", "builtin:random"];
        let form = json!({"kind": "match", "name": name, "players": players, "format": "round-robin", "games": games,
            "seconds": 1, "concurrency": 1, "openings": null, "words": words});
        self.post("/api/matches", &form)
    }

    /// Waits until the match of this name is as expected.
    pub fn wait_for(&self, name: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let all = self.get("/api/matches");
            let mut all = all["matches"].as_array().unwrap().iter();
            let found = all.find(|one| one["name"] == name).unwrap();
            if is_expected(found) {
                return found.clone();
            }
            assert!(Instant::now() < until, "{found}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Opens a web socket, and returns its first text.
    pub fn first_text(&self, path: &str) -> Value {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            host = self.host,
            cookie = self.cookie,
        )
        .unwrap();
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        assert!(line.contains("101"), "{line}");
        while line.trim() != "" {
            line.clear();
            stream.read_line(&mut line).unwrap();
        }
        let mut head = [0; 2];
        stream.read_exact(&mut head).unwrap();
        let mut length = [0; 8];
        let bytes = match head[1] {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        stream.read_exact(&mut length[8 - bytes..]).unwrap();
        let length = if bytes == 0 {
            head[1].into()
        } else {
            u64::from_be_bytes(length)
        };
        let mut text = vec![0; usize::try_from(length).unwrap()];
        stream.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// Kills the server, so that it cannot end its matches.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Interrupts the server, and waits for it.
    #[cfg(unix)]
    pub fn interrupt(mut self) {
        let id = rustix::process::Pid::from_raw(self.child.id().cast_signed()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pieces of a chunked body.
fn joined(body: &str) -> String {
    let (mut rest, mut text) = (body, String::new());
    while let Some((length, more)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap();
        if length == 0 {
            break;
        }
        text += &more[..length];
        rest = &more[length + 2..];
    }
    text
}

/// The ids of the games in a result file.
pub fn ids(path: &Path) -> Vec<u64> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter_map(|line| line["id"].as_u64()).collect()
}
