import { type Delivery, runInContext, type StubAdmission, servedValue } from '@reenact/instrumentation';
import type { Connection } from './connection.ts';
import { type DeliveredMessage, deliveredMessage } from './gate-call.ts';
import type { McpArrivedRequest, McpClient, McpMessage } from './internal-types.ts';

/** Where recorded messages of a server are to arrive. */
export interface DeliveryTarget {
  readonly client: McpClient;
  readonly connection: Connection;
  /** The host's progress handler, as it crosses the gate; undefined where the caller gave none. */
  readonly onprogress: ((progress: unknown) => void) | undefined;
  /** Whether nobody waits for the request any more. */
  isOver(): boolean;
}

const done = Promise.resolve();

function reportProgress({ client, onprogress }: DeliveryTarget, { params }: McpMessage): void {
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
function deliver(target: DeliveryTarget, message: DeliveredMessage, isAnswered: boolean): Promise<void> {
  const { client, connection } = target;
  const { key, ...said } = message;
  if (key !== undefined) return ask(client, message);
  if (isAnswered) {
    const id = connection.nextDeliveryId();
    const answered = connection.whenAnswered(id);
    client._onrequest?.({ ...said, jsonrpc: '2.0', id } as McpArrivedRequest);
    return answered;
  }
  if (message.method === 'notifications/progress') reportProgress(target, message);
  else client._onnotification?.({ ...said, jsonrpc: '2.0' } as McpMessage);
  return done;
}

interface Outstanding {
  readonly delivery: Delivery;
  readonly answered: Promise<void>;
}

/** Whether one message came only after the answer to another had been sent. */
function isAfter({ recorded }: Delivery, { delivery }: Outstanding): boolean {
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
    const { recorded, offsetUs } = delivery;
    await answersOf((item) => isAfter(delivery, item));
    await admission.release.at(offsetUs);
    if (target.isOver()) return;
    const input = servedValue(admission, recorded.input, 'A message of the server');
    const answered = runInContext(admission.crossing.context, () =>
      deliver(target, deliveredMessage(input), recorded.call === 'promise'),
    );
    if (answered !== done) outstanding.push({ delivery, answered });
  }
  await answersOf(({ delivery }) => delivery.isWaitedFor);
}
