//! A server for tests, and a client that sends bytes as they are.

#![allow(missing_docs)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// No answer may take longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_mins(2);

/// Whether this becomes true within [`PATIENCE`].
pub fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(Duration::from_millis(50));
    }
    true
}

/// A running server, with a folder of its own for results.
pub struct Server {
    child: Child,
    /// It must stay open: the server writes to it.
    _stdout: BufReader<ChildStdout>,
    /// Address and port.
    pub host: String,
    /// The secret.
    pub key: String,
    /// The path of all pages.
    pub prefix: String,
    pub folder: TempDir,
}

/// An answer of the server.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The sentence of a refusal.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_string()
    }
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        Server::start_in(TempDir::new().unwrap(), arguments)
    }

    pub fn start_in(folder: TempDir, arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_referee-serve"))
            .args(["serve", "--results"])
            .arg(folder.path().join("results"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let rest = line
            .trim()
            .strip_prefix("http://")
            .unwrap_or_else(|| panic!("{line}"));
        let (host, key) = rest.split_once("/?key=").unwrap();
        let mut server = Server {
            child,
            _stdout: stdout,
            host: host.into(),
            key: key.into(),
            prefix: String::new(),
            folder,
        };
        let first = server.ask(&format!("GET /?key={key}"), &format!("Host: {host}\r\n"), "");
        let place = first
            .head
            .lines()
            .find_map(|line| line.strip_prefix("location: "));
        server.prefix = place.unwrap().trim_end_matches('/').into();
        server
    }

    /// Kills the server, and returns its folder.
    pub fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.ended()
    }

    /// Ends the server as Ctrl-C does, and returns its folder.
    pub fn interrupt(mut self) -> TempDir {
        #[cfg(unix)]
        {
            let id = rustix::process::Pid::from_raw(self.child.id().cast_signed()).unwrap();
            rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        }
        #[cfg(not(unix))]
        self.child.kill().unwrap();
        self.ended()
    }

    fn ended(&mut self) -> TempDir {
        self.child.wait().unwrap();
        std::mem::replace(&mut self.folder, TempDir::new().unwrap())
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes on a connection of their own, and reads up to its end.
    pub fn send(&self, text: &str) -> Answer {
        let mut stream = self.connect();
        // A server that refuses a request does not read all of it.
        let _ = stream.write_all(text.as_bytes());
        let answer = read_answer(&mut stream);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let is_chunked = head.contains("transfer-encoding: chunked");
        let body = if is_chunked { joined(body) } else { body.into() };
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|word| word.parse().ok())
            .unwrap_or(0);
        Answer {
            status,
            head: head.into(),
            body,
        }
    }

    /// The cookie of a browser that was given the address.
    pub fn cookie(&self) -> String {
        format!("Cookie: referee={}\r\n", self.key)
    }

    /// Sends a request with these header lines, each with its end.
    pub fn ask(&self, line: &str, headers: &str, body: &str) -> Answer {
        let length = body.len();
        self.send(&format!(
            "{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    pub fn get(&self, path: &str) -> Answer {
        let headers = format!("Host: {}\r\n{}", self.host, self.cookie());
        self.ask(&format!("GET {}{path}", self.prefix), &headers, "")
    }

    /// The header lines of a page of this server that posts.
    pub fn own_headers(&self) -> String {
        format!(
            "Host: {0}\r\nOrigin: http://{0}\r\nContent-Type: application/json\r\n{1}",
            self.host,
            self.cookie()
        )
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask(
            &format!("POST {}{path}", self.prefix),
            &self.own_headers(),
            &body.to_string(),
        )
    }
}

/// A web socket that receives states. Of a board, that is the whole state, then what changes.
pub struct Live(pub BufReader<TcpStream>, pub Value);

impl Live {
    /// The next state that fits.
    pub fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let state = self.next(end);
            if fits(&state) {
                return state;
            }
        }
    }

    /// The next state.
    fn next(&mut self, end: Instant) -> Value {
        loop {
            assert!(Instant::now() < end, "no such state");
            if let (0x81, text) = self.frame() {
                self.apply(serde_json::from_slice(&text).unwrap());
                return self.1.clone();
            }
        }
    }

    fn apply(&mut self, mut message: Value) {
        if message["kind"] != "change" {
            self.1 = message;
            return;
        }
        let fields = message.as_object_mut().unwrap();
        fields.remove("kind");
        if let Some(Value::Object(added)) = fields.remove("added") {
            for (name, value) in added {
                let (old, is_list) = (
                    &mut self.1["game"][&name],
                    name != "clocks" && name != "highlights",
                );
                match (old, value) {
                    (Value::Array(old), Value::Array(more)) if is_list => old.extend(more),
                    (Value::String(old), Value::String(more)) if name == "turns" => old.push_str(&more),
                    (old, value) => *old = value,
                }
            }
        }
        self.1.as_object_mut().unwrap().append(fields);
    }

    /// The first byte of the next frame, and its content.
    pub fn frame(&mut self) -> (u8, Vec<u8>) {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).expect("the web socket is closed");
        let mut length = usize::from(head[1]);
        if length > 125 {
            let mut bytes = vec![0; if length == 126 { 2 } else { 8 }];
            self.0.read_exact(&mut bytes).unwrap();
            length = bytes.iter().fold(0, |all, byte| 256 * all + usize::from(*byte));
        }
        let mut content = vec![0; length];
        self.0.read_exact(&mut content).unwrap();
        (head[0], content)
    }
}

impl Server {
    /// Follows the states of a board or a match.
    pub fn follow(&self, path: &str) -> Live {
        let mut stream = self.connect();
        let head = format!(
            "GET {2}/live/{path} HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{1}\r\n",
            self.host,
            self.cookie(),
            self.prefix
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).unwrap();
        }
        Live(stream, Value::Null)
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

/// Reads an answer of a known length, or up to the end of the connection.
fn read_answer(stream: &mut TcpStream) -> String {
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&answer);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            if length.and_then(|length| length.parse().ok()) == Some(body.len()) {
                return text.into_owned();
            }
        }
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return text.into_owned(),
            Ok(count) => answer.extend_from_slice(&part[..count]),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
