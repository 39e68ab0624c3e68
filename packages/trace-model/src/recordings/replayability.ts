import type { Crossing } from '../crossings/crossing.ts';
import { DRAWS_MARK, LATE_DRAWS_MARK } from '../crossings/draws.ts';
import type { MissingCause } from './missing-causes.ts';
import { runsAgain } from './runs-again.ts';

/** Start of the lossy marks that tell of connections that nothing recorded: `/connections/<host>:<port> by <package>`. */
export const CONNECTIONS_MARK = '/connections/';

/** What marks of connections call a program that is Node.js: with the hook it records by itself, and a replay lets it join. */
export const NODE_PROGRAM = 'node';

/** Start of the lossy marks that tell that Node.js was started. */
const NODE_MARK = `${CONNECTIONS_MARK}program ${NODE_PROGRAM}`;

/** Mark of a run whose program had read of its standard input by the end of it what is not recorded: a replay reads its own. */
export const INPUT_MARK = `${CONNECTIONS_MARK}standard input`;

/** Start of the lossy marks that tell how a run began which the command of its program does not begin again: `/begun in a worker thread`. */
export const BEGUN_MARK = '/begun ';

/** Start of the lossy marks that tell that OpenTelemetry's contexts did not reach the code inside. */
export const CONTEXTS_MARK = '/contexts/';

/** Start of the lossy marks that tell of calls inside whose results gave another value when they were waited for again. */
export const RESULTS_MARK = '/results/';

/** Start of the lossy marks that tell what the promise itself lost that a call gave, and nothing of what it resolved to. */
export const PROMISE_MARK = '/output promise ';

/** What code that runs again gives or throws again: what does not show of it, and its class, which is compared by its name. */
const madeAgain =
  /^\/(?:output|error|chunks\/\d+)(?:\/\S*)? (?:symbol-members|members|request-id|(?:error-)?class [^\s-]+)$/;

/** An id that another request would have anyway: no replay compares it. */
const requestIdOfInput = /^\/input(?:\/\S*)? request-id$/;

/** A signal that a call was given, to be called off by. */
const signalOfInput = /^\/input\/\S+ class AbortSignal$/;

/** A function that a call was given as one of its arguments. */
const argumentFunction = /^\/input\/\d+ function$/;

/** `undefined` as the value codec writes it. */
const NOTHING = '{"$":"undefined"}';

/** An argument that holds something else once a promise is settled: written by the call, or by whatever ran beside it. */
const CHANGED_MEANWHILE = /^\/input\/\d+ changed meanwhile$/;

/** Mark of a request whose body was not sent to its end, so that nobody knows all of it: it was called off, or answered before. */
export const UNSENT_BODY_MARK = '/input/body not sent to its end';

/** Mark of a request whose answer made its connection one of another protocol, as a WebSocket is: what came over it is not recorded. */
export const UPGRADED_MARK = '/exchanges/0/response upgraded to another protocol';

/** Start of the marks for what the code inside a crossing did: they matter where that code runs again, and only there. */
const marksOfCode = [DRAWS_MARK, CONNECTIONS_MARK, BEGUN_MARK, CONTEXTS_MARK, RESULTS_MARK, LATE_DRAWS_MARK];

/** Whether a lossy mark tells of what code did, inside a crossing or before it, and of no part of a value. */
export function isMarkOfCode(lossyMark: string): boolean {
  return marksOfCode.some((start) => lossyMark.startsWith(start));
}

/** One thing a recording lacks. */
export interface Missing {
  readonly cause: MissingCause;
  /** Where: a crossing path, absent for the whole trace. */
  readonly where?: string;
  readonly spanId?: string;
  readonly detail?: string;
}

/** What a recording lacks to be replayed fully. */
export interface Replayability {
  /** full: everything is exact; partial: it replays, with the limits listed; cold: it lacks something needed. */
  readonly verdict: 'full' | 'partial' | 'cold';
  readonly missing: readonly Missing[];
}

const harmless: ReadonlySet<MissingCause> = new Set([
  'lossy',
  'unseen-connection',
  'entry-needed',
  'input-needed',
  'pending',
  'read-on',
  'exchange-open',
  'missing-parent',
  'missing-call',
  'reconstructed',
  'unread',
]);

/** The verdict a list of causes amounts to. */
export function replayabilityOf(missing: readonly Missing[]): Replayability {
  if (missing.length === 0) return { verdict: 'full', missing };
  return { verdict: missing.every((item) => harmless.has(item.cause)) ? 'partial' : 'cold', missing };
}

/**
 * Whether a lossy mark of a crossing takes something from a replay. A callback passed in is never served back: it is compared by
 * its name, and that is all a replay needs of it, but where a tool gives nothing itself, and so answers by it. The same holds of a signal, but of the run's own, which an entry
 * by its function would be given; and of an answer of a model without the id of its request. What a crossing's code drew or connected to matters where that code runs again; that it
 * started Node.js does not where processes were recorded inside it. A process that a recorded run has started is given its standard input by that run again.
 */
export function bearsOnReplay(
  lossyMark: string,
  crossing: Pick<Crossing, 'kind' | 'parentSpanId'> & Partial<Pick<Crossing, 'canonicalPolicy' | 'outcome'>>,
  hasProcesses = false,
): boolean {
  if (hasProcesses && (lossyMark === NODE_MARK || lossyMark.startsWith(`${NODE_MARK} `))) return false;
  // It is told of by the call that would have carried it, and what it is made of is drawn again.
  if (lossyMark.startsWith(LATE_DRAWS_MARK)) return true;
  if (lossyMark === INPUT_MARK) return crossing.parentSpanId === undefined;
  const isRunAgain = runsAgain(crossing);
  if (isMarkOfCode(lossyMark)) return isRunAgain || crossing.parentSpanId === undefined;
  // Code that runs again gives such a promise itself, and instances of its own classes with all that they have.
  if (isRunAgain && (lossyMark.startsWith(PROMISE_MARK) || madeAgain.test(lossyMark))) return false;
  if (requestIdOfInput.test(lossyMark)) return false;
  if (signalOfInput.test(lossyMark)) return crossing.parentSpanId === undefined;
  if (argumentFunction.test(lossyMark) && crossing.kind === 'tool' && givesNothing(crossing)) return true;
  if (CHANGED_MEANWHILE.test(lossyMark)) return false;
  return !/^\/input\/.* function$/.test(lossyMark);
}

function givesNothing({ outcome }: Partial<Pick<Crossing, 'outcome'>>): boolean {
  return outcome?.type === 'returned' && outcome.value?.data === NOTHING;
}
