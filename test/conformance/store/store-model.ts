import type { Store } from '@reenact/collector';
import type { Span } from '@reenact/otlp';
import { expect } from 'vitest';
import { makeSpan, spanIdOf, textAttributes, traceIdOf } from '../testbed.ts';
import { type Content, contentOf, ROOT } from './model-contents.ts';
import { sliceLogs, sliceSpans } from './slices.ts';
import { FULL } from './version-cases.ts';

/** One version of a span, by small numbers, so that they meet. */
export interface SpanVersion {
  readonly trace: number;
  readonly span: number;
  /** How full it is, and whether it has ended. */
  readonly form: keyof typeof FORMS;
  /** What it says, which makes two of a form different. */
  readonly content: number;
}

/** One log record, likewise. */
export interface LogVersion {
  readonly trace: number;
  readonly timeNs: number;
  readonly body: string;
}

const SLIM = textAttributes({ 'reenact.schema': '1', 'reenact.outcome': 'returned' });
const PENDING = textAttributes({ 'reenact.schema': '1', 'reenact.input': '{}', 'reenact.outcome': 'pending' });

/** The better of two has the higher rank (store.ts, `readTrace`). Of those that conflict, the rule is in `ComparedSpan`. */
const FORMS = {
  plain: { members: {}, rank: 4, conflicts: true },
  slim: { members: { attributes: SLIM }, rank: 5, conflicts: false },
  full: { members: { attributes: FULL }, rank: 6, conflicts: true },
  pending: { members: { attributes: PENDING }, rank: 2, conflicts: false },
  open: { members: { attributes: FULL, endTimeUnixNano: '0' }, rank: 2, conflicts: false },
} as const;

/** The span that a version is. */
export function spanOf({ trace, span, form, content }: SpanVersion): Span {
  const startTimeUnixNano = `17637000000000000${span.toString().padStart(2, '0')}`;
  const { members: said, boundary } = contentOf(span, content);
  const { members } = FORMS[form];
  const [kind, name] = boundary;
  const named =
    'attributes' in members
      ? textAttributes({ 'reenact.boundary': kind, 'reenact.name': name, 'reenact.key': 'equal' })
      : [];
  const ofForm = 'attributes' in members ? members.attributes : [];
  return makeSpan({
    traceId: traceIdOf(trace),
    spanId: spanIdOf(span),
    ...(span === ROOT ? {} : { parentSpanId: spanIdOf(ROOT) }),
    startTimeUnixNano,
    ...said,
    ...members,
    attributes: [...(said.attributes ?? []), ...ofForm, ...named],
  });
}

/** The log record that a version is. */
export function logOf({ trace, timeNs, body }: LogVersion): Parameters<typeof sliceLogs>[0] {
  return { timeUnixNano: String(timeNs), traceId: traceIdOf(trace), body: { stringValue: body } };
}

function bytesOf(item: { readonly bytes: Uint8Array } | undefined): string {
  return Buffer.from(item?.bytes ?? []).toString('hex');
}

interface KnownVersion extends Pick<SpanVersion, 'form' | 'content'> {
  readonly bytes: string;
}

/** One trace as it is to be held. */
interface KnownTrace {
  /** By span, in the order of receipt. */
  readonly spans: Map<number, KnownVersion[]>;
  readonly logs: Set<string>;
  /** When something new came last, in days. */
  receivedDay: number;
  /** Why it is kept. */
  kept: string | undefined;
  /** Whether its summary is of all there is. */
  isSummarised: boolean;
}

/** A span as it is to be read. */
export interface ExpectedSpan {
  readonly spanId: string;
  readonly form: SpanVersion['form'];
  readonly said: Content;
  readonly bytes: string;
  readonly versions: number;
  readonly isConflicting: boolean;
}

/** How long runs stay, in days. */
export interface ModelPolicy {
  readonly graceDays: number;
  readonly ordinaryDays: number;
  readonly specialDays: number;
  /** Whether there is room for nothing that may go. */
  readonly isFull: boolean;
}

