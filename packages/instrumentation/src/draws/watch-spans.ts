import { ProxyTracerProvider, type Span, type TracerProvider, trace } from '@opentelemetry/api';
import { processState } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { asSpanWork } from '../host/span-work.ts';
import { type AnyFunction, disguised, PatchSet } from '../patching/patch-set.ts';
import { drawRecording } from '../run/draw-recording.ts';
import { INSTRUMENTATION_NAME, INSTRUMENTATION_VERSION } from '../version.ts';

/** Methods of a span that read a clock, beside `end`. */
const TIMED_METHODS = ['addEvent', 'recordException'] as const;

type Register = typeof trace.setGlobalTracerProvider;

interface WatchedSpans {
  /** Recordings and replays that want it so. */
  users: number;
  /** Providers, and the classes of their tracers and spans, that are watched. */
  known: WeakSet<object>;
  /** Told of each span of such a provider once it has ended. */
  readonly listeners: Set<(span: Span) => void>;
  patches: PatchSet;
}

const watched = processState<WatchedSpans>('watched-spans.3', () => ({
  users: 0,
  known: new WeakSet(),
  listeners: new Set(),
  patches: new PatchSet(),
}));

function isNew(found: object): boolean {
  if (watched.known.has(found)) return false;
  watched.known.add(found);
  return true;
}

/** Who has this method: mostly the class, whose other objects are older than our look at it. */
function ownerOf(made: object, method: string): object | undefined {
  let owner: object | null = made;
  while (owner !== null && !Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner) as object | null;
  return owner ?? undefined;
}

function workBeside(original: AnyFunction): AnyFunction {
  const beside: AnyFunction = function (...parameters) {
    return asSpanWork(() => Reflect.apply(original, this, parameters));
  };
  return disguised(beside, original);
}

function endBeside(original: AnyFunction): AnyFunction {
  const beside = workBeside(original);
  const ended: AnyFunction = function (...parameters) {
    Reflect.apply(beside, this, parameters);
    for (const listener of watched.listeners) guarded('telling of a span', () => listener(this as Span), undefined);
  };
  return disguised(ended, original);
}

function watchClassOf(span: unknown): void {
  if (typeof span !== 'object' || span === null) return;
  const owner = ownerOf(span, 'end');
  if (owner === undefined || !isNew(owner)) return;
  for (const name of TIMED_METHODS) watched.patches.replace<AnyFunction>(owner, name, workBeside);
  watched.patches.replace<AnyFunction>(owner, 'end', endBeside);
}

function watchTracer(tracer: object): void {
  const owner = ownerOf(tracer, 'startSpan');
  if (owner === undefined || !isNew(owner)) return;
  watched.patches.replace<AnyFunction>(owner, 'startSpan', (original) => {
    const started: AnyFunction = function (...parameters) {
      const span = asSpanWork(() => Reflect.apply(original, this, parameters));
      guarded('watching the spans of a tracer', () => watchClassOf(span), undefined);
      return span;
    };
    return disguised(started, original);
  });
}

/**
 * Has the spans of an app's own provider draw their ids and read their times beside every run: how many an app or its framework makes may
 * depend on what the process had done before, and what the agent draws after them must not. The roots of their runs say so. Never throws.
 */
export function watchSpans(provider: TracerProvider): void {
  if (!drawRecording.leavesOutSpans || watched.known.has(provider)) return;
  watched.known.add(provider);
  drawRecording.hasLeftOutSpans = true;
  const tracerOf = (): object => provider.getTracer(INSTRUMENTATION_NAME, INSTRUMENTATION_VERSION);
  guarded('watching the spans of a provider', () => watchTracer(tracerOf()), undefined);
}

/** Tells of each span of an app's own provider that ends, as long as such spans are watched, until the returned function is called. */
export function listenToEndedSpans(listener: (span: Span) => void): () => void {
  watched.listeners.add(listener);
  return () => void watched.listeners.delete(listener);
}

/** Leaves the spans of this provider as they are: those of the hook's own are made beside runs anyway. */
export function passOverSpans(provider: TracerProvider): void {
  watched.known.add(provider);
}

/**
 * Has it so for what is registered now and later: before anybody has a tracer of it, which may hold on to its method, as Next.js does where it
 * puts its own around it. Gives how to end that; with the last who wanted it, what was replaced is put back.
 */
export function leaveOutSpans(): () => void {
  watched.users += 1;
  if (watched.users === 1) beginWatching();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    watched.users -= 1;
    if (watched.users === 0) stopWatching();
  };
}

function beginWatching(): void {
  drawRecording.leavesOutSpans = true;
  const registered = trace.getTracerProvider();
  const isNobodys =
    registered instanceof ProxyTracerProvider && registered.getDelegateTracer(INSTRUMENTATION_NAME) === undefined;
  if (!isNobodys) watchSpans(registered instanceof ProxyTracerProvider ? registered.getDelegate() : registered);
  watched.patches.precede<Register>(trace, 'setGlobalTracerProvider', (register) => (provider) => {
    const isTaken = Reflect.apply(register, trace, [provider]);
    if (isTaken) watchSpans(provider);
    return isTaken;
  });
}

function stopWatching(): void {
  watched.patches.restore();
  watched.patches = new PatchSet();
  watched.known = new WeakSet();
  drawRecording.leavesOutSpans = false;
  drawRecording.hasLeftOutSpans = false;
}
