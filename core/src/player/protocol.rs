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
            _ => Dialect::Uci,
        }
    }

    /// Whether a bridge translates between the referee and the player.
    pub const fn is_bridged(self) -> bool {
        !matches!(self, Protocol::Uci | Protocol::Ugi)
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
