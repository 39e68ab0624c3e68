import type { Answer } from '@reenact/instrumentation';
import {
  type Crossing,
  type DivergenceKind,
  type EditPolicy,
  type JsonDiff,
  type LookUpRung,
  ReenactError,
  type ReplayedCrossing,
  type SourceLine,
} from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { DivergenceEvent, EditedEvent } from '../events/replay-event.ts';
import type { Wording } from './divergence-wording.ts';

/** What a divergence is reported with, beside its words. */
export interface DivergenceDetails
  extends Pick<DivergenceEvent, 'recordedAtUs' | 'takesEffect' | 'insideAtOnce' | 'beside' | 'byTimer'> {
  readonly candidate?: Crossing | undefined;
  readonly ambiguous?: boolean | undefined;
  readonly difference?: JsonDiff | undefined;
  readonly inputLeaves?: readonly string[] | undefined;
  /** It tells all that was told of this call under the same kind before, and more. */
  readonly replaces?: boolean | undefined;
  readonly outcomeLeaves?: readonly string[] | undefined;
}

/** The recorded crossing a live call was matched with. */
export interface Match {
  readonly recorded?: Crossing;
  readonly rung?: LookUpRung;
  readonly compared: boolean;
  readonly edited?: EditPolicy | undefined;
}

/** Reports what happens to one live call, always before the agent can notice it. */
export class ArrivalReporter {
  readonly path: string;
  private readonly sink: EventSink;
  private readonly crossing: number;
  private readonly source: SourceLine | undefined;
  private latest: Wording | undefined;
  private told: Set<string> | undefined;
  private inputDetails: DivergenceDetails | undefined;
  private hasEdit = false;
  private hasSettled = false;

  constructor(sink: EventSink, crossing: number, path: string, source: SourceLine | undefined) {
    this.sink = sink;
    this.crossing = crossing;
    this.path = path;
    this.source = source;
  }

  /** Whether this call differed from the recording so far. */
  get hasDiverged(): boolean {
    return this.latest !== undefined;
  }

  /** Whether a difference at this path has been reported of this call. */
  hasTold(path: string): boolean {
    return this.told?.has(path) === true;
  }

  /** With what the input of this call was last told to be another; undefined where it was not. */
  get toldInput(): DivergenceDetails | undefined {
    return this.inputDetails;
  }

  /** Reports one way in which this call differs. */
  divergence(kind: DivergenceKind, words: Wording, details: DivergenceDetails): void {
    this.latest = words;
    this.told ??= new Set();
    for (const { path } of details.difference?.entries ?? []) this.told.add(path);
    if (kind === 'input-changed') this.inputDetails = details;
    const { byTimer = false, replaces = false } = details;
    const beside = details.beside === true ? { beside: true, ...(byTimer && { byTimer }) } : {};
    this.sink.write({
      type: 'divergence',
      kind,
      ...this.change(words, details),
      ...beside,
      ...(replaces && { replaces }),
    });
  }

  /** Reports what the plan changed about this call on purpose. */
  edited(policy: EditPolicy, words: Wording, details: DivergenceDetails): void {
    this.hasEdit = true;
    this.sink.write({ type: 'edited', policy, ...this.change(words, details) });
  }

  /** Reports a precondition that this call met; it says nothing of what the agent did. */
  environment(words: Wording, details: Pick<DivergenceDetails, 'candidate' | 'difference' | 'recordedAtUs'>): void {
    const facts = { takesEffect: 'at-once', insideAtOnce: false } as const;
    this.sink.write({
      type: 'divergence',
      kind: 'environment-changed',
      ...this.change(words, { ...details, ...facts }),
    });
  }

  private change(words: Wording, details: DivergenceDetails): Omit<EditedEvent, 'type' | 'policy'> {
    const { candidate, difference, inputLeaves, outcomeLeaves } = details;
    return {
      crossing: this.crossing,
      message: words.message,
      path: this.path,
      next: words.next,
      recordedAtUs: details.recordedAtUs,
      takesEffect: details.takesEffect,
      insideAtOnce: details.insideAtOnce,
      ...(this.source === undefined ? {} : { source: this.source }),
      ...(candidate === undefined ? {} : { candidate: { spanId: candidate.spanId, path: candidate.path } }),
      ...(details.ambiguous === true ? { ambiguous: true } : {}),
      ...(difference === undefined ? {} : { difference: [...difference.entries], differenceTotal: difference.total }),
      ...(inputLeaves === undefined ? {} : { inputLeaves: [...inputLeaves] }),
      ...(outcomeLeaves === undefined ? {} : { outcomeLeaves: [...outcomeLeaves] }),
    };
  }

  /** Reports a limit of the replay that this call met. `path`: the crossing that the text names. Default: this call. */
  note(text: string, unverified: boolean, path = this.path): void {
    this.sink.write({ type: 'note', text, path, unverified });
  }

  /** Reports how this call was answered; a later word replaces an earlier one. */
  met(answer: ReplayedCrossing['answer'], match: Match): void {
    this.sink.write({
      type: 'met',
      crossing: this.crossing,
      path: this.path,
      answer,
      compared: match.compared,
      ...(match.edited === undefined ? {} : { edited: match.edited }),
      ...(match.rung === undefined ? {} : { rung: match.rung }),
      ...(match.recorded === undefined ? {} : { recordedSpanId: match.recorded.spanId }),
      ...(this.source === undefined ? {} : { source: this.source }),
    });
  }

  /** Reports that the agent has been given the outcome; needed only where something differed. */
  settled(): void {
    if ((!this.hasDiverged && !this.hasEdit) || this.hasSettled) return;
    this.hasSettled = true;
    this.sink.write({ type: 'settled', crossing: this.crossing });
  }

  /** The error that a refused call throws: what the latest divergence said. */
  error(): ReenactError {
    const words = this.latest ?? { message: `${this.path} was refused.`, next: 'Look at the report.' };
    const source = this.source === undefined ? '' : ` at ${this.source.file}:${this.source.line}`;
    return new ReenactError('replay-refused', words.message, { where: `${this.path}${source}`, next: words.next });
  }

  /** Refuses a call that is none of what is compared, or leaves it out: a note says so. */
  refuseUncompared(words: Wording, isLeftOut: boolean): Extract<Answer, { type: 'refuse' }> {
    this.latest = words;
    const text = `${words.message} ${words.next}`;
    const afterRun = isLeftOut ? {} : { afterRun: true };
    this.sink.write({ type: 'note', text, path: this.path, unverified: false, ...afterRun });
    const refused = this.refuse(undefined);
    return isLeftOut ? { ...refused, leftOut: true } : refused;
  }

  /** Reports the refusal and gives the answer that throws it. */
  refuse(match: Match | undefined): Extract<Answer, { type: 'refuse' }> {
    this.met('refused', match ?? { compared: false });
    return { type: 'refuse', error: this.error() };
  }
}
