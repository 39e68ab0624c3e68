import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { AnswerMessage, CallMessage } from '../../threads/thread-messages.ts';
import { systemDisk } from '../files/disk.ts';
import { SUMMARY_WRITE_MS } from '../limits.ts';
import type { TellOpening } from '../opening-step.ts';
import type { CommitFacts, WriterCalls, WrittenSummary } from './calls.ts';
import { sendError } from './send-error.ts';
import type { Releasable } from './settlement-book.ts';
import { StoreWriter, type StoreWriterOptions } from './store-writer.ts';

type Ask<Name extends keyof WriterCalls> = WriterCalls[Name]['ask'];

/** Calls that are not answered at once. */
type SteppedCall = 'append' | 'apply' | 'writeSummaries';

const options = workerData as Omit<StoreWriterOptions, 'disk'>;
const { dataDirectory } = options;
/** How often a step is told, milliseconds. */
const TELL_MS = 500;
const port = parentPort as MessagePort;

/** Serves the calls to the writer: appends that wait together are committed together, settling is booked in between. */
class WriterService {
  private readonly writer: StoreWriter;
  private readonly waiting: CallMessage[] = [];
  private applying: { readonly id: number; readonly steps: Generator<undefined, Releasable> } | undefined;
  private readonly summaries: {
    readonly id: number;
    readonly left: WrittenSummary[];
    readonly searchGeneration: number;
  }[] = [];
  private isScheduled = false;

  constructor(writer: StoreWriter) {
    this.writer = writer;
  }