/** What a store is to hold, kept in the simplest way. */
export class StoreModel {
  private readonly traces = new Map<string, KnownTrace>();
  /** What waits to be sent on, in the order of receipt. */
  private queue: { readonly key: string; readonly bytes: string }[] = [];
  /** How many days have passed. */
  day = 0;

  addSpan(tenant: string, version: SpanVersion): boolean {
    const key = `${tenant} ${version.trace}`;
    const bytes = bytesOf(sliceSpans(spanOf(version))[0]);
    const versions = this.traces.get(key)?.spans.get(version.span) ?? [];
    if (versions.some((known) => known.bytes === bytes)) return false;
    const trace = this.receive(key, bytes);
    trace.isSummarised = false;
    trace.spans.set(version.span, [...versions, { form: version.form, content: version.content, bytes }]);
    return true;
  }

  addLog(tenant: string, version: LogVersion): boolean {
    const key = `${tenant} ${version.trace}`;
    const bytes = bytesOf(sliceLogs(logOf(version))[0]);
    if (this.traces.get(key)?.logs.has(bytes) === true) return false;
    this.receive(key, bytes).logs.add(bytes);
    return true;
  }

  private receive(key: string, bytes: string): KnownTrace {
    const known = this.traces.get(key);
    const trace = known ?? { spans: new Map(), logs: new Set(), receivedDay: 0, kept: undefined, isSummarised: true };
    this.traces.set(key, trace);
    trace.receivedDay = this.day;
    this.queue.push({ key, bytes });
    return trace;
  }

  /** Forgets a trace, or all of a tenant; gives how many items that were. */
  forget(tenant: string, trace?: number): number {
    const keys = [...this.traces.keys()];
    return this.drop(
      keys.filter((key) => (trace === undefined ? key.startsWith(`${tenant} `) : key === `${tenant} ${trace}`)),
    );
  }

  /** The same of the runs of a user. */
  forgetUser(tenant: string, user: string): number {
    const runs = this.runsOf(tenant).filter(({ spans }) => spans.some(({ said }) => said.user === user));
    return this.drop(runs.map(({ trace }) => `${tenant} ${trace}`));
  }

  private drop(keys: readonly string[]): number {
    let items = 0;
    for (const key of keys) {
      const { spans, logs } = this.traces.get(key) as KnownTrace;
      for (const versions of spans.values()) items += versions.length;
      items += logs.size;
      this.traces.delete(key);
    }
    this.queue = this.queue.filter(({ key }) => !keys.includes(key));
    return items;
  }

  keep(tenant: string, trace: number, reason: string | undefined): void {
    const known = this.traces.get(`${tenant} ${trace}`);
    if (known !== undefined) known.kept = reason;
  }

  /** Lets go of what a policy no longer keeps; gives how many traces that were, and why those were kept that went for room. */
  expire({ graceDays, ordinaryDays, specialDays, isFull }: ModelPolicy): {
    readonly gone: number;
    readonly kept: readonly string[];
  } {
    const isOlder = ({ receivedDay }: KnownTrace, ...days: readonly number[]) =>
      this.day - receivedDay > Math.max(graceDays, ...days);
    const aged = [...this.traces].filter(([, trace]) =>
      isOlder(trace, ordinaryDays, ...(this.isSpecial(trace) ? [specialDays] : [])),
    );
    this.drop(aged.map(([key]) => key));
    const forRoom = isFull ? [...this.traces].filter(([, trace]) => isOlder(trace)) : [];
    this.drop(forRoom.map(([key]) => key));
    return { gone: aged.length + forRoom.length, kept: forRoom.flatMap(([, { kept }]) => kept ?? []) };
  }

  /** What nobody has summarised yet may have failed. */
  private isSpecial(trace: KnownTrace): boolean {
    const spans = expectedSpans(trace);
    const isConflicting = spans.some((span) => span.isConflicting);
    return trace.kept !== undefined || !trace.isSummarised || rootOf(spans)?.said.isFailed === true || isConflicting;
  }

  /** Whether every run has been summarised; from then on all have. */
  get isSummarised(): boolean {
    return [...this.traces.values()].every(({ isSummarised }) => isSummarised);
  }

