//! What the referee and a supervisor say to each other.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::process::limits::{Limits, Overuse};

/// What a supervisor is to start, and what its engine may use.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    pub program: PathBuf,
    pub args: Vec<String>,
    pub limits: Limits,
}

impl Order {
    /// The order as bytes: its words with a zero byte between any two, which
    /// no path and no argument can hold.
    pub fn to_bytes(&self) -> Vec<u8> {
        let number = |limit: Option<u64>| limit.map_or(String::new(), |limit| limit.to_string());
        let limits = [self.limits.memory, self.limits.processes].map(number);
        let mut bytes = format!("{}\0", limits.join("\0")).into_bytes();
        bytes.extend_from_slice(self.program.as_os_str().as_bytes());
        for arg in &self.args {
            bytes.push(0);
            bytes.extend_from_slice(arg.as_bytes());
        }
        bytes
    }

    /// The way back; `None` for what is no order.
    pub fn from_bytes(bytes: &[u8]) -> Option<Order> {
        let mut words = bytes.split(|byte| *byte == 0);
        let mut number = || match std::str::from_utf8(words.next()?).ok()? {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        let limits = Limits {
            memory: number()?,
            processes: number()?,
        };
        let program = PathBuf::from(OsString::from_vec(words.next()?.to_vec()));
        let args = words.map(|word| String::from_utf8(word.to_vec()).ok());
        Some(Order {
            program,
            args: args.collect::<Option<_>>()?,
            limits,
        })
    }
}

/// What a supervisor tells of its engine, a line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// It runs.
    Started,
    /// It could not be started: the error of the system.
    Failed(i32),
    /// It ended with this status.
    Exited(i32),
    /// It was ended by this signal.
    Signalled(i32),
    /// It was ended for using too much.
    Overused(Overuse),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::Started => writeln!(f, "started"),
            Report::Failed(error) => writeln!(f, "failed {error}"),
            Report::Exited(status) => writeln!(f, "exited {status}"),
            Report::Signalled(signal) => writeln!(f, "signalled {signal}"),
            Report::Overused(Overuse::Memory { used, allowed }) => writeln!(f, "memory {used} {allowed}"),
            Report::Overused(Overuse::Processes { found, allowed }) => {
                writeln!(f, "processes {found} {allowed}")
            }
        }
    }
}

impl Report {
    /// The report in this line; `None` for a line that is none.
    pub fn parse(line: &str) -> Option<Report> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some(match *words.as_slice() {
            ["started"] => Report::Started,
            ["failed", error] => Report::Failed(error.parse().ok()?),
            ["exited", status] => Report::Exited(status.parse().ok()?),
            ["signalled", signal] => Report::Signalled(signal.parse().ok()?),
            ["memory", used, allowed] => Report::Overused(Overuse::Memory {
                used: used.parse().ok()?,
                allowed: allowed.parse().ok()?,
            }),
            ["processes", found, allowed] => Report::Overused(Overuse::Processes {
                found: found.parse().ok()?,
                allowed: allowed.parse().ok()?,
            }),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_comes_as_it_was_given() {
        for (args, limits) in [
            (vec![], Limits::default()),
            (
                vec!["-v", "", "two words", "ä\n"],
                Limits {
                    memory: Some(512),
                    processes: None,
                },
            ),
            (
                vec!["launch", "--each"],
                Limits {
                    memory: None,
                    processes: Some(64),
                },
            ),
        ] {
            let order = Order {
                program: OsString::from_vec(b"/a b/\xff".to_vec()).into(),
                args: args.into_iter().map(String::from).collect(),
                limits,
            };
            assert_eq!(Order::from_bytes(&order.to_bytes()), Some(order));
        }
        for broken in ["", "512", "512\0", "x\0\0a"] {
            assert_eq!(Order::from_bytes(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn a_report_comes_as_it_was_given() {
        for report in [
            Report::Started,
            Report::Failed(2),
            Report::Exited(255),
            Report::Signalled(11),
            Report::Overused(Overuse::Memory {
                used: 812,
                allowed: 512,
            }),
            Report::Overused(Overuse::Processes {
                found: 65,
                allowed: 64,
            }),
        ] {
            assert_eq!(Report::parse(&report.to_string()), Some(report));
        }
        assert_eq!(Report::parse("exited"), None);
        assert_eq!(Report::parse("exited x"), None);
    }
}