  receive(message: CallMessage): void {
    this.waiting.push(message);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.work();
    });
  }

  private work(): void {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      this.waiting.push(next.message as CallMessage);
    }
    for (const group of groupAppends(this.waiting.splice(0))) {
      const [first] = group;
      if (first?.type === 'append') this.append(group);
      else if (first !== undefined) this.serve(first);
    }
    this.stepApplying();
    this.stepSummaries();
    if (this.applying !== undefined || this.summaries.length > 0) this.schedule();
  }

  private append(group: readonly CallMessage[]): void {
    try {
      const frames = group.map(({ ask }) => toBuffer(ask as Ask<'append'>));
      for (const [index, result] of this.writer.append(frames).entries()) {
        const [{ id } = { id: 0 }, memory] = [group[index], frames[index]?.buffer ?? new ArrayBuffer(0)];
        this.reply({ id, answer: { result, memory } }, [memory]);
      }
    } catch (thrown) {
      const error = sendError(thrown, dataDirectory);
      for (const { id } of group) this.reply({ id, error });
    }
  }

  private serve({ id, type, ask }: CallMessage): void {
    try {
      if (type === 'writeSummaries') {
        const { summaries, searchGeneration } = ask as Ask<'writeSummaries'>;
        this.summaries.push({ id, left: [...summaries], searchGeneration });
        return;
      }
      if (type === 'apply') {
        this.applying = { id, steps: this.writer.book.apply(ask as Ask<'apply'>) };
        return;
      }
      this.reply({ id, answer: this.answer(type as Exclude<keyof WriterCalls, SteppedCall>, ask) });
    } catch (thrown) {
      this.reply({ id, error: sendError(thrown, dataDirectory) });
    }
    if (type === 'close') port.close();
  }

  private answer(type: Exclude<keyof WriterCalls, SteppedCall>, ask: unknown): unknown {
    switch (type) {
      case 'control':
        return this.writer.control(ask as Ask<'control'>);
      case 'forgotten':
        return this.writer.forgetErasures(ask as Ask<'forgotten'>) ?? null;
      case 'settleQueue':
        return this.writer.settleQueue(ask as Ask<'settleQueue'>) ?? null;
      case 'dropQueue':
        return this.writer.dropQueue(ask as Ask<'dropQueue'>);
      case 'seal':
        return this.writer.book.seal();
      case 'plan': {
        const { scope, nowMs, upTo } = ask as Ask<'plan'>;
        return this.writer.book.plan(scope, nowMs, upTo) ?? null;
      }
      case 'planAgain':
        return this.writer.book.planAgain(ask as Ask<'planAgain'>) ?? null;
      case 'release':
        return this.writer.book.release(ask as Ask<'release'>) ?? null;
      case 'rebuilt':
        return this.writer.rebuilt ?? null;
      case 'checkPlace':
        return this.writer.checkPlace() ?? null;
      case 'probe':
        return this.writer.probe() ?? null;
      case 'tidy':
        return this.writer.tidyIndex((ask as Ask<'tidy'>).isFull) ?? null;
      case 'scrubLater':
        return this.writer.scrubLater() ?? null;
      case 'scrub':
        return this.writer.scrubIndex((ask as Ask<'scrub'>).end);
      case 'eraseExpired':
        return this.writer.eraseExpired((ask as Ask<'eraseExpired'>).nowMs);
      case 'reclaim':
        return this.writer.reclaim();
      case 'giveUpRoom':
        return this.writer.giveUpRoom() ?? null;
      case 'expired': {
        const { nowMs, ages, times } = ask as Ask<'expired'>;
        return this.writer.eraser.expired(nowMs, ages, times);
      }
      case 'oldest': {
        const { ages, graceMs, bytes } = ask as Ask<'oldest'>;
        return this.writer.eraser.oldest(ages, graceMs, bytes);
      }
      case 'inOneStep':
        return this.writer.eraser.firstOf(ask as Ask<'inOneStep'>);
      case 'ofTenant':
        return this.writer.eraser.ofTenant(ask as Ask<'ofTenant'>);
      case 'close':
        return this.writer.close() ?? null;
    }
  }

  /** Senders wait for appends, nobody for long for a summary. */
  private stepSummaries(): void {
    const [first] = this.summaries;
    if (first === undefined) return;
    try {
      const { left: summaries, searchGeneration } = first;
      summaries.splice(0, this.writer.writeSummaries({ summaries, searchGeneration }, SUMMARY_WRITE_MS));
      if (first.left.length > 0) return;
      this.reply({ id: first.id, answer: null });
    } catch (thrown) {
      this.reply({ id: first.id, error: sendError(thrown, dataDirectory) });
    }
    this.summaries.shift();
  }

  private stepApplying(): void {
    if (this.applying === undefined) return;
    const { id, steps } = this.applying;
    try {
      const { done, value } = steps.next();
      if (done !== true) return;
      this.applying = undefined;
      this.reply({ id, answer: value });
    } catch (thrown) {
      this.applying = undefined;
      this.reply({ id, error: sendError(thrown, dataDirectory) });
    }
  }

  private reply(message: AnswerMessage<CommitFacts>, transfer: ArrayBuffer[] = []): void {
    port.postMessage({ ...message, facts: this.writer.facts() }, transfer);
  }
}

/** Neighbouring appends share a group; any other call stands alone, in order. */
function groupAppends(calls: readonly CallMessage[]): CallMessage[][] {
  const groups: CallMessage[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (call.type === 'append' && last?.[0]?.type === 'append') last.push(call);
    else groups.push([call]);
  }
  return groups;
}

function toBuffer(bytes: Ask<'append'>): Buffer<ArrayBuffer> {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Says how far the start is: each thing that is done, and of one that takes long twice a second. */
function createTelling(): TellOpening {
  let told = '';
  let toldMs = 0;
  return (step) => {
    if (step.what === told && performance.now() - toldMs < TELL_MS) return;
    told = step.what;
    toldMs = performance.now();
    port.postMessage({ id: 0, step } satisfies AnswerMessage<CommitFacts>);
  };
}

try {
  const service = new WriterService(new StoreWriter({ ...options, disk: systemDisk, tell: createTelling() }));
  port.on('message', (message: CallMessage) => service.receive(message));
  port.postMessage({ id: 0 } satisfies AnswerMessage<CommitFacts>);
} catch (thrown) {
  port.postMessage({ id: 0, error: sendError(thrown, dataDirectory) } satisfies AnswerMessage<CommitFacts>);
  port.close();
}
