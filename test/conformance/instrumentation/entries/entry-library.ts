/** The columns of the table of entries: what every kind of server has to survive, and what each means. */
export const ENTRY_CASES = {
  call: 'One question, answered whole.',
  'streamed answer': 'An answer in several parts, each sent by itself.',
  'client leaves': 'The client goes away after the first part of an answer.',
  'mid-stream error': 'The handler fails after some parts of its answer.',
  '429 then success': 'Two runs: the first is turned away with what turned its handler away, the second is not.',
  timeout: 'The handler never answers and the client gives up.',
  'reverse parallel': 'Three questions at once, answered in the reverse of their order.',
  'nested tools': 'A tool inside a tool does the work of the handler.',
} as const;

/** One column of the table. */
export type EntryCase = keyof typeof ENTRY_CASES;

/** What a client asks a server; the marker tells the runs of one case apart. */
export interface EntryQuestion {
  readonly asks: EntryCase;
  readonly marker: string;
}

/** What a handler answers with. Parts are sent as they come; where they fail the answer breaks off. */
export interface EntryAnswer {
  /** Of HTTP. */
  readonly status: number;
  readonly parts: AsyncIterable<string>;
}

/** The code behind a server: what is recorded, and runs again. */
export type EntryWork = (question: EntryQuestion) => Promise<EntryAnswer>;

/** Everything a client saw of one answer. */
export interface SeenAnswer {
  /** Of HTTP, or the code of gRPC; undefined where neither came. */
  readonly status: number | undefined;
  /** What of it arrived, joined where parts do not arrive as they were sent. */
  readonly body: string | readonly string[];
  readonly end: 'whole' | 'broken off' | 'left';
}

/** A server that was started. */
export interface EntryServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** One row of the table. */
export interface EntryLibrary {
  /** The server, as its users call it. */
  readonly name: string;
  start(work: EntryWork): Promise<EntryServer>;
  /** Asks by a client that nothing watches. Goes away after the first part where the case says so, or where no answer comes. */
  ask(port: number, question: EntryQuestion): Promise<SeenAnswer>;
  /** Puts the gate into the library. Returns how to take it out. */
  patch(): () => void;
  /** Every property that `patch` replaces; taking it out must restore each to the very descriptor. */
  readonly patched: () => readonly (readonly [holder: object, key: PropertyKey])[];
  /** Name of the crossing that is a run. */
  readonly run: string;
  /** How loading it by `import`, by `require`, or from a bundle is proven elsewhere. */
  readonly loaded: string;
}

/** How long a client waits for an answer that never comes. */
export const GIVES_UP_MS = 400;
