import { context as contexts } from '@opentelemetry/api';
import { type Admission, admitDescribed, guarded, runInContext } from '@reenact/instrumentation';
import { connect } from './client-connect.ts';
import { type ClientMessage, runMessage, serveMessage } from './client-message.ts';
import { connectionOf } from './connection.ts';
import { messageCall } from './gate-call.ts';
import type {
  McpClient,
  McpConnect,
  McpGetRequestHandler,
  McpListen,
  McpMessage,
  McpNotification,
  McpOnNotification,
  McpOnRequest,
  McpRequest,
  McpRequestHandler,
} from './internal-types.ts';
import type { PatchScope } from './patch-scope.ts';
import { type MeetingPlace, meetCancellation, meetNotification, meetQuestion, meetRequest } from './server-message.ts';

const CANCELLED = 'notifications/cancelled';

/** Asked by servers when they like, and answered by the SDK, or with a list that the host has: to no run it matters whether that was asked. */
const harmlessRequests = new Set(['ping', 'roots/list']);

/** Notifications that the SDK handles itself: progress is met where the caller hears of it. */
const ownNotifications = new Set([CANCELLED, 'notifications/progress']);

type Send = (message: McpMessage, ...rest: unknown[]) => Promise<unknown>;

function admitMessage(client: McpClient, message: McpMessage, scope: PatchScope, isRequest: boolean): Admission {
  return admitDescribed('a message of MCP', () =>
    scope.admit(messageCall(client, connectionOf(client), message, scope, isRequest)),
  );
}

function sendGated(
  client: McpClient,
  parameters: [McpMessage, ...unknown[]],
  send: Send,
  scope: PatchScope,
  isRequest: boolean,
): Promise<unknown> {
  const [message, ...rest] = parameters;
  const admission = admitMessage(client, message, scope, isRequest);
  const asked = (): ClientMessage => ({ client, connection: connectionOf(client), scope, message, rest });
  switch (admission.type) {
    case 'pass':
      return send(message, ...rest);
    case 'run':
      return runMessage({ ...asked(), crossing: admission.crossing, send });
    case 'stub':
      return serveMessage(admission, asked());
    case 'refuse':
      return Promise.reject(admission.error);
  }
}

/** `request` as the gate sees it; the handshake belongs to `connect`. */
export function gatedRequest(original: McpRequest, scope: PatchScope): McpRequest {
  return function request(this: McpClient, ...parameters: Parameters<McpRequest>): Promise<unknown> {
    if (!scope.isActive()) return original.apply(this, parameters);
    const { handshake } = connectionOf(this);
    if (handshake !== undefined && parameters[0].method === 'initialize') {
      if (handshake.served !== undefined) return Promise.resolve(handshake.served.result);
      const result = original.apply(this, parameters);
      result.then(
        (value) => {
          handshake.result = value;
          // Servers speak before `connect` has ended.
          guarded('reading a handshake', () => connectionOf(this).learnServer(value), undefined);
        },
        () => undefined,
      );
      return result;
    }
    return sendGated(this, parameters, (...given) => original.apply(this, given), scope, true);
  };
}

/** `notification` as the gate sees it. */
export function gatedNotification(original: McpNotification, scope: PatchScope): McpNotification {
  return function notification(this: McpClient, ...parameters: Parameters<McpNotification>): Promise<void> {
    if (!scope.isActive() || connectionOf(this).handshake !== undefined) return original.apply(this, parameters);
    return sendGated(this, parameters, (...given) => original.apply(this, given), scope, false) as Promise<void>;
  };
}

/** `connect` as the gate sees it: one crossing, the handshake included. */
export function gatedConnect(original: McpConnect, scope: PatchScope): McpConnect {
  return function gatedConnect(this: McpClient, ...parameters: Parameters<McpConnect>): Promise<void> {
    if (!scope.isActive()) return original.apply(this, parameters);
    return connect(this, parameters, original, scope);
  };
}

/** Where a message is met that comes while no request is under way; undefined where it may belong to several runs, which are marked then. */
function metBehind(place: Omit<MeetingPlace, 'around'>, method: string): MeetingPlace | undefined {
  const { client, connection } = place;
  const around = connection.lastAsked;
  if (around === undefined) {
    connection.saysByItself(client, method);
    return undefined;
  }
  connection.saysToOne(client, method, around);
  return { ...place, around };
}

