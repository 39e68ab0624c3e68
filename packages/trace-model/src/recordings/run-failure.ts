import type { Span } from '@reenact/otlp';
import { toMap } from '@reenact/otlp/attributes';
import { ATTR_ERROR_TYPE, ATTR_EXCEPTION_MESSAGE, ATTR_EXCEPTION_TYPE } from '@reenact/semconv/core';
import { type Crossing, crossingLabel } from '../crossings/crossing.ts';
import { failurePreview, inputPreview, outcomePreview } from '../crossings/crossing-preview.ts';
import { findRootSpan } from './find-root-span.ts';

const STATUS_ERROR = 2;

/** One span that a run failed in. */
export interface FailedSpan {
  readonly spanId: string;
  /** `kind:name` of a crossing, or the name of a span that is none. */
  readonly name: string;
  /** What it failed with; absent where it does not say. */
  readonly error?: string;
  /** What its status says, where that is something else. */
  readonly status?: string;
  /** What went in; of a crossing alone. */
  readonly input?: string;
}

/** The span that made a run fail. */
export interface RunFailure extends FailedSpan {
  /** The last crossing that failed inside of it, where its error is its own. */
  readonly inside?: FailedSpan;
}

/** What of a run tells how it failed. */
export interface FailedRun {
  /** Parents before children, as a recording has them. */
  readonly crossings: readonly Crossing[];
  /** All of its spans, by span id. */
  readonly spans: ReadonlyMap<string, Span>;
}

function hasFailed({ outcome }: Crossing): boolean {
  return outcome.type === 'threw' || outcome.type === 'failed';
}

/** What cannot be read is damaged, or was left out because its run is too large. */
function readable(read: () => string): string | undefined {
  try {
    const line = read();
    return line === '' ? undefined : line;
  } catch {
    return undefined;
  }
}

function errorOf({ outcome }: Crossing) {
  return outcome.type === 'threw' || outcome.type === 'failed' ? outcome.error : undefined;
}

/** Whether crossings failed with the error of this one: an error that is thrown on is recorded at each that it passes. */
function hasErrorOf(outer: Crossing): (inner: Crossing) => boolean {
  const type = outer.attributes.get(ATTR_ERROR_TYPE);
  const digest = errorOf(outer)?.digest;
  const said = readable(() => failurePreview(outer));
  return (inner) => {
    if (inner.attributes.get(ATTR_ERROR_TYPE) !== type) return false;
    if (digest !== undefined && errorOf(inner)?.digest === digest) return true;
    return readable(() => failurePreview(inner)) === said;
  };
}

/** Crossings that failed within another one, parents before children. */
function failedWithin(outer: Crossing, all: readonly Crossing[]): Crossing[] {
  const within = new Set([outer.spanId]);
  for (const { spanId, parentSpanId } of all)
    if (parentSpanId !== undefined && within.has(parentSpanId)) within.add(spanId);
  return all.filter((crossing) => hasFailed(crossing) && crossing !== outer && within.has(crossing.spanId));
}

/**
 * The crossings that tell it, the most telling first: the innermost whose error ended the run. Where no other crossing has that error, the agent made it
 * itself, out of the last failure inside or without one, so both are named.
 */
function failedCrossings(crossings: readonly Crossing[], rootSpanId: string): Crossing[] {
  const failed = crossings.filter(hasFailed);
  const failedIds = new Set(failed.map(({ spanId }) => spanId));
  const outer =
    failed.find(({ spanId }) => spanId === rootSpanId) ??
    failed.findLast(({ parentSpanId }) => parentSpanId === undefined || !failedIds.has(parentSpanId));
  if (outer === undefined) return [];
  const inner = failedWithin(outer, crossings);
  const same = inner.findLast(hasErrorOf(outer));
  if (same !== undefined) return [same];
  const last = inner.at(-1);
  return last === undefined ? [outer] : [outer, last];
}

