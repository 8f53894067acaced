//! The titles of the checks in the words of each protocol.

use lodestone_game::protocol::Dialect;
use referee_core::player::Protocol;

use super::report::{CheckInfo, HANDSHAKE};
use crate::bots::bridge::Wording;

impl CheckInfo {
    /// What a program of this protocol does that passes; `None` if the check is not about such programs.
    pub(super) fn title_in(&self, protocol: Protocol) -> Option<String> {
        let Some(wording) = Wording::of(protocol) else {
            let words =
                |dialect: Dialect| [dialect.greeted(), dialect.name()].map(|word| format!("`{word}`"));
            let pairs = words(Dialect::Uci).into_iter().zip(words(protocol.dialect()));
            return Some(pairs.fold(self.title.to_string(), |title, (uci, own)| {
                title.replace(&uci, &own)
            }));
        };
        let limit = |template: &str, name: &str| {
            (!template.is_empty()).then(|| format!("answers with `{}`", template.replace(name, "N")))
        };
        match (self.name, self.name.strip_prefix("movetime-")) {
            (HANDSHAKE, _) => Some(wording.handshake.to_string()),
            ("depth", _) => limit(wording.depth, "{depth}"),
            ("nodes", _) => limit(wording.nodes, "{nodes}"),
            ("queries", _) => None,
            (_, Some(time)) => Some(format!("answers within {time} ms")),
            _ => (!self.is_of_uci).then(|| self.title.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::CHECKS;
    use super::*;

    #[test]
    fn titles_have_the_words_of_their_protocol() {
        let title = |check: &str, protocol| {
            let check = CHECKS.iter().find(|other| other.info.name == check).unwrap();
            check.info.title_in(protocol)
        };
        for (check, protocol, expected) in [
            ("handshake", Protocol::Uci, Some("answers `uci` with `uciok`")),
            ("handshake", Protocol::Ugi, Some("answers `ugi` with `ugiok`")),
            ("handshake", Protocol::Usi, Some("answers `usi` with `usiok`")),
            ("handshake", Protocol::Gtp, Some("answers `protocol_version`")),
            ("isready", Protocol::Ugi, Some("answers `isready` with `readyok`")),
            ("isready", Protocol::Xboard, None),
            ("depth", Protocol::Xboard, Some("answers with `sd N`")),
            ("depth", Protocol::Gtp, None),
            ("nodes", Protocol::Usi, Some("answers with `nodes N`")),
            ("movetime-50", Protocol::Gomocup, Some("answers within 50 ms")),
            ("queries", Protocol::Ugi, Some("answers `query` as the rules say")),
        ] {
            assert_eq!(
                title(check, protocol).as_deref(),
                expected,
                "{check} {protocol:?}"
            );
        }
    }

    /// What is left of UCI in a title is a word of the protocol, too.
    #[test]
    fn no_title_of_a_translated_protocol_has_words_of_uci() {
        for protocol in Protocol::ALL.into_iter().filter(|protocol| protocol.is_bridged()) {
            for title in CHECKS.iter().filter_map(|check| check.info.title_in(protocol)) {
                let words = title
                    .split('`')
                    .skip(1)
                    .step_by(2)
                    .flat_map(str::split_whitespace);
                for word in words {
                    let is_own = ![
                        "uci", "uciok", "isready", "readyok", "go", "bestmove", "id", "stop", "position",
                    ]
                    .contains(&word);
                    assert!(is_own, "{protocol:?}: {title}");
                }
            }
        }
    }
}
