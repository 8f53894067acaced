// `engine-worker.js` as a module, which `pack.mjs` makes of it.
export class Host {
  constructor(options: {
    args?: string[];
    onLine(line: string): void;
    onLog(words: string): void;
    onEnd(reason: 0 | Error): void;
  });
  start(wasm: WebAssembly.Module): Promise<void>;
  send(text: string): void;
  run(): void;
}
