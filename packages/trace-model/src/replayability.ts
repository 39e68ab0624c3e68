import type { Crossing } from './crossing.ts';
import { DRAWS_MARK, LATE_DRAWS_MARK } from './draws.ts';
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

/** Start of the lossy marks that tell of calls inside whose results gave another value when they were waited for again. */
export const RESULTS_MARK = '/results/';

/** Start of the lossy marks that tell what the promise itself lost that a call gave, and nothing of what it resolved to. */
export const PROMISE_MARK = '/output promise ';

/** Reason of the lossy marks for an answer of a model, as its client made it, without its `_request_id`: all that did not show of it. */
export const REQUEST_ID_MARK = 'request-id';

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

/** Mark of a request whose body was not sent to its end, so that nobody knows all of it: it was called off, or answered before. */
export const UNSENT_BODY_MARK = '/input/body not sent to its end';

/** Mark of a request whose answer made its connection one of another protocol, as a WebSocket is: what came over it is not recorded. */
export const UPGRADED_MARK = '/exchanges/0/response upgraded to another protocol';

/** Start of the marks for what the code inside a crossing did: they matter where that code runs again, and only there. */
const marksOfCode = [DRAWS_MARK, CONNECTIONS_MARK, BEGUN_MARK, RESULTS_MARK, LATE_DRAWS_MARK];

/** Whether a lossy mark tells of what code did, inside a crossing or before it, and of no part of a value. */
export function isMarkOfCode(lossyMark: string): boolean {
  return marksOfCode.some((start) => lossyMark.startsWith(start));
}

/** Why a recording cannot be replayed fully, and what would have recorded it. The closed list. */
export const MISSING_CAUSES = {
  'no-crossings':
    'No span of this trace carries reenact.* payloads. Record with `node --import reenact/register`; an agent in another language replays through `reenact serve` where what its models were asked and answered was captured (docs/any-language.md).',
  'no-input': 'The input was not recorded, so a replay cannot compare it. A boundary of Reenact needs capture: "full".',
  'no-outcome': 'The outcome was not recorded. A boundary of Reenact needs capture: "full".',
  'no-exchange': 'The raw exchange was not recorded, so the client library has nothing to read.',
  pending: 'The crossing had not ended when its process stopped; a replay leaves it pending.',
  'exchange-open':
    'The response body did not come to its end while it was recorded, and it is not known what of it the agent had asked for.',
  reconstructed:
    'The response was rebuilt from GenAI attributes; ids, log-probs and chunk boundaries are not the original ones. `reenact serve` answers with it; an exact replay needs a run that Reenact recorded, in Node.js.',
  'unseen-connection':
    'The agent opened a connection or a database, sent a datagram, asked a name server or started a program or a worker thread, or changed a file that is not temporary, or reached a process of somebody else by its number, itself or by a native add-on, and nothing recorded it; a replay refuses that. Wrap the client that opens it (docs/clients.md), or do it inside a tool(). A file that a replay may write for real is named with --allow-path; what is only added to one, as to a log, goes aside and is no reason. What the program did outside of every run, before the run or beside it, is refused, too: start a program where the tool first asks it, or name it with --allow-program. What comes over it by itself, as the messages of a queue or a bot, or of an MCP server that is asked nothing, does not come again: handle each in an agent(), which --entry enters.',
  'entry-needed':
    'What this run began with does not come again in a replay of the command of its program. It began in a worker thread, whose calls are no part of such a replay, or with what came over a connection that nothing records or to a server that no replay asks: an answer of a database, a job of a queue, an event of a bot, a message of a WebSocket. Wrap the client that it came over (docs/clients.md) and record again, or enter the run by its function, with what it was called with: --entry (docs/entries.md). Where no function of yours is the run, as of a bare call of a model, put an agent() around the code and record again.',
  'input-needed':
    'The program had read of its standard input what is not recorded: the command of a replay reads its own. Give the replay what the program was given, `reenact replay <id> -- <command> < <file>`, or type it again (docs/entries.md); or enter the run by its function, with what it was called with: --entry.',
  lossy: 'Part of a value could not be recorded exactly; a replay serves it without that part.',
  damaged: 'A payload does not match the digest taken when it was recorded.',
  'unknown-version': 'The payload was written by a newer version of Reenact. Upgrade this one.',
  'missing-parent': 'A span that encloses this crossing has not arrived.',
  'missing-call':
    'Calls that began inside this crossing have not arrived: they have not ended yet, wait in the spool of their process, or were lost. A replay refuses them.',
  unread:
    'It was more than the collector has the memory to look at, so its summary, search and drift are without it. The recording itself is whole.',
} as const;

/** One cause out of the closed list. */
export type MissingCause = keyof typeof MISSING_CAUSES;

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
  return !/^\/input\/.* function$/.test(lossyMark);
}

function givesNothing({ outcome }: Partial<Pick<Crossing, 'outcome'>>): boolean {
  return outcome?.type === 'returned' && outcome.value?.data === NOTHING;
}
