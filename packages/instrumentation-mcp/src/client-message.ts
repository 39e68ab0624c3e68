import { context as contexts } from '@opentelemetry/api';
import {
  guarded,
  handedOn,
  membersOf,
  type OpenCrossing,
  reportFailure,
  runInContext,
  type StubAdmission,
  serveStub,
  withOwnedWire,
} from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE, ATTR_RPC_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import type { Connection } from './connection.ts';
import type { McpMessage, McpRequestOptions } from './internal-types.ts';
import { withMetaContext } from './meta-context.ts';
import { playBehind, playDeliveries } from './play-deliveries.ts';
import { type MeetingPlace, meetNotification } from './server-message.ts';
import { takesPosition } from './transport-facts.ts';

/** The SDK's own JSON-RPC code for requests that were under way when the connection closed. */
const CONNECTION_CLOSED_CODE = -32_000;

const PROGRESS = 'notifications/progress';

/** One message that a client is asked to send. */
export interface ClientMessage extends Omit<MeetingPlace, 'around'> {
  readonly message: McpMessage;
  /** The result schema and options, as the caller gave them. */
  readonly rest: readonly unknown[];
}

/** One message that is really sent. */
export interface SentMessage extends ClientMessage {
  readonly crossing: OpenCrossing;
  send(message: McpMessage, ...rest: unknown[]): Promise<unknown>;
}

function isOptions(value: unknown): value is McpRequestOptions {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The options with a progress handler through the gate: what it is told is a message of the server. */
function watchedProgress(rest: readonly unknown[], place: MeetingPlace): unknown[] {
  return rest.map((item) => {
    if (!isOptions(item) || typeof item.onprogress !== 'function') return item;
    const { onprogress } = item;
    const watched = (progress: unknown): void => {
      const message = { method: PROGRESS, params: membersOf(progress) };
      meetNotification(place, message, () => onprogress(progress));
    };
    return { ...item, onprogress: watched };
  });
}

function learn(connection: Connection, { method }: McpMessage, result: unknown): void {
  if (method === 'tools/list') connection.learnTools(result);
}

function describeError(crossing: OpenCrossing, error: unknown): void {
  const { code } = membersOf(error);
  if (typeof code !== 'number') return;
  crossing.describe({ slim: { [ATTR_ERROR_TYPE]: String(code), [ATTR_RPC_RESPONSE_STATUS_CODE]: String(code) } });
}

function describeResult(crossing: OpenCrossing, result: unknown): void {
  if (membersOf(result).isError === true) crossing.describe({ slim: { [ATTR_ERROR_TYPE]: 'tool_error' } });
}

/** Sends a message inside its crossing and watches how it ends. Settles as the SDK does. */
export function runMessage({ crossing, message, rest, send, ...place }: SentMessage): Promise<unknown> {
  const { connection } = place;
  const sent = guarded(
    'telling a context',
    () => withMetaContext(message, crossing.context, takesPosition(connection.facts)),
    message,
  );
  const around = connection.begin(crossing, contexts.active());
  const watched = guarded('watching progress', () => watchedProgress(rest, { ...place, around }), [...rest]);
  // An async function, so that a request the SDK refuses on the spot is seen to end, too.
  const result = runInContext(withOwnedWire(crossing.context), async () => send(sent, ...watched));
  return handedOn(result, {
    fulfilled: (value) => {
      connection.end(crossing);
      guarded('describing a result of MCP', () => learn(connection, message, value), undefined);
      guarded('describing a result of MCP', () => describeResult(crossing, value), undefined);
      crossing.settle({ type: 'returned', value });
    },
    rejected: (error) => {
      connection.end(crossing);
      guarded('describing an error of MCP', () => describeError(crossing, error), undefined);
      crossing.settle({ type: 'threw', error });
    },
  });
}

/** Rejects when the caller calls the request off; never where nobody can. */
function calledOff(rest: readonly unknown[]): Promise<never> {
  const signal = rest.filter(isOptions).find((options) => options.signal instanceof AbortSignal)?.signal;
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal?.reason);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Whether an error of the SDK, of either version, says that the other side closed the connection. */
function tellsClosed(error: unknown): boolean {
  const { code } = membersOf(error);
  return error instanceof Error && (code === CONNECTION_CLOSED_CODE || code === 'CONNECTION_CLOSED');
}

/** The served message, held until what the server had waited for is answered again. */
function heldBy(played: Promise<void>, admission: StubAdmission): StubAdmission {
  const { release } = admission;
  const settle: typeof release.settle = () => played.then(() => release.settle());
  return { ...admission, release: { at: (...when) => release.at(...when), settle } };
}

/** Answers a message from the recording. What was recorded as called off ends when it is called off again. */
export async function serveMessage(admission: StubAdmission, asked: ClientMessage): Promise<unknown> {
  const { message, rest, ...place } = asked;
  const { connection, client } = place;
  const around = connection.begin(admission.crossing, contexts.active());
  let isOver = false;
  const [onprogress] = watchedProgress(rest, { ...place, around }).flatMap((item) =>
    isOptions(item) ? (item.onprogress ?? []) : [],
  );
  const served = (async () => {
    if (admission.deliveries.every(({ isBehind }) => isBehind)) return serveStub(admission);
    const played = playDeliveries(admission, { client, connection, around, onprogress, isOver: () => isOver });
    // Of a call without an end nobody else hears of it.
    played.catch((error: unknown) => reportFailure('repeating what a server of MCP said', error));
    return serveStub(heldBy(played, admission));
  })();
  const isPending = admission.recorded.outcome.type === 'pending';
  try {
    const result = await (isPending ? Promise.race([served, calledOff(rest)]) : served);
    guarded('reading a served result of MCP', () => learn(connection, message, result), undefined);
    return result;
  } catch (error) {
    if (tellsClosed(error)) connection.closeServed();
    throw error;
  } finally {
    isOver = true;
    connection.end(admission.crossing);
    playBehind(admission, { client, connection, around });
  }
}
