/** What a call of a native add-on is about to do to the world. */
export type NativeEffect =
  | {
      /** Opens a database for writing: a file or folder, given as a path or a `file:` URL. */
      readonly type: 'file';
      readonly location: unknown;
    }
  | {
      /** Writes a file and closes it again. */
      readonly type: 'write';
      readonly path: string;
    }
  | {
      /** Connects to a URL. */
      readonly type: 'address';
      readonly address: string;
    }
  | { readonly type: 'program'; readonly program: string }
  | {
      /** Asks a model over HTTP of its own, wherever its settings say. */
      readonly type: 'model';
      /** What is called, as people know it. */
      readonly call: string;
    };

/** One member of an add-on by which a library opens what it works on. */
export interface NativeOpening {
  /** Where it stands in the exports: `open`, `new Database`, `Connection.new`, `Env#open`. */
  readonly member: string;
  /** How people know it: `libsql.Database`. */
  readonly name: string;
  /** How it fails; `callback` where its last parameter is called back. */
  readonly fails: 'throw' | 'reject' | 'callback';
  /** Whether there are releases without it. */
  readonly isOptional?: boolean;
  /** Empty where nothing outside the process can change: what is in memory, or opened for reading. */
  readonly effectsOf: (parameters: readonly unknown[]) => readonly NativeEffect[];
  /**
   * Where the add-on ends the process as it clears away an object that was never opened: parameters with which opening it fails and changes
   * nothing. A refused one is opened with these.
   */
  readonly failingWith?: (parameters: readonly unknown[]) => readonly unknown[];
}

/** A member by which calls reach what is open: their `this`, or what they are given first. */
export interface NativeUse {
  /** Written as that of an opening. */
  readonly member: string;
  readonly fails: 'throw' | 'reject';
  /** What it gives, or makes, and later calls work on. handle: a connection, a table. statement: the statement that it was given. */
  readonly gives: 'nothing' | 'handle' | 'statement';
}

/** A library whose work is done in a native add-on. */
export interface NativeLibrary {
  readonly name: string;
  /** Exports that tell the add-on, whatever a bundler called its file. */
  readonly exports: readonly string[];
  readonly openings: readonly NativeOpening[];
  /** Further members by which calls reach what is open. */
  readonly uses: readonly NativeUse[];
  /** Members that set how an opening will be, and what to do with what they are given. */
  readonly settings?: Readonly<Record<string, (parameters: readonly unknown[]) => void>>;
}