/** The last exception that instrumentations note on a span is what ended it. */
function exceptionOf({ events = [] }: Span): string | undefined {
  const noted = toMap(events.findLast(({ name }) => name === 'exception')?.attributes);
  const facts = [noted.get(ATTR_EXCEPTION_TYPE), noted.get(ATTR_EXCEPTION_MESSAGE)];
  const said = facts.filter((fact) => typeof fact === 'string' && fact !== '');
  return said.length === 0 ? undefined : said.join(': ');
}

function statusOf({ status }: Span): string | undefined {
  return status?.code === STATUS_ERROR && status.message !== '' ? status.message : undefined;
}

/** Our own say the error itself; of others what the span says beside is more than the type of it. */
function errorText(span: Span, crossing: Crossing | undefined, charactersMax: number): string | undefined {
  const recorded = crossing !== undefined && errorOf(crossing) !== undefined ? crossing : undefined;
  const own = recorded === undefined ? undefined : readable(() => failurePreview(recorded, charactersMax));
  const type = toMap(span.attributes).get(ATTR_ERROR_TYPE);
  const said = own ?? exceptionOf(span) ?? statusOf(span) ?? (typeof type === 'string' ? type : undefined);
  if (said !== undefined || crossing === undefined || hasFailed(crossing)) return said;
  // What an entry answered is an outcome like any other, also where it says that it failed.
  return readable(() => outcomePreview(crossing, charactersMax));
}

/** Where no crossing tells it: the root, and the last span that failed beside it where the root does not say with what. */
function failedSpans(spans: readonly Span[], root: Span): Span[] {
  if (exceptionOf(root) !== undefined || statusOf(root) !== undefined) return [root];
  const others = spans.filter(({ spanId, status }) => status?.code === STATUS_ERROR && spanId !== root.spanId);
  const [first, ...rest] = others;
  if (first === undefined) return [root];
  const isLater = (one: Span, other: Span): boolean => BigInt(one.startTimeUnixNano) >= BigInt(other.startTimeUnixNano);
  return [root, rest.reduce((last, span) => (isLater(span, last) ? span : last), first)];
}

/**
 * The spans that made a run fail, by their ids, the most telling first: the innermost crossing whose error ended it; where the error is the run's own,
 * the run and the last crossing that failed in it; where no crossing failed, its root. None where the run did not fail.
 */
function failedSpanIds({ crossings, spans }: FailedRun): readonly string[] {
  const all = [...spans.values()];
  const root = findRootSpan(all);
  if (root?.status?.code !== STATUS_ERROR) return [];
  const failed = failedCrossings(crossings, root.spanId);
  return (failed.length > 0 ? failed : failedSpans(all, root)).map(({ spanId }) => spanId);
}

/** What one span says of how it failed. `charactersMax`: how much of what went in and came out is looked at. */
function failedSpan(span: Span, crossing: Crossing | undefined, charactersMax: number): FailedSpan {
  const { spanId } = span;
  const error = errorText(span, crossing, charactersMax);
  const status = statusOf(span);
  const input = crossing === undefined ? undefined : readable(() => inputPreview(crossing, charactersMax));
  return {
    spanId,
    name: crossing === undefined ? span.name : crossingLabel(crossing),
    ...(error === undefined ? {} : { error }),
    ...(status === undefined || error?.includes(status) ? {} : { status }),
    ...(input === undefined ? {} : { input }),
  };
}

/** Which span made a run fail and why; undefined where it did not. */
export function runFailure(run: FailedRun, charactersMax = Number.POSITIVE_INFINITY): RunFailure | undefined {
  const [told, inside] = failedSpanIds(run).flatMap((id) => {
    const span = run.spans.get(id);
    const crossing = run.crossings.find(({ spanId }) => spanId === id);
    return span === undefined ? [] : [failedSpan(span, crossing, charactersMax)];
  });
  if (told === undefined) return undefined;
  return inside === undefined ? told : { ...told, inside };
}
