/** The columns of the table: what every library has to survive, and what each means. */
export const FIDELITY_CASES = {
  call: 'One call, its result and everything a caller can look at of the response.',
  stream: 'A streamed answer, chunk by chunk; of MCP, what the server says and asks before it answers.',
  abort: 'The caller stops a stream early: by leaving the loop, and by its abort signal.',
  'mid-stream error': 'The peer breaks off, or reports an error, after some chunks.',
  '429 then success': 'The first attempt is turned away, the next one answered.',
  timeout: 'The peer never answers and the caller gives up.',
  'reverse parallel': 'Parallel calls that finish in the reverse of their order.',
  'nested tools': 'A tool inside a tool inside an agent makes the call.',
  'double iteration': 'One answer is read twice.',
  tee: 'One answer is split in two and both halves are read.',
  helpers: 'The helper methods and classes on top of the plain call.',
} as const;

/** One column of the table. */
export type FidelityCase = keyof typeof FIDELITY_CASES;

/** What a library talks to while it is recorded: real, on this machine, counting what reaches it. */
export interface Peer {
  /** Where it listens; for a process, how it is started. */
  readonly address: string;
  /** Requests, or process starts, so far: a replay must not add one. */
  readonly contacts: number;
  /** Resolves once all that was sent to it before is among `contacts`; absent where nothing is sent that nobody waits for. */
  caughtUp?(): Promise<void>;
  stop(): Promise<void>;
}

/** One cell: what a user of the library does. */
export interface FidelityAct {
  /**
   * Does it and gives everything a user could look at, classes included; errors it expects are part of that. Runs twice:
   * recorded against the peer, then replayed, with the same peer still up and counting.
   */
  run(peer: Peer): Promise<unknown>;
  /** A part of what the recorded run must give, so that the case really happened; a regular expression stands for a text. */
  readonly shows: unknown;
  /** The crossings below the agent in start order, `<kind>:<name> <outcome> <number of exchanges>`; ports are written as `*`. */
  readonly crossings: readonly string[];
}

/** How the library is loaded by an application: paths of the files in `applications/`, without their ends. */
export interface FidelityApplications {
  /** `<name>.mjs` and `<name>.cjs` export `run(address)`, which gives JSON; loaded after the instrumentation was made. */
  readonly modules: string;
  /** Package and class of the instrumentation. */
  readonly instrumentation: readonly [packageName: string, className: string];
  /** `<name>.mjs` that instruments its own client; bundled into one file and loaded with nothing patched. Or why not. */
  readonly bundled: string | { readonly why: string };
}

/** One row of the table. */
export interface FidelityLibrary {
  /** The package or platform API, as its users call it. */
  readonly name: string;
  /** The server `start` needs, where no package brings one: without it on the machine the row is not run. */
  readonly program?: string;
  /** Whether only what is done inside of a run is recorded as a whole. */
  readonly isOfRuns?: true;
  /** Starts what it talks to. */
  start(): Promise<Peer>;
  /** Puts the gate into the copy of the library that this process has loaded. Returns how to take it out. */
  patch(): () => void;
  /** Every property that `patch` replaces; taking it out must restore each to the very descriptor. */
  readonly patched: () => readonly (readonly [holder: object, key: PropertyKey])[];
  readonly applications: FidelityApplications | { readonly why: string };
  /** A cell that cannot work says why, in one sentence for the table. */
  readonly cases: { readonly [Case in FidelityCase]: FidelityAct | { readonly why: string } };
}

/** Whether a cell is filled. */
export function isAct(cell: FidelityAct | { readonly why: string }): cell is FidelityAct {
  return 'run' in cell;
}
