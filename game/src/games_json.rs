//! The facts of the games as JSON, for the scripts of pages and for other programs.

use crate::board::Cell;
use crate::players::LEVELS;
use crate::{Setup, Variant};

/// All games as an array of [`one`], the default first.
pub fn all() -> String {
    list(Variant::ALL.iter().map(|&variant| one(variant)))
}

/// A game as an object: its [`GameInfo`](crate::GameInfo), players and levels.
///
/// | key | value |
/// |---|---|
/// | `name`, `title`, `summary`, `rules` | as in its `GameInfo`; `rules` is an array of paragraphs |
/// | `columns`, `rows` | the labels of the columns from left to right, and of the rows from top to bottom |
/// | `cells` | the names of all cells as moves have them, row by row from the top |
/// | `signs`, `pieces` | what a drawn board shows for the sides, and what people call them |
/// | `showsCapitals` | whether people read cells in capitals |
/// | `slides` | whether a move is two cells, from and to, and not one |
/// | `sampleMove` | a move as an example |
/// | `start` | the FEN of `position startpos` |
/// | `plies` | the most plies that a game from `start` can have |
/// | `hasSetup` | whether games begin with a random placement, and a FEN ends with the turns played and the turn limit |
/// | `setup` | of such a game, the default and the greatest number of `pieces` and of `turns`, each an array; else null |
/// | `opponent` | the player that `lodestone` meets by default |
/// | `players` | all players, each with `name` and `about` |
/// | `levels` | the levels of the computer, the weakest first: `name`, `about`, `player`, `milliseconds` a move, and `depth` or null |
pub fn one(variant: Variant) -> String {
    let (info, start) = (variant.info(), variant.startpos());
    let cells = (0..info.rows.len() as u8)
        .flat_map(|row| (0..info.columns.len() as u8).map(move |column| Cell::new(row, column)));
    let range = |default: u32, max: u32| format!("[{default},{max}]");
    let setup = Setup::default();
    let setup = object(&[
        ("pieces", range(setup.pieces, Setup::MAX_PIECES)),
        ("turns", range(setup.turns, Setup::MAX_TURNS)),
    ]);
    let players = variant.players().into_iter();
    let players = players.map(|(name, about)| object(&[("name", text(name)), ("about", text(about))]));
    let levels = LEVELS.iter().map(|level| {
        let (player, depth) = level.player(variant);
        object(&[
            ("name", text(level.name)),
            ("about", text(level.about)),
            ("player", text(player)),
            ("milliseconds", level.milliseconds.to_string()),
            ("depth", depth.map_or("null".into(), |depth| depth.to_string())),
        ])
    });
    object(&[
        ("name", text(info.name)),
        ("title", text(info.title)),
        ("summary", text(info.summary)),
        ("rules", list(info.rules.iter().map(text))),
        ("columns", text(info.columns)),
        ("rows", text(info.rows)),
        ("cells", list(cells.map(|cell| text(start.cell_text(cell))))),
        (
            "signs",
            list(info.signs.iter().map(|sign| text(sign.to_string()))),
        ),
        ("pieces", list(info.side_names().iter().map(text))),
        ("showsCapitals", info.shows_capitals.to_string()),
        ("slides", info.slides.to_string()),
        ("sampleMove", text(info.sample_move)),
        ("start", text(start.fen())),
        ("plies", start.plies_left().to_string()),
        ("hasSetup", info.has_setup.to_string()),
        ("setup", if info.has_setup { setup } else { "null".into() }),
        ("opponent", text(info.default_opponent)),
        ("players", list(players)),
        ("levels", list(levels)),
    ])
}

/// A text without control characters as JSON.
fn text(text: impl AsRef<str>) -> String {
    let escaped = text.as_ref().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn object(fields: &[(&str, String)]) -> String {
    let fields = fields.iter().map(|(key, value)| format!("\"{key}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}
