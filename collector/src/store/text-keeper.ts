import { WorkerLink } from '../threads/worker-link.ts';
import type { TextsOfRun } from './search/search-file.ts';
import type { SummarisedTrace, ThreadAccess } from './store.ts';
import type { StoreReader } from './store-reader.ts';
import type { TextCalls, WriterLink, WrittenSummaries } from './worker/calls.ts';

const workerFolder = new URL('./worker/', import.meta.url);

/**
 * Has the texts of runs kept and taken out by a thread of its own, which starts with the first work for it. The search file is never behind the
 * index: texts are durable there before the index knows of their summary, and a deletion stays noted until they have left.
 */
export class TextKeeper {
  private readonly access: ThreadAccess;
  private readonly writer: WriterLink;
  private readonly reader: StoreReader;
  private thread: WorkerLink<TextCalls> | undefined;
  private isStopped = false;

  constructor(access: ThreadAccess, writer: WriterLink, reader: StoreReader) {
    this.access = access;
    this.writer = writer;
    this.reader = reader;
  }

  /** Keeps the texts of these summaries, and gives what is to be written of them then. */
  async keep(summaries: readonly SummarisedTrace[]): Promise<WrittenSummaries> {
    const written = summaries.map(({ trace, run }) => ({ trace, run: { ...run, texts: undefined } }));
    if (!this.reader.keepsText) return { summaries: written, searchGeneration: 0 };
    const thread = await this.startThread();
    // In the turn in which the thread is asked: a trace that is deleted later has its texts taken out after they were kept.
    const [others, runs] = this.reader.read(() => [
      summaries.map((summarised) => this.reader.runs.hasOtherTexts(summarised)),
      summaries.flatMap((summarised) => this.textsOf(summarised)),
    ]);
    const memory = runs.flatMap(({ texts }) => (texts === undefined ? [] : [texts.kept.buffer, texts.words.buffer]));
    const searchGeneration = await thread.call('keep', runs, memory);
    return {
      summaries: written.map((summary, at) => ({ ...summary, hasOtherTexts: others[at] === true })),
      searchGeneration,
    };
  }

  /** Rows of deleted traces whose texts are still to go. */
  toForget(): readonly number[] {
    return this.reader.keepsText ? this.reader.read(() => this.reader.runs.textErasures()) : [];
  }

  /** Takes out the texts of these deleted traces, in steps between which others have theirs; resolves when they are gone, or when it is told to end. */
  async forget(traces: readonly number[] = this.toForget(), signal?: AbortSignal): Promise<void> {
    for (let from = 0; from < traces.length && !this.isStopped && signal?.aborted !== true; ) {
      const rest = traces.slice(from);
      const gone = rest.slice(0, await (await this.startThread()).call('forget', rest));
      await this.writer.call('forgotten', gone);
      from += gone.length;
    }
  }

  /** Gives back room; in full, nothing of what was taken out is left in any file. */
  async tidy(isFull: boolean): Promise<void> {
    if (this.thread !== undefined) await (await this.startThread()).call('tidy', { isFull });
  }

  /** Blanks a part of what the file does not use, and gives where the next one ends; 0 once there is none. */
  async scrub(end: number): Promise<number> {
    return this.reader.keepsText && !this.isStopped ? (await this.startThread()).call('scrub', { end }) : 0;
  }

  /**
   * Gives back the room between what is left of the words, too, where there is much of it: where runs are to go for a size, it would be taken for
   * theirs. Ends early when it is told to.
   */
  async compact(signal?: AbortSignal): Promise<void> {
    if (!this.reader.keepsText) return;
    const thread = await this.startThread();
    if (!(await thread.call('isWorthCompacting', null))) return;
    let isBegun = false;
    while (signal?.aborted !== true && (await thread.call('compact', { isBegun }))) isBegun = true;
  }

  /** Ends after what was asked for. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.thread?.call('close', null).catch(() => undefined);
    await this.thread?.stop();
  }

  /** Nothing for a trace that is gone. */
  private textsOf({ trace: { tenant, traceId, revision }, run: { texts } }: SummarisedTrace): TextsOfRun[] {
    const trace = this.reader.runs.rowOf(tenant, traceId);
    return trace === undefined ? [] : [{ trace, revision, texts }];
  }

  private async startThread(): Promise<WorkerLink<TextCalls>> {
    if (this.thread?.isEnded === true) this.thread = undefined;
    this.thread ??= new WorkerLink<TextCalls>(workerFolder, 'text-worker', this.access, { keepsFiles: true });
    try {
      await this.thread.started();
      return this.thread;
    } catch (thrown) {
      this.thread = undefined;
      throw thrown;
    }
  }
}
