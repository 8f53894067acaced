/** How good a position is for the side to move. */
export interface Score {
    /**
     * `cp`: an evaluation, in hundredths of the engine's own unit. `win`: a forced win in at most
     * `value` plies. `loss`: a forced loss, in `value` plies on the line shown. `draw`: a proven
     * draw. `mate`: a forced win in `value` own moves, or a loss if it is negative; only with the
     * option `Mate Scores`.
     */
    readonly kind: "cp" | "win" | "loss" | "draw" | "mate";
    readonly value: number;
}

/** The progress of a search: one line of play. */
export interface Info {
    /** The rank of the line; 1 is the best. Others come only with the option `MultiPV`. */
    readonly multipv: number;
    /** The depth of the search in plies. */
    readonly depth: number;
    /** The depth of the deepest line in plies. */
    readonly seldepth: number;
    readonly score: Score;
    /** The number of positions searched so far. */
    readonly nodes: number;
    /** Positions per second. */
    readonly nps: number;
    /** The part of the transposition table that this search has filled, in thousandths, if there is one. */
    readonly hashfull?: number;
    /** The milliseconds since the start of the search. */
    readonly time: number;
    /** The expected moves. */
    readonly pv: readonly string[];
}

/** The answer to a search. */
export interface Answer {
    /** The best move; `null` if the game is over. */
    readonly move: string | null;
    /** The expected reply. */
    readonly ponder: string | null;
    /** The last progress of the best line; `null` if the player did not report any. */
    readonly info: Info | null;
    /** The same for each line, the best first. */
    readonly lines: readonly Info[];
}

/** The limits of a search. The first that is reached ends it; without any, it runs until it is stopped. */
export interface Limits {
    /** Milliseconds for this move. */
    movetime?: number | undefined;
    /** The clock of the first player, in milliseconds. */
    wtime?: number | undefined;
    /** The clock of the second player, in milliseconds. */
    btime?: number | undefined;
    /** Milliseconds that the first player gains with each move. */
    winc?: number | undefined;
    /** Milliseconds that the second player gains with each move. */
    binc?: number | undefined;
    /** The number of moves until the next time control. */
    movestogo?: number | undefined;
    /** The greatest depth in plies. */
    depth?: number | undefined;
    /** The number of positions. */
    nodes?: number | undefined;
    /** Ends the search when a win within this number of own moves is proven. */
    mate?: number | undefined;
    /** Searches only these moves. */
    searchmoves?: readonly string[] | undefined;
    /** Searches until it is stopped, whatever the other limits. */
    infinite?: boolean | undefined;
    /** Searches in the time of the opponent: until `send("ponderhit")` or until it is stopped. */
    ponder?: boolean | undefined;
}

/** What `AbortSignal` has of this. */
export interface Signal {
    readonly aborted: boolean;
    addEventListener(type: "abort", listener: () => void): void;
    removeEventListener(type: "abort", listener: () => void): void;
}

export interface SearchOptions extends Limits {
    /** Stops the search, which then answers with its best move so far. */
    signal?: Signal | undefined;
    /** Gets the progress. */
    onInfo?: ((info: Info) => void) | undefined;
}

/** An option of the engine. */
export type Option = { readonly name: string } & (
    | { readonly type: "check"; readonly default: boolean }
    | { readonly type: "spin"; readonly default: number; readonly min: number; readonly max: number }
    | { readonly type: "combo"; readonly default: string; readonly values: readonly string[] }
    | { readonly type: "string"; readonly default: string }
    | { readonly type: "button" }
);

/** What `Worker` has of this. */
export interface WorkerLike {
    onmessage: ((event: any) => void) | null;
    onerror: ((event: any) => void) | null;
    postMessage(message: unknown): void;
    terminate(): unknown;
}

export interface StartOptions {
    /** Gets every line of the engine. */
    onLine?: ((line: string) => void) | undefined;
    /** Gets every line of the engine's standard error. */
    onLog?: ((line: string) => void) | undefined;
    /** A worker with the script `lodestone-engine/worker`, if the page starts it in another way. */
    worker?: WorkerLike | undefined;
    /** The module: its whole address, its bytes, or a `WebAssembly.Module`. */
    wasm?: string | object | undefined;
}

/**
 * A wrong argument (then nothing is sent), what the engine refuses, with its own sentence, or why it cannot be loaded or
 * has ended.
 */
export class EngineError extends Error {}

/** One engine, in a worker of its own. It keeps what it has searched until `newGame`. */
export class Engine {
    private constructor();

    /** Starts a worker and loads the engine. */
    static start(options?: StartOptions): Promise<Engine>;

    /** The name and the version. */
    readonly name: string;

    /** The options that `setOption` knows, by name. */
    readonly options: ReadonlyMap<string, Option>;

    /** Sets an option. A button has no value. */
    setOption(name: string, value?: string | number | boolean): Promise<void>;

    /** Forgets the last game. */
    newGame(): Promise<void>;

    /** Sets the position: the start of the game or a FEN, and the moves after it. */
    position(position?: { fen?: string | undefined; moves?: readonly string[] | undefined }): Promise<void>;

    /** Searches the position. One search runs at a time. */
    go(options?: SearchOptions): Promise<Answer>;

    /** Stops the search, which then answers with its best move so far. */
    stop(): void;

    /**
     * Sends one line of the protocol that is answered at once, such as `query moves`, and returns the
     * lines of the answer.
     */
    ask(line: string): Promise<string[]>;

    /** Sends lines of the protocol; `onLine` gets the answers. */
    send(lines: string): void;

    /** Ends the worker at once. A search that runs is refused with an error. */
    quit(): void;
}
