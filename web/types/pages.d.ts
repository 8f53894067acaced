// What the scripts of the pages pass around, for `tsc -p web`. Messages of the server and the data of a report have
// samples in `tests/lines/messages`.

// Elements are found by ids and selectors, so which kind they are is not known here.
interface EventTarget {
  matches(selectors: string): boolean;
  closest(selectors: string): Element | null;
  type?: string;
}
interface Element {
  hash?: string;
  hidden?: boolean;
  value?: any;
  content?: any;
}
interface Event {
  detail?: any;
}

/** What `onGame` is for, see the report's main.js. */
declare var report: { onGame(act: (view: any) => void): void };

/** The facts of a game, as `lodestone games` prints them; of a game by a rules program only some. */
interface Rules {
  name: string;
  title: string;
  rules: string[];
  pieces: string[];
  signs: string[];
  isOther?: boolean;
  hasSetup?: boolean;
  setup?: { pieces: [number, number]; turns: [number, number] } | null;
  columns?: string;
  rows?: string;
  cells?: string[];
  slides?: boolean;
  sampleMove?: string;
  start?: string;
  plies?: number;
  players?: { name: string; about: string }[];
  levels?: { name: string; about: string; player: string; milliseconds: number; depth: number | null }[];
}

/** The end of a game: `winner` is a side, or 0 for a draw. */
interface Ending {
  winner: number;
  why?: string;
  reason?: string;
  text?: string;
}

/** A position: a board with cells, a text, or neither. `side` is to move, 1 or 2. */
interface Position {
  side: number;
  text?: string;
  isMissing?: boolean;
  cells?: string[];
  columns?: string[];
  rows?: string[];
  /** How cells are named, such as `{row},{column}`. */
  names?: string;
  hasLines?: boolean;
  changed?: number[];
  highlights?: number[];
  /** Where the page knows the rules. */
  fen?: string;
  note?: string;
  moves?: Move[];
  ending?: Ending | null;
}

interface Move {
  text: string;
  side?: number;
  /** The cells of a move where the page knows the rules. */
  from?: number;
  to?: number;
  /** Of a move that was played in the page. */
  player?: string;
  milliseconds?: number;
  info?: Info | null;
}

interface Score {
  kind: string;
  value: number;
}

/** What an engine reports. */
interface Info {
  pv: string[];
  multipv?: number;
  depth?: number;
  nodes?: number;
  score?: Score;
}

/** A mark on the board: `side` is that of a brick that a line would place. */
interface Mark {
  move: { from?: number; to?: number };
  kind: string;
  label: string;
  name: string;
  side?: number;
}

/** A board with marks, as `drawMarks` needs it. */
interface MarkedBoard {
  rules: Rules;
  position: Position;
  marks: Mark[];
  chosen: number | null;
  isTurned: boolean;
}

/** A line of play after a number of moves. */
interface Line {
  pv: string[];
  plies?: number;
  isKnown?: boolean;
  boards?: { grids: any[]; turns: string };
  score?: Score;
}

/** Moves and the positions before, between and after them. */
interface Replayed {
  positions: Position[];
  moves: Move[];
}

/** A player of the page of the engine: a person, or an engine with its limits. */
interface Player {
  name: string;
  isHuman: boolean;
  personality?: string;
  milliseconds?: number;
  depth?: number;
}

interface Clock {
  base: number;
  increment: number;
}

/** What is shown of a game: see `Shown`. */
interface ShownPlace {
  plies: number;
  line: { words: string[]; positions: Position[]; count: number } | null;
  isAtEnd: boolean;
  place: string;
  positionOf(positions: Position[]): Position;
}

/** What a `GameView` shows: the game, what can be done, and what is said about it. */
interface GameSource {
  rules: Rules;
  positions: Position[];
  moves: Move[];
  startFen: string;
  players: { name: string }[];
  /** The side to move at the end of the game, and its moves. */
  side: number;
  legal: string[];
  asksPerson: boolean;
  isOver: boolean;
  isPaused: boolean;
  canPause: boolean;
  hasFailed: boolean;
  isAnalysed: boolean;
  hasRunningClock: boolean;
  /** Whether the moves of lines are buttons that show their positions. */
  hasPreviews: boolean;
  /** The sentence that answers a click when no person is to move. */
  waiting: string;
  /** A position that is set up. */
  placed?: Position;
  play(move: string): void;
  takesCell(cell: number): boolean;
  linkOf(game: { variant: string; start: string; moves: string[] }): string;
  choice(side: number, label: string, state: { rules: Rules; player: { name: string } }): HTMLElement;
  follow(shown: ShownPlace): void;
  followed(line: Line, shown: ShownPlace): { words: string[]; positions: Position[] } | null;
  marks(shown: ShownPlace): Mark[];
  evaluation(shown: ShownPlace): { analysis: ShownAnalysis; ending: Ending | null; isResting?: boolean };
  status(shown: ShownPlace): string;
  note(shown: ShownPlace): string;
  noteOf(side: number, shown: ShownPlace): string;
  timeOf(side: number): number | null;
  advice(shown: ShownPlace): { words: string; line?: Line | false }[];
  /** Which buttons can be used, by their ids. */
  possible(shown: ShownPlace): Record<string, boolean>;
}

