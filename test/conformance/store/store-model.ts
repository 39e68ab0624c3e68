import type { Store } from '@reenact/collector';
import type { Span } from '@reenact/otlp';
import { expect } from 'vitest';
import { makeSpan, spanIdOf, textAttributes, traceIdOf } from '../testbed.ts';
import { sliceLogs, sliceSpans } from './slices.ts';
import { FULL } from './version-cases.ts';

/** One version of a span, by small numbers, so that they meet. */
export interface SpanVersion {
  readonly trace: number;
  readonly span: number;
  /** How full it is, and whether it has ended. */
  readonly form: keyof typeof FORMS;
  /** What makes two of a form different. */
  readonly name: string;
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
export function spanOf({ trace, span, form, name }: SpanVersion): Span {
  const startTimeUnixNano = `17637000000000000${span.toString().padStart(2, '0')}`;
  return makeSpan({
    traceId: traceIdOf(trace),
    spanId: spanIdOf(span),
    startTimeUnixNano,
    name,
    ...FORMS[form].members,
  });
}

/** The log record that a version is. */
export function logOf({ trace, timeNs, body }: LogVersion): Parameters<typeof sliceLogs>[0] {
  return { timeUnixNano: String(timeNs), traceId: traceIdOf(trace), body: { stringValue: body } };
}

function bytesOf(item: { readonly bytes: Uint8Array } | undefined): string {
  return Buffer.from(item?.bytes ?? []).toString('hex');
}

interface KnownVersion {
  readonly form: SpanVersion['form'];
  readonly bytes: string;
}

/** What a store is to hold, kept in the simplest way. */
export class StoreModel {
  /** By trace, then span, in the order of receipt. */
  private readonly spans = new Map<string, Map<number, KnownVersion[]>>();
  private readonly logs = new Map<string, Set<string>>();
  /** What waits to be sent on, in the order of receipt. */
  private queue: { readonly key: string; readonly bytes: string }[] = [];

  addSpan(tenant: string, version: SpanVersion): boolean {
    const key = `${tenant} ${version.trace}`;
    const ofTrace = this.spans.get(key) ?? new Map<number, KnownVersion[]>();
    this.spans.set(key, ofTrace);
    const versions = ofTrace.get(version.span) ?? [];
    ofTrace.set(version.span, versions);
    const bytes = bytesOf(sliceSpans(spanOf(version))[0]);
    if (versions.some((known) => known.bytes === bytes)) return false;
    versions.push({ form: version.form, bytes });
    this.queue.push({ key, bytes });
    return true;
  }

  addLog(tenant: string, version: LogVersion): boolean {
    const key = `${tenant} ${version.trace}`;
    const ofTrace = this.logs.get(key) ?? new Set<string>();
    this.logs.set(key, ofTrace);
    const bytes = bytesOf(sliceLogs(logOf(version))[0]);
    if (ofTrace.has(bytes)) return false;
    ofTrace.add(bytes);
    this.queue.push({ key, bytes });
    return true;
  }

  /** Forgets a trace, or all of a tenant; gives how many items that were. */
  forget(tenant: string, trace?: number): number {
    let items = 0;
    for (const key of new Set([...this.spans.keys(), ...this.logs.keys()])) {
      if (trace === undefined ? !key.startsWith(`${tenant} `) : key !== `${tenant} ${trace}`) continue;
      for (const versions of this.spans.get(key)?.values() ?? []) items += versions.length;
      items += this.logs.get(key)?.size ?? 0;
      this.spans.delete(key);
      this.logs.delete(key);
      this.queue = this.queue.filter((queued) => queued.key !== key);
    }
    return items;
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
    const known = [...this.spans.values()].flatMap((ofTrace) => [...ofTrace.values()].flat());
    expect({ spans, logRecords }).toEqual({
      spans: known.length,
      logRecords: [...this.logs.values()].reduce((sum, { size }) => sum + size, 0),
    });
  }

  /** Whether as much waits as is to. */
  async checkQueue(store: Store, destination: string): Promise<void> {
    expect((await store.queueDepths()).get(destination) ?? 0).toBe(this.queue.length);
  }

  private async checkTrace(store: Store, tenant: string, trace: number): Promise<void> {
    const ofTrace = [...(this.spans.get(`${tenant} ${trace}`) ?? [])].sort(([left], [right]) => left - right);
    const expected = ofTrace.map(([span, versions]) => {
      const best = versions.toSorted((left, right) => FORMS[right.form].rank - FORMS[left.form].rank)[0];
      const equals = versions.filter(({ form }) => best !== undefined && FORMS[form].rank === FORMS[best.form].rank);
      const isConflicting = best !== undefined && FORMS[best.form].conflicts && equals.length > 1;
      return { spanId: spanIdOf(span), bytes: best?.bytes, versions: versions.length, isConflicting };
    });
    const read = await store.readTrace(tenant, traceIdOf(trace));
    const given = read.map((item) => ({
      spanId: item.spanId,
      bytes: bytesOf(item),
      versions: item.versions,
      isConflicting: item.isConflicting,
    }));
    expect(given).toEqual(expected);
    const listed = await store.listSpans(tenant, traceIdOf(trace));
    expect(listed.map(({ spanId, versions }) => ({ spanId, versions }))).toEqual(
      expected.map(({ spanId, versions }) => ({ spanId, versions })),
    );
    const records = await store.readLogs(tenant, traceIdOf(trace));
    expect(records.map(bytesOf).sort()).toEqual([...(this.logs.get(`${tenant} ${trace}`) ?? [])].sort());
  }
}
