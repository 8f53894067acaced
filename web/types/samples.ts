// Each field that the scripts read is in the samples, which tests in Rust compare with what is sent.

import board from "../../tests/lines/messages/board.json";
import boards from "../../tests/lines/messages/boards.json";
import change from "../../tests/lines/messages/change.json";
import match from "../../tests/lines/messages/match.json";
import matches from "../../tests/lines/messages/matches.json";
import report from "../../tests/lines/messages/report.json";
import results from "../../tests/lines/messages/results.json";
import site from "../../tests/lines/messages/site.json";

/** The fields of a type, optional ones too. */
type Fields<T> = { [Name in keyof T]-?: unknown };

/** The fields that at least one of several objects has. */
type Some<T> = { [Name in T extends unknown ? keyof T : never]: unknown };

board satisfies Fields<BoardState>;
board.game satisfies Fields<GameState>;
board.seats[0] satisfies Fields<BoardState["seats"][0]>;
board.hint satisfies Fields<Advice>;
board.thinking satisfies Fields<Advice>;
board.analysis satisfies Fields<Advice>;
board.hint.boards satisfies Fields<Advice["boards"]>;
board.over satisfies Fields<BoardState["over"]>;
change satisfies Fields<Omit<BoardState, "game">>;
boards.boards[0] satisfies Fields<OpenBoard>;

match satisfies Fields<MatchState>;
match.running[0] satisfies Fields<GameState>;
match.standings[0] satisfies Fields<Standing>;
match.last[0] satisfies Fields<MatchGame>;
matches.matches[0] satisfies Fields<ListedMatch>;
results.files[0] satisfies Fields<ListedFile>;

site satisfies Fields<Site>;
site.defaults satisfies Fields<Site["defaults"]>;
site.players[0] satisfies Fields<KnownPlayer>;
// Only games by rules programs have `isOther`.
site.game satisfies Fields<Omit<Rules, "isOther">>;
site.game.levels[0] satisfies Fields<Rules["levels"][0]>;

const [{ match: one, games }] = report.matches;
one satisfies Fields<ReportMatch>;
one.players[0] satisfies Fields<ReportMatch["players"][0]>;
one.meetings[0] satisfies Fields<Meeting>;
declare const game: Some<(typeof games)[number]>;
// Only rules programs say how people write a move.
game satisfies Fields<Omit<ReportGame, "written">>;
games[0].analysis satisfies Fields<ReportGame["analysis"]>;
