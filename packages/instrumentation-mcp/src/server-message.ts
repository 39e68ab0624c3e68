import { context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admitDescribed,
  guarded,
  handedOn,
  membersOf,
  runInContext,
  serveStub,
} from '@reenact/instrumentation';
import type { Connection, RequestUnderWay } from './connection.ts';
import { type DeliveryKind, deliveryCall } from './gate-call.ts';
import type { McpArrivedRequest, McpClient, McpMessage } from './internal-types.ts';
import { DELIVERIES_MAX } from './limits.ts';
import type { PatchScope } from './patch-scope.ts';

/** The SDK's own JSON-RPC code for what went wrong where nobody expected it. */
const INTERNAL_ERROR_CODE = -32_603;

/** What a message of a server meets: the client it came to, and the request that was under way. */
export interface MeetingPlace {
  readonly client: McpClient;
  readonly connection: Connection;
  readonly around: RequestUnderWay;
  readonly scope: PatchScope;
}

const pass: Admission = { type: 'pass' };

function admitDelivery(place: MeetingPlace, message: McpMessage, kind: DeliveryKind): Admission {
  const { client, connection, around, scope } = place;
  around.delivered += 1;
  if (around.delivered > DELIVERIES_MAX) return pass;
  // Not in the context of the wire: what the host's handler does there are crossings of its own.
  const admission = runInContext(around.crossing.context, () =>
    admitDescribed('a message of MCP', () => scope.admit(deliveryCall(client, connection, message, scope, kind))),
  );
  if (around.delivered === DELIVERIES_MAX && admission.type === 'run')
    admission.crossing.markLossy(`/output more than ${DELIVERIES_MAX} messages of the server may have come`);
  return admission;
}

/** Hands a notification to the host through the gate. `hand` hands it on as the SDK does. */
export function meetNotification(place: MeetingPlace, message: McpMessage, hand: () => unknown): unknown {
  const admission = admitDelivery(place, message, 'notification');
  switch (admission.type) {
    case 'pass':
      return runInContext(place.connection.context ?? contexts.active(), hand);
    case 'run':
      try {
        return runInContext(admission.crossing.context, hand);
      } finally {
        // The SDK calls the handler later and tells nobody how that ends.
        admission.crossing.settle({ type: 'returned', value: undefined });
      }
    case 'stub':
      guarded(
        'serving a notification of MCP',
        () => void Promise.resolve(serveStub(admission)).catch(() => undefined),
        undefined,
      );
      return undefined;
    case 'refuse':
      return undefined;
  }
}

/** Hands a request of the server to the host through the gate; its answer is the outcome. */
export function meetRequest(place: MeetingPlace, request: McpArrivedRequest, hand: () => unknown): unknown {
  const { connection, around } = place;
  const { id } = request;
  const question = { around, place: around.asked.push(id) - 1 };
  const admission = admitDelivery(place, request, 'request');
  switch (admission.type) {
    case 'pass':
      return runInContext(connection.context ?? contexts.active(), hand);
    case 'run': {
      const { crossing } = admission;
      connection.onAnswer(id, question, (value) => crossing.settle({ type: 'returned', value }));
      return runInContext(crossing.context, hand);
    }
    case 'stub':
      Promise.resolve(serveStub(admission)).then(
        (answer) => connection.answer(id, membersOf(answer)),
        (error: unknown) => connection.answer(id, refusal(error)),
      );
      return undefined;
    case 'refuse':
      connection.answer(id, refusal(admission.error));
      return undefined;
  }
}

/** Version 1 takes the first request of a server, whose id is 0, for none: its handler is told nothing, and answers. */
function isHeeded(client: McpClient, id: unknown): boolean {
  return id !== 0 || client._negotiatedWireCodec !== undefined;
}

/** Tells the host through the gate that the server has taken a request back which is recorded: named by its place, as a replay gives it another id. */
export function meetCancellation(
  place: Omit<MeetingPlace, 'around'>,
  message: McpMessage,
  hand: () => unknown,
): unknown {
  const { connection } = place;
  const id = message.params?.requestId;
  const question = isHeeded(place.client, id) ? connection.questionOf(id) : undefined;
  if (question === undefined) return hand();
  const said = { ...message, params: { ...message.params, requestId: question.place } };
  try {
    return meetNotification({ ...place, around: question.around }, said, hand);
  } finally {
    connection.tookBack(id);
  }
}

/** Asks the host's handler of a question that came inside a result, through the gate. */
export async function meetQuestion(
  place: MeetingPlace,
  question: McpArrivedRequest,
  ask: () => unknown,
): Promise<unknown> {
  const admission = admitDelivery(place, question, 'question');
  switch (admission.type) {
    case 'pass':
      return runInContext(place.connection.context ?? contexts.active(), ask);
    case 'run': {
      const { crossing } = admission;
      const answer = runInContext(crossing.context, async () => ask());
      return handedOn(answer, {
        fulfilled: (value) => crossing.settle({ type: 'returned', value: { result: value } }),
        rejected: (error) => crossing.settle({ type: 'threw', error }),
      });
    }
    case 'stub':
      return membersOf(await serveStub(admission)).result;
    case 'refuse':
      throw admission.error;
  }
}

function refusal(error: unknown): object {
  return { error: { code: INTERNAL_ERROR_CODE, message: error instanceof Error ? error.message : String(error) } };
}