  summarised(): void {
    for (const trace of this.traces.values()) trace.isSummarised = true;
  }

  /** Without an index there are no summaries: of log records alone none are made. */
  loseSummaries(): void {
    for (const trace of this.traces.values()) trace.isSummarised = trace.spans.size === 0;
  }

  /** What is a run, and so in lists. */
  runsOf(tenant: string): ExpectedRun[] {
    return [...this.traces].flatMap(([key, trace]) => {
      const [of, number] = key.split(' ');
      const spans = expectedSpans(trace);
      return of === tenant && spans.length > 0 ? [{ trace: Number(number), spans, kept: trace.kept }] : [];
    });
  }

  /** Takes what was delivered off the queue. */
  delivered(items: readonly { readonly bytes: Uint8Array }[]): void {
    const first = this.queue.splice(0, items.length);
    expect(items.map(bytesOf)).toEqual(first.map(({ bytes }) => bytes));
  }

  /** Takes off what came of a queue that was made again: in whichever order, and beside what had been delivered before. */
  deliveredAgain(items: readonly { readonly bytes: Uint8Array }[]): void {
    for (const item of items) {
      const place = this.queue.findIndex(({ bytes }) => bytes === bytesOf(item));
      if (place >= 0) this.queue.splice(place, 1);
    }
  }

  /** Holds all that a store gives against this. */
  async check(store: Store, tenants: readonly string[], traces: readonly number[]): Promise<void> {
    for (const tenant of tenants) {
      for (const trace of traces) await this.checkTrace(store, tenant, trace);
    }
    const { spans, logRecords } = await store.stats();
    // Each version counts.
    const known = [...this.traces.values()];
    expect({ spans, logRecords }).toEqual({
      spans: known.flatMap((trace) => [...trace.spans.values()].flat()).length,
      logRecords: known.reduce((sum, { logs }) => sum + logs.size, 0),
    });
  }

  /** Whether as much waits as is to. */
  async checkQueue(store: Store, destination: string): Promise<void> {
    expect((await store.queueDepths()).get(destination) ?? 0).toBe(this.queue.length);
  }

  private async checkTrace(store: Store, tenant: string, trace: number): Promise<void> {
    const known = this.traces.get(`${tenant} ${trace}`);
    const expected = known === undefined ? [] : expectedSpans(known);
    const read = await store.readTrace(tenant, traceIdOf(trace));
    const given = read.map((item) => [item.spanId, bytesOf(item), item.versions, item.isConflicting]);
    expect(given).toEqual(expected.map((span) => [span.spanId, span.bytes, span.versions, span.isConflicting]));
    const listed = await store.listSpans(tenant, traceIdOf(trace));
    expect(listed.map(({ spanId, versions }) => ({ spanId, versions }))).toEqual(
      expected.map(({ spanId, versions }) => ({ spanId, versions })),
    );
    const records = await store.readLogs(tenant, traceIdOf(trace));
    expect(records.map(bytesOf).sort()).toEqual([...(known?.logs ?? [])].sort());
  }
}

/** A run as it is to be listed. */
export interface ExpectedRun {
  readonly trace: number;
  readonly spans: readonly ExpectedSpan[];
  readonly kept: string | undefined;
}

/** The best of each span, in start order. */
function expectedSpans({ spans }: KnownTrace): ExpectedSpan[] {
  const inOrder = [...spans].sort(([left], [right]) => left - right);
  return inOrder.flatMap(([span, versions]) => {
    const best = versions.toSorted((left, right) => FORMS[right.form].rank - FORMS[left.form].rank)[0];
    if (best === undefined) return [];
    const { form, content, bytes } = best;
    const equals = versions.filter((version) => FORMS[version.form].rank === FORMS[form].rank);
    const isConflicting = FORMS[form].conflicts && equals.length > 1;
    return {
      spanId: spanIdOf(span),
      form,
      said: contentOf(span, content),
      bytes,
      versions: versions.length,
      isConflicting,
    };
  });
}

/** The root, or where that is missing what came first. */
export function rootOf(spans: readonly ExpectedSpan[]): ExpectedSpan | undefined {
  return spans[0];
}
