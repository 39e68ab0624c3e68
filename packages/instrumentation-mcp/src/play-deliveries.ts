import {
  type Delivery,
  reportFailure,
  runInContext,
  type StubAdmission,
  scopeOf,
  servedValue,
} from '@reenact/instrumentation';
import type { Connection, RequestUnderWay } from './connection.ts';
import { type DeliveredMessage, deliveredMessage } from './gate-call.ts';
import type { McpArrivedRequest, McpClient, McpMessage } from './internal-types.ts';

/** Where recorded messages of a server are to arrive, and the request that they belong to. */
export interface RepeatingTarget {
  readonly client: McpClient;
  readonly connection: Connection;
  readonly around: RequestUnderWay;
}

/** The same while that request is under way. */
export interface DeliveryTarget extends RepeatingTarget {
  /** The host's progress handler, as it crosses the gate; undefined where the caller gave none. */
  readonly onprogress: ((progress: unknown) => void) | undefined;
  /** Whether nobody waits for the request any more. */
  isOver(): boolean;
}

type MessageTarget = RepeatingTarget & Partial<DeliveryTarget>;

const CANCELLED = 'notifications/cancelled';

const done = Promise.resolve();

/** What takes a request back names it by its place in what the server asked. */
function withId(message: McpMessage, { asked }: RequestUnderWay): McpMessage {
  if (message.method !== CANCELLED) return message;
  return { ...message, params: { ...message.params, requestId: asked[Number(message.params?.requestId)] } };
}

function reportProgress({ client, onprogress }: MessageTarget, { params }: McpMessage): void {
  try {
    onprogress?.(params);
  } catch (error) {
    client.onerror?.(new Error(`Uncaught error in notification handler: ${String(error)}`));
  }
}

/** Lets the SDK answer a question as if it had come inside a result; there is no request to send once more. */
async function ask(client: McpClient, { key = '', method, params }: DeliveredMessage): Promise<void> {
  const decoded = { kind: 'input_required', inputRequests: { [key]: { method, ...(params && { params }) } } };
  const flow = {
    codec: client._negotiatedWireCodec?.(),
    request: { method },
    options: {},
    flowStartedAt: Date.now(),
    retry: async () => ({}),
  };
  // An answer that fails is the end of the call around it, as recorded.
  await client._resolveNonCompleteResult?.(decoded, flow).catch(() => undefined);
}

/** Resolves when a request has been answered; at once for what wants no answer. */
function deliver(target: MessageTarget, message: DeliveredMessage, isAnswered: boolean): Promise<void> {
  const { client, connection, around } = target;
  const { key, ...said } = message;
  if (key !== undefined) return ask(client, message);
  if (isAnswered) {
    const id = connection.nextDeliveryId();
    const answered = connection.whenAnswered(id);
    client._onrequest?.({ ...said, jsonrpc: '2.0', id } as McpArrivedRequest);
    return answered;
  }
  if (message.method === 'notifications/progress') reportProgress(target, message);
  else client._onnotification?.({ ...withId(said, around), jsonrpc: '2.0' } as McpMessage);
  return done;
}

function deliverRecorded(admission: StubAdmission, target: MessageTarget, { recorded }: Delivery): Promise<void> {
  const input = servedValue(admission, recorded.input, 'A message of the server');
  return runInContext(admission.crossing.context, () =>
    deliver(target, deliveredMessage(input), recorded.call === 'promise'),
  );
}

interface Outstanding {
  readonly delivery: Delivery;
  readonly answered: Promise<void>;
}

/** Whether one message came only after the answer to another had been sent; what takes a request back comes in place of it. */
function isAfter({ recorded }: Delivery, { delivery }: Outstanding): boolean {
  if (recorded.name.endsWith(CANCELLED)) return false;
  const { outcome, endTimeUnixNano } = delivery.recorded;
  return outcome.type !== 'pending' && endTimeUnixNano <= recorded.startTimeUnixNano;
}

/**
 * Gives the client again what its server said while a request was under way, each when its time has come, and none before the answers
 * that the server had by then. Resolves when all that the server had waited for is answered; rejects where a message was not recorded
 * whole.
 */
export async function playDeliveries(admission: StubAdmission, target: DeliveryTarget): Promise<void> {
  const outstanding: Outstanding[] = [];
  const answersOf = (wanted: (item: Outstanding) => boolean): Promise<unknown> =>
    Promise.all(outstanding.filter(wanted).map(({ answered }) => answered));
  for (const delivery of admission.deliveries) {
    if (delivery.isBehind) continue;
    await answersOf((item) => isAfter(delivery, item));
    await admission.release.at(delivery.offsetUs);
    if (target.isOver()) return;
    const answered = deliverRecorded(admission, target, delivery);
    if (answered !== done) outstanding.push({ delivery, answered });
  }
  await answersOf(({ delivery }) => delivery.isWaitedFor);
}

/**
 * Gives the client again what its server said when it had answered, each when its time has come, while the run goes on and the client is connected.
 * Never throws.
 */
export function playBehind(
  admission: StubAdmission,
  target: RepeatingTarget,
  wanted: (delivery: Delivery) => boolean = ({ isBehind }) => isBehind,
): void {
  const deliveries = admission.deliveries.filter(wanted);
  if (deliveries.length === 0) return;
  target.connection.repeatBehind(target.around);
  const play = async (): Promise<void> => {
    for (const delivery of deliveries) {
      await delivery.due();
      const isOver = (scopeOf(admission.crossing.context)?.run.openRoots ?? 0) === 0;
      if (isOver || target.client.transport === undefined) return;
      deliverRecorded(admission, target, delivery);
    }
  };
  play().catch((error: unknown) => reportFailure('repeating what a server of MCP said', error));
}
