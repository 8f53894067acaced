//! The protocols that players speak (`proto`).

use std::fmt::Display;

use lodestone::protocol::Dialect;

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
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Protocol; 7] = [
        Protocol::Uci,
        Protocol::Ugi,
        Protocol::Gtp,
        Protocol::Xboard,
        Protocol::Usi,
        Protocol::Ucci,
        Protocol::Gomocup,
    ];

    /// The name, as users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Uci => "uci",
            Protocol::Ugi => "ugi",
            Protocol::Gtp => "gtp",
            Protocol::Xboard => "xboard",
            Protocol::Usi => "usi",
            Protocol::Ucci => "ucci",
            Protocol::Gomocup => "gomocup",
        }
    }

    /// The dialect in which the referee speaks to the player, or to the bridge in front of it.
    pub const fn dialect(self) -> Dialect {
        match self {
            Protocol::Ugi => Dialect::Ugi,
            Protocol::Uci
            | Protocol::Gtp
            | Protocol::Xboard
            | Protocol::Usi
            | Protocol::Ucci
            | Protocol::Gomocup => Dialect::Uci,
        }
    }

    /// Whether a bridge translates between the referee and the player.
    pub const fn is_bridged(self) -> bool {
        match self {
            Protocol::Uci | Protocol::Ugi => false,
            Protocol::Gtp | Protocol::Xboard | Protocol::Usi | Protocol::Ucci | Protocol::Gomocup => true,
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
            Protocol::Gomocup => None,
        };
        assert!(std::iter::successors(Some(Protocol::Uci), next).eq(Protocol::ALL));
    }

    /// The form and the manual cannot ask the compiler.
    #[test]
    fn the_match_form_and_the_manual_know_every_protocol() {
        let form = include_str!("../../../serve/page/index.html");
        let manual = include_str!("../../../docs/any-program.md");
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
                "any-program.md: {name}"
            );
        }
    }
}