/** What `Evaluation` shows. */
interface ShownEvaluation {
  analysis: ShownAnalysis;
  rules: Rules;
  side: number;
  ending: Ending | null;
  isTurned: boolean;
  isResting?: boolean;
}

interface ShownAnalysis {
  isOn: boolean;
  isReady: boolean;
  failure: string | null;
  lines: (Line & Info)[];
}

/** A game as the server sends it; `moves` and what belongs to each grow. */
interface GameState {
  id: number;
  players: [string, string];
  start: string;
  moves: string[];
  opening: number;
  turns: string;
  ms: number[];
  scores: (string | null)[];
  clocks: [number | null, number | null];
  grids: any[];
  highlights: number[];
  note: string;
}

/** What `replayGame` needs of a game. */
interface GridGame {
  id: number;
  start: string;
  moves: string[];
  grids: any[];
  turns: string;
  highlights?: number[];
}

interface Advice {
  player: string;
  number: number;
  plies: number;
  isOver: boolean;
  move: string | null;
  depth: number | null;
  score: string | null;
  nodes: number | null;
  pv: string[];
  boards: { grids: any[]; turns: string };
  failure: string | null;
}

/** The message `board`; a message `change` has these fields, and `game` or `added` only if the game has changed. */
interface BoardState {
  kind: string;
  game: GameState;
  seats: { id: string; name: string; isHuman: boolean }[];
  legal: string[];
  side: number;
  thinking: Advice | null;
  running: number | null;
  isPaused: boolean;
  over: { result: string; reason: string; text: string } | null;
  status: string;
  fault: string | null;
  hint: Advice | null;
  analysis: Advice | null;
  canUndo: boolean;
}

/** A player that the server may start. */
interface KnownPlayer {
  id: string;
  name: string;
  about?: string;
  kind?: string;
  isBroken?: boolean;
  hasTime?: boolean;
  hasProtocol?: boolean;
}

/** How players are listed in a choice. */
interface Choice {
  chosen: string;
  hasPerson?: boolean;
  isShort?: boolean;
}

/** The answer of `api/site`. */
interface Site {
  game: Rules;
  players: KnownPlayer[];
  results: string;
  cores: number;
  defaults: { adviser: string; opponent: string };
}

/** A board in the answer of `api/boards`. */
interface OpenBoard {
  id: number;
  players: [string, string];
  moves: number;
  isOver: boolean;
  status: string;
}

/** A match in the answer of `api/matches`. */
interface ListedMatch {
  name: string;
  kind: string;
  state: string;
  played: number;
  games: number;
  players: number;
  why: string | null;
  modified: number | null;
}

/** A result file in the answer of `api/results`. */
interface ListedFile {
  name: string;
  bytes: number;
  modified: number;
  games: number | null;
  players: number | null;
  isRunning: boolean;
}

interface MatchGame {
  id: number;
  first: string;
  second: string;
  result: string;
  reason: string;
  isFault: boolean;
  detail: string;
}

interface Standing {
  place: string;
  name: string;
  points: number;
  played: number;
  won: number;
  drawn: number;
  lost: number;
  faults: number;
}

/** The message about a match. */
interface MatchState {
  kind: string;
  job: string;
  state: string;
  why: string | null;
  command: string;
  played: number;
  games: number;
  secondsLeft: number | null;
  standings: Standing[];
  analysis: { name: string; games: number; moves: number; best_moves: number; mistakes: number; blunders: number }[];
  last: MatchGame[];
  running: GameState[];
  warnings: string[];
}

/** Names and values. */
type Facts = [string, string][];

/** Two players of a report: wins, draws and losses of the first one; points of charts. */
interface Meeting {
  players: [number, number];
  score: [number, number, number];
  facts?: Facts;
  line?: [number, number][];
  band?: [number, number, number][];
}

/** A match of a report, as the page has it; and what `data.js` adds. */
interface ReportMatch {
  title: string;
  variant: string;
  game: Rules;
  players: { name: string; facts: Facts }[];
  order: number[];
  meetings: Meeting[];
  /** The recorded facts of a move, with words for a value N of each. */
  factWords: [string, string][];
  leftOut: number;
}
interface ReadMatch extends ReportMatch {
  index: number;
  single: boolean;
  prefix: string;
  games: ReadGame[];
  byId: Map<number, ReadGame>;
  meetingsOf: Map<number, Meeting>[];
}

/** A game of a report, as the page has it; and what `data.js` adds. */
interface ReportGame {
  id: number;
  seats: [number | null, number | null];
  pair: number;
  round: number;
  start: string;
  played: any[];
  written?: string[];
  opening: number;
  turns: string;
  ms: number[];
  scores: (string | null)[];
  highlights?: number[];
  isOver: boolean;
  result: string;
  reason: string;
  detail: string;
  isFault?: boolean;
  /** Of each mistake its index, `mistake` or `blunder`, and its judge: `player`, `opponent` or `analysis`. */
  marks?: [number, string, string][];
  faults?: [number, string][];
  left?: number[];
  facts?: Record<string, (number | string | null)[]>;
  analysis?: { engine: string; before: (string | null)[]; after: (string | null)[]; lines: string[] };
  points?: string;
  error?: string;
}
interface ReadGame extends ReportGame {
  match: ReadMatch;
  winner: number;
  outcome: string;
  length: number;
}
