import type { TracesData } from '@reenact/otlp';
import { ATTR_REENACT_PARENT } from '@reenact/semconv/reenact';
import {
  CANONICAL_POLICIES,
  type Crossing,
  crossingLabel,
  PROCESS_RUN_NAME,
  type Recording,
  type SetUp,
  type SetUpLink,
} from '@reenact/trace-model';
import { setUpLinkOf } from '@reenact/trace-model/reading';
import { crossingTree } from './crossing-tree.ts';
import type { CrossingDraft } from './dialect.ts';
import {
  AFTERWARDS_CROSSINGS_MAX,
  AFTERWARDS_REPEATS_MAX,
  BESIDE_CROSSINGS_MAX,
  BESIDE_REPEATS_MAX,
  SET_UP_CROSSINGS_MAX,
} from './limits.ts';
import { spansKept } from './part-traces.ts';
import { unixNano } from './unix-nano.ts';
import { withoutMiddle } from './without-middle.ts';

/** Stands for the run of a process that goes on: its span is delivered when it ends, its crossings are at once. */
function processRunStillGoing({ traceId, spanId }: SetUpLink, startTimeUnixNano: bigint): CrossingDraft {
  return {
    traceId,
    spanId,
    kind: 'agent',
    name: PROCESS_RUN_NAME,
    call: 'promise',
    effect: 'write',
    capture: 'full',
    canonicalPolicy: CANONICAL_POLICIES.arguments.name,
    outcome: { type: 'pending' },
    exchanges: [],
    startTimeUnixNano,
    endTimeUnixNano: startTimeUnixNano,
    lossy: [],
    redacted: [],
    dialect: 'reenact',
    attributes: new Map(),
    damage: [],
  };
}

function earliestStart(data: TracesData): bigint {
  const spans = data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const [earliest] = spans.map(({ startTimeUnixNano }) => startTimeUnixNano.padStart(20, '0')).sort();
  return unixNano(earliest ?? '0');
}

/** Whether a crossing directly inside the run of the process had begun before the root did. */
function beganBefore(crossing: Crossing, { count }: SetUpLink, root: Crossing): boolean {
  // What another process that it started did counts for itself there: only the clock of the machine puts the two in order.
  if (!crossing.attributes.has(ATTR_REENACT_PARENT)) return crossing.startTimeUnixNano < root.startTimeUnixNano;
  return crossing.order < count;
}

/** Whether a crossing directly inside the run of the process began once the root had ended. */
function beganAfterwards(crossing: Crossing, link: SetUpLink, root: Crossing): boolean {
  if (root.outcome.type === 'pending' || beganBefore(crossing, link, root)) return false;
  return crossing.startTimeUnixNano >= root.endTimeUnixNano;
}

/** Whether a crossing directly inside the run of the process began while the root went on. */
function beganBeside(crossing: Crossing, link: SetUpLink, root: Crossing): boolean {
  return !beganBefore(crossing, link, root) && !beganAfterwards(crossing, link, root);
}

/** Numbers of ends count for the run of the process: among those of the run that went on beside it they say nothing. */
function withoutNumber({ settled, isSettledWithPrevious, ...crossing }: Crossing): Crossing {
  return crossing;
}

/** Those directly inside the run of the process that are wanted, and all inside these; parents before children. */
function chosenOf(
  crossings: readonly Crossing[],
  { spanId }: SetUpLink,
  isWanted: (crossing: Crossing) => boolean,
): Crossing[] {
  const inside = new Set<string>();
  return crossings.filter((crossing) => {
    const { parentSpanId } = crossing;
    const belongs =
      parentSpanId === spanId ? isWanted(crossing) : parentSpanId !== undefined && inside.has(parentSpanId);
    if (belongs) inside.add(crossing.spanId);
    return belongs;
  });
}

/** What a run of a process that goes on has not read to its end has given what it had given when the run began. */
function asItStood(crossing: Crossing): Crossing {
  const isUnderWay = crossing.outcome.type === 'pending' && crossing.exchanges.length > 0;
  return isUnderWay ? { ...crossing, call: 'exchange', outcome: { type: 'aborted', chunks: [] } } : crossing;
}

