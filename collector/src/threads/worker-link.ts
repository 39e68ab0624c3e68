import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { THREAD_YOUNG_GENERATION_MB } from '../limits.ts';
import type { AnswerMessage, CallMessage, SentError } from './thread-messages.ts';

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: ReenactError) => void;
}

type CallTable<Table> = { [Name in keyof Table]: { ask: unknown; answer: unknown } };

/** Whether this code runs as TypeScript source, whose workers then do, too. */
const IS_SOURCE = import.meta.url.endsWith('.ts');

/**
 * In threads of TypeScript source Node.js strips types by WebAssembly, and V8 damages the memory of the process when one of
 * them compiles its wrapper of an import while another, which ends, frees it (nodejs/node#64500, seen in Node.js 24.21 as
 * SIGSEGV and as failed checks of `jit_page`). It compiles none before this many calls.
 */
const WRAPPER_CALLS_MIN = 1_000_000_000;

export interface WorkerLinkOptions {
  /** Told what the thread says while it starts. */
  readonly onStep?: (step: unknown) => void;
  /** Leaves files open that the thread has opened when it ends, also by an error: closing one of a database lets go of the locks that other threads have on it. */
  readonly keepsFiles?: boolean;
  /** Megabytes of its heap in which new objects lie. */
  readonly youngGenerationMb?: number;
}

/** Calls to a worker thread, answered in any order. When the thread ends, everything that waits is rejected. */
export class WorkerLink<Calls extends CallTable<Calls>, Facts = never> {
  /** The facts that came with the newest answer. */
  facts: Facts | undefined;
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private readonly ready: Promise<void>;
  private lastId = 0;
  private ended: ReenactError | undefined;
  private readonly onStep: (step: unknown) => void;

  /** Starts `<name>.ts` of a folder, given as a URL that ends in a slash. */
  constructor(folder: URL, name: string, workerData: unknown, options: WorkerLinkOptions = {}) {
    const { onStep = () => undefined, keepsFiles = false, youngGenerationMb = THREAD_YOUNG_GENERATION_MB } = options;
    this.onStep = onStep;
    if (IS_SOURCE) setFlagsFromString(`--wasm-wrapper-tiering-budget=${WRAPPER_CALLS_MIN}`);
    const program = new URL(`${name}.${IS_SOURCE ? 'ts' : 'js'}`, folder);
    this.worker = new Worker(program, {
      workerData,
      // Shown by the system's tools, so that it can be seen which thread takes processor time.
      name,
      trackUnmanagedFds: !keepsFiles,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
      execArgv: IS_SOURCE
        ? ['--conditions=@reenact/source', '--disable-warning=ExperimentalWarning']
        : ['--disable-warning=ExperimentalWarning'],
    });
    this.ready = new Promise((resolve, reject) => {
      this.waiting.set(0, { resolve: () => resolve(), reject });
    });
    this.ready.catch(() => undefined);
    this.worker.on('message', (message: AnswerMessage<Facts>) => this.receive(message));
    // Whose answer it was cannot be read either: who waits for it would do so for ever.
    this.worker.on('messageerror', (thrown) => {
      this.end(thrown);
      void this.worker.terminate();
    });
    this.worker.on('error', (thrown) => this.end(thrown));
    this.worker.on('exit', () => this.end(undefined));
  }

  /** Whether the thread is gone; it then answers nothing any more. */
  get isEnded(): boolean {
    return this.ended !== undefined;
  }

  /** Resolves when the thread has started; rejects with why it could not. */
  started(): Promise<void> {
    return this.ready;
  }

  /** Asks for something. Memory in `transfer` moves to the thread. */
  call<Name extends keyof Calls & string>(
    type: Name,
    ask: Calls[Name]['ask'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Calls[Name]['answer']> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    this.lastId += 1;
    const id = this.lastId;
    const message: CallMessage = { id, type, ask };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage(message, [...transfer]);
    });
  }

  /** Ends the thread. */
  async stop(): Promise<void> {
    await this.worker.terminate();
  }

  private receive({ id, answer, error, facts, step }: AnswerMessage<Facts>): void {
    if (step !== undefined) {
      this.onStep(step);
      return;
    }
    this.facts = facts ?? this.facts;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error !== undefined) waiting?.reject(receiveError(error));
    else waiting?.resolve(answer as never);
  }

  private end(cause: unknown): void {
    const why = nameOf(cause);
    this.ended ??= new ReenactError(
      'store-failed',
      `A thread of the collector has ended${why === undefined ? '' : `: ${why}`}.`,
      {
        next: 'Start the collector again; nothing acknowledged is lost.',
        retryable: true,
        cause,
      },
    );
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }
}

/** What ended a thread, such as `ERR_WORKER_OUT_OF_MEMORY`. Not its message: that may hold a piece of what was recorded, and others read it. */
function nameOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const code: unknown = Reflect.get(cause, 'code');
  return typeof code === 'string' ? code : cause.name;
}

/** The error again on the other side. */
function receiveError({ code, message, where, next, retryable }: SentError): ReenactError {
  return new ReenactError(code, message, {
    retryable,
    ...(where === undefined ? {} : { where }),
    ...(next === undefined ? {} : { next }),
  });
}
