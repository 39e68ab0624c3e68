interface Pass {
  readonly traces: Set<number>;
  /** How many have joined it and were not told to end. */
  wanted: number;
  readonly ending: AbortController;
  done: Promise<void>;
}

/**
 * Has deletions that come together leave the disk together: each pass reads the databases whole, however little goes. `run` is given the rows of the traces of all
 * who joined; one pass runs at a time.
 */
export class SharedPasses {
  private readonly run: (traces: readonly number[], signal: AbortSignal) => Promise<void>;
  private running: Promise<void> = Promise.resolve();
  /** The one that has not begun. */
  private next: Pass | undefined;

  constructor(run: (traces: readonly number[], signal: AbortSignal) => Promise<void>) {
    this.run = run;
  }

  /** Resolves behind a pass that began after this call. It is told to end where all who joined it are. */
  async join(traces: readonly number[], signal?: AbortSignal): Promise<void> {
    const pass = this.next ?? this.begin();
    for (const trace of traces) pass.traces.add(trace);
    pass.wanted += 1;
    const leave = () => {
      pass.wanted -= 1;
      if (pass.wanted > 0) return;
      pass.ending.abort();
      // Who comes later is not to join what does nothing.
      if (this.next === pass) this.next = undefined;
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await pass.done;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  private begin(): Pass {
    const pass: Pass = { traces: new Set(), wanted: 0, ending: new AbortController(), done: Promise.resolve() };
    pass.done = this.running.then(() => {
      if (this.next === pass) this.next = undefined;
      return this.run([...pass.traces], pass.ending.signal);
    });
    this.running = pass.done.catch(() => undefined);
    this.next = pass;
    return pass;
  }
}