/** A set-up out of the telemetry of its trace; undefined where the run of the process is not in it. */
function assembleSetUp(data: TracesData, link: SetUpLink, root: Crossing): SetUp | undefined {
  const { crossings, bySpanId } = crossingTree(data, {
    makeUp: processRunStillGoing(link, earliestStart(data)),
  });
  const processRun = bySpanId.get(link.spanId);
  if (processRun === undefined) return undefined;
  const before = chosenOf(crossings, link, (crossing) => beganBefore(crossing, link, root));
  const beside = chosenOf(crossings, link, (crossing) => beganBeside(crossing, link, root)).map(withoutNumber);
  const afterwards = chosenOf(crossings, link, (crossing) => beganAfterwards(crossing, link, root));
  return { ...link, processRun, crossings: [processRun, ...before].map(asItStood), beside, afterwards };
}

/** The set-ups of the runs of a trace, by the span ids of their roots. `traces`: by trace id, what was fetched beside it. */
export function assembleSetUps(
  trace: Pick<Recording, 'roots' | 'bySpanId' | 'spans'>,
  traces: ReadonlyMap<string, TracesData>,
): ReadonlyMap<string, SetUp> {
  const found = new Map<string, SetUp>();
  if (traces.size === 0) return found;
  for (const root of trace.roots) {
    const link = setUpLinkOf(trace, root.spanId);
    const data = link === undefined ? undefined : traces.get(link.traceId);
    const setUp = link === undefined || data === undefined ? undefined : assembleSetUp(data, link, root);
    if (setUp !== undefined) found.set(root.spanId, setUp);
  }
  return found;
}

/** How much is kept of what a process did, directly inside its run. */
interface Bounds {
  readonly repeatsMax: number;
  readonly crossingsMax: number;
}

function identityOf(crossing: Crossing): string {
  return `${crossingLabel(crossing)}\n${crossing.input?.digest ?? ''}`;
}

/** Of what is called over and over with one input only the first ones are kept, and of all not more than a replay can use. */
function addKept(kept: Set<string>, spanId: string, crossings: readonly Crossing[], bounds: Bounds): void {
  const repeats = new Map<string, number>();
  let direct = 0;
  for (const crossing of crossings) {
    const isDirect = crossing.parentSpanId === spanId;
    if (!isDirect && !kept.has(crossing.parentSpanId ?? '')) continue;
    if (isDirect) {
      const identity = identityOf(crossing);
      const repeat = (repeats.get(identity) ?? 0) + 1;
      repeats.set(identity, repeat);
      if (repeat > bounds.repeatsMax || direct >= bounds.crossingsMax) continue;
      direct += 1;
    }
    kept.add(crossing.spanId);
  }
}

function keptOf({ spanId, crossings, beside, afterwards }: SetUp): Set<string> {
  const kept = new Set([spanId]);
  const before = withoutMiddle(crossings, spanId);
  addKept(kept, spanId, before, { repeatsMax: Number.POSITIVE_INFINITY, crossingsMax: SET_UP_CROSSINGS_MAX });
  addKept(kept, spanId, beside, { repeatsMax: BESIDE_REPEATS_MAX, crossingsMax: BESIDE_CROSSINGS_MAX });
  addKept(kept, spanId, afterwards, { repeatsMax: AFTERWARDS_REPEATS_MAX, crossingsMax: AFTERWARDS_CROSSINGS_MAX });
  return kept;
}

/**
 * Of the telemetry of the run of a process, what a replay of one of its runs needs: what had begun before `root`, what began
 * beside it and after its end, of what was repeated with one input the first ones. Bounded (limits.ts).
 */
export function setUpTelemetry(data: TracesData, link: SetUpLink, root: Crossing): TracesData {
  const setUp = assembleSetUp(data, link, root);
  const kept = setUp === undefined ? new Set<string>() : keptOf(setUp);
  return spansKept(data, ({ spanId }) => kept.has(spanId));
}
