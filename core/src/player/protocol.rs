//! The protocols that players speak (`proto`).

use std::fmt::Display;

use lodestone_game::protocol::Dialect;

use crate::io::as_text::Text;

/// The protocol of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Universal Game Interface.
    Ugi,
    /// The Go Text Protocol, also of Hex and other games.
    Gtp,
    /// The Chess Engine Communication Protocol of `XBoard`.
    Xboard,
    /// The Universal Shogi Interface.
    Usi,
    /// The Universal Chinese Chess Protocol.
    Ucci,
    /// The protocol of Gomocup and Piskvork.
    Gomocup,
    /// The Universal Ataxx Interface.
    Uai,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Protocol; 8] = [
        Protocol::Uci,
        Protocol::Ugi,
        Protocol::Gtp,
        Protocol::Xboard,
        Protocol::Usi,
        Protocol::Ucci,
        Protocol::Gomocup,
        Protocol::Uai,
    ];

    /// The name as users write it, the name in sentences, and the first line to a program.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Protocol::Uci => ["uci", "UCI", "uci"],
            Protocol::Ugi => ["ugi", "UGI", "ugi"],
            Protocol::Gtp => ["gtp", "GTP", "protocol_version"],
            Protocol::Xboard => ["xboard", "XBoard", "protover 2"],
            Protocol::Usi => ["usi", "USI", "usi"],
            Protocol::Ucci => ["ucci", "UCCI", "ucci"],
            Protocol::Gomocup => ["gomocup", "Gomocup", "ABOUT"],
            Protocol::Uai => ["uai", "UAI", "uai"],
        }
    }

    /// The name, as users write it.
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// The name in sentences.
    pub const fn title(self) -> &'static str {
        self.words()[1]
    }

    /// The dialect in which the referee speaks to the player, or to the bridge in front of it.
    pub const fn dialect(self) -> Dialect {
        match self {
            Protocol::Ugi => Dialect::Ugi,
            _ => Dialect::Uci,
        }
    }

    /// Whether a bridge translates between the referee and the player.
    pub const fn is_bridged(self) -> bool {
        !matches!(self, Protocol::Uci | Protocol::Ugi)
    }

    /// Whether a user may have lines sent to the engine at the beginning of each game: other protocols have options.
    pub const fn has_init(self) -> bool {
        matches!(self, Protocol::Gtp | Protocol::Xboard)
    }

    /// The commands that tell the engine the moves of a game, as messages name them.
    pub const fn words_of_moves(self) -> &'static str {
        match self {
            Protocol::Gtp => "`play`",
            Protocol::Xboard => "`usermove`",
            Protocol::Gomocup => "`TURN` and `BOARD`",
            _ => "`position`",
        }
    }

    /// The first words that tell the protocols apart, one line each.
    pub fn greetings() -> String {
        Protocol::ALL
            .map(|protocol| protocol.words()[2].to_string() + "\n")
            .concat()
    }

    /// The protocol of a program that answered a greeting with this line, if no other has such lines.
    pub fn of_answer(line: &str) -> Option<Protocol> {
        let line = line.trim();
        let word = line.split_whitespace().next()?;
        match word {
            // `uciok` to `uci`.
            _ if word.ends_with("ok") => Protocol::ALL
                .into_iter()
                .find(|protocol| word.strip_suffix("ok") == Some(protocol.words()[2])),
            "feature" | "Error" if line.contains(['=', '(']) => Some(Protocol::Xboard),
            "Illegal" if line.starts_with("Illegal move") => Some(Protocol::Xboard),
            _ if line.starts_with("name=\"") => Some(Protocol::Gomocup),
            // `? unknown command`, `?3 unknown command`, `= 2`.
            _ if ['?', '='].iter().any(|sign| {
                word.strip_prefix(*sign)
                    .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
            }) =>
            {
                Some(Protocol::Gtp)
            }
            _ => None,
        }
    }
}

impl Text for Protocol {
    fn text(&self) -> impl Display {
        self.name()
    }

    fn read(text: &str) -> Result<Protocol, String> {
        let found = Protocol::ALL.into_iter().find(|protocol| protocol.name() == text);
        found.ok_or_else(|| {
            let [first @ .., last] = Protocol::ALL.map(|protocol| format!("`{}`", protocol.name()));
            format!("expected {} or {last}", first.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_every_protocol() {
        let next = |protocol: &Protocol| match protocol {
            Protocol::Uci => Some(Protocol::Ugi),
            Protocol::Ugi => Some(Protocol::Gtp),
            Protocol::Gtp => Some(Protocol::Xboard),
            Protocol::Xboard => Some(Protocol::Usi),
            Protocol::Usi => Some(Protocol::Ucci),
            Protocol::Ucci => Some(Protocol::Gomocup),
            Protocol::Gomocup => Some(Protocol::Uai),
            Protocol::Uai => None,
        };
        assert!(std::iter::successors(Some(Protocol::Uci), next).eq(Protocol::ALL));
    }

    #[test]
    fn a_protocol_is_recognised_by_its_answer() {
        for (line, protocol) in [
            ("usiok", Some(Protocol::Usi)),
            ("? unknown command", Some(Protocol::Gtp)),
            ("?unknown_command", None),
            ("= 2", Some(Protocol::Gtp)),
            ("=1 2", Some(Protocol::Gtp)),
            ("=====", None),
            ("Error (unknown command): uci", Some(Protocol::Xboard)),
            ("feature ping=1 done=0", Some(Protocol::Xboard)),
            ("Illegal move: uci", Some(Protocol::Xboard)),
            ("UNKNOWN command", None),
            ("name=\"brain\", version=\"1\"", Some(Protocol::Gomocup)),
            ("Unknown command", None),
            ("Error: no such file", None),
            ("", None),
        ] {
            assert_eq!(Protocol::of_answer(line), protocol, "{line}");
        }
    }

    /// The form and the manual cannot ask the compiler.
    #[test]
    fn the_match_form_and_the_manual_know_every_protocol() {
        let form = include_str!("../../../serve/page/index.html");
        let manual = include_str!("../../../docs/bridges.md");
        for protocol in Protocol::ALL
            .into_iter()
            .filter(|&protocol| protocol != Protocol::default())
        {
            let name = protocol.name();
            assert!(
                form.contains(&format!("<option value=\"{name}\">")),
                "index.html: {name}"
            );
            assert!(
                !protocol.is_bridged() || manual.contains(&format!("| `{name}` |")),
                "bridges.md: {name}"
            );
        }
    }
}