/**
 * Where a message of the server is met; undefined where it may belong to several runs, which are marked then, where it matters to none, or where
 * Reenact itself fails.
 */
function meetingPlace(client: McpClient, method: string, scope: PatchScope): MeetingPlace | undefined {
  return guarded(
    'meeting a message of a server',
    () => {
      const connection = connectionOf(client);
      const around = connection.requestAround(contexts.active());
      if (around !== undefined) return { client, connection, around, scope };
      connection.markLossy(`a message of the server (${method}) that may belong to another call is not replayed`);
      if (connection.isAsked || harmlessRequests.has(method)) return undefined;
      return metBehind({ client, connection, scope }, method);
    },
    undefined,
  );
}

/** Runs what handles a message of the server where the host connected: what it does there are crossings of its own, and no wire's. */
function whereConnected(client: McpClient, hand: () => unknown): unknown {
  const connected = guarded('meeting a message of a server', () => connectionOf(client).context, undefined);
  return runInContext(connected ?? contexts.active(), hand);
}

/** `_onrequest` of a client: what the server asks while a request is under way, and what it is answered, is recorded. */
export function gatedOnRequest(original: McpOnRequest, scope: PatchScope): McpOnRequest {
  return function _onrequest(this: McpClient, ...parameters: Parameters<McpOnRequest>): unknown {
    const hand = (): unknown => original.apply(this, parameters);
    if (!scope.isActive()) return hand();
    const [request] = parameters;
    const place = request.method === 'ping' ? undefined : meetingPlace(this, request.method, scope);
    if (place === undefined) return whereConnected(this, hand);
    if (place.connection.seesAnswers) return meetRequest(place, request, hand);
    place.around.crossing.markLossy(`/output a request of the server (${request.method}) is not replayed`);
    return whereConnected(this, hand);
  };
}

/** Whether a handler of the host hears of a notification. */
function isHeard(client: object, method: string): boolean {
  if (ownNotifications.has(method)) return false;
  const handlers: unknown = Reflect.get(client, '_notificationHandlers');
  const isHandled = handlers instanceof Map && handlers.has(method);
  return isHandled || typeof Reflect.get(client, 'fallbackNotificationHandler') === 'function';
}

/** `_onnotification` of a client: what the host's handlers hear of the server while a request is under way is recorded. */
export function gatedOnNotification(original: McpOnNotification, scope: PatchScope): McpOnNotification {
  return function _onnotification(this: McpClient, ...parameters: Parameters<McpOnNotification>): unknown {
    const hand = (): unknown => original.apply(this, parameters);
    if (!scope.isActive()) return hand();
    const [notification] = parameters;
    if (notification.method === CANCELLED) {
      const connection = guarded('meeting a notification of a server', () => connectionOf(this), undefined);
      return connection === undefined
        ? hand()
        : meetCancellation({ client: this, connection, scope }, notification, hand);
    }
    const isTheirs = guarded('meeting a notification of a server', () => isHeard(this, notification.method), false);
    if (!isTheirs) return hand();
    const place = meetingPlace(this, notification.method, scope);
    return place === undefined ? whereConnected(this, hand) : meetNotification(place, notification, hand);
  };
}

/** `listen` of a client: its request is seen by nobody but the transport, so a run that listens says what it lacks. */
export function notedListen(original: McpListen, scope: PatchScope): McpListen {
  return function listen(this: McpClient, ...parameters: unknown[]): Promise<unknown> {
    if (scope.isActive())
      guarded('noting who listens', () => connectionOf(this).listens(this, contexts.active()), undefined);
    return original.apply(this, parameters);
  };
}

/** `_getRequestHandler` of a client: what the server asks inside a result goes to the host through the gate. */
export function gatedGetRequestHandler(original: McpGetRequestHandler, scope: PatchScope): McpGetRequestHandler {
  return function _getRequestHandler(this: McpClient, method: string): McpRequestHandler | undefined {
    const handler = original.call(this, method);
    const place = handler !== undefined && scope.isActive() ? meetingPlace(this, method, scope) : undefined;
    if (handler === undefined || place === undefined) return handler;
    return (question, ...rest) => meetQuestion(place, question, () => handler(question, ...rest));
  };
}
