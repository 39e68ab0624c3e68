import { context as contexts } from '@opentelemetry/api';
import { type Admission, type GateCall, guarded, runInContext } from '@reenact/instrumentation';
import { admitted } from './admitted.ts';
import { connect } from './client-connect.ts';
import { runMessage, serveMessage } from './client-message.ts';
import { connectionOf } from './connection.ts';
import { type CallSettings, messageCall } from './gate-call.ts';
import type {
  McpClient,
  McpConnect,
  McpMessage,
  McpNotification,
  McpOnNotification,
  McpOnRequest,
  McpRequest,
} from './internal-types.ts';

/** What a patched member needs to know. */
export interface PatchScope extends CallSettings {
  admit(call: GateCall): Admission;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
}

/** Notifications that the SDK handles itself: progress is marked where the caller hears of it. */
const ownNotifications = new Set(['notifications/cancelled', 'notifications/progress']);

type Send = (message: McpMessage, ...rest: unknown[]) => Promise<unknown>;

function admitMessage(client: McpClient, message: McpMessage, scope: PatchScope, isRequest: boolean): Admission {
  return admitted(() => scope.admit(messageCall(client, connectionOf(client), message, scope, isRequest)));
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
  switch (admission.type) {
    case 'pass':
      return send(message, ...rest);
    case 'run':
      return runMessage({ crossing: admission.crossing, connection: connectionOf(client), message, rest, send });
    case 'stub':
      return serveMessage(admission, connectionOf(client), message, rest);
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

/** `_onrequest` of a client: what the server asks is no part of what a replay can serve, and is told so. */
export function gatedOnRequest(original: McpOnRequest): McpOnRequest {
  return function _onrequest(this: object, ...parameters: Parameters<McpOnRequest>): unknown {
    const connection = guarded('meeting a request of a server', () => connectionOf(this as McpClient), undefined);
    const { method } = parameters[0];
    if (method !== 'ping') connection?.markLossy(`a request of the server (${method}) is not replayed`);
    // Not in the context of the wire: what the host's handler does there are crossings of its own.
    return runInContext(connection?.context ?? contexts.active(), () => original.apply(this, parameters));
  };
}

/** Whether a handler of the host hears of a notification. */
function isHeard(client: object, method: string): boolean {
  if (ownNotifications.has(method)) return false;
  const handlers: unknown = Reflect.get(client, '_notificationHandlers');
  const isHandled = handlers instanceof Map && handlers.has(method);
  return isHandled || typeof Reflect.get(client, 'fallbackNotificationHandler') === 'function';
}

/** `_onnotification` of a client: what the host's handlers hear of the server meanwhile is told as what it asks is. */
export function gatedOnNotification(original: McpOnNotification): McpOnNotification {
  return function _onnotification(this: object, ...parameters: Parameters<McpOnNotification>): unknown {
    const meet = (): void => {
      const { method } = parameters[0];
      if (!isHeard(this, method)) return;
      connectionOf(this as McpClient).markLossy(`a notification of the server (${method}) is not replayed`);
    };
    guarded('meeting a notification of a server', meet, undefined);
    return original.apply(this, parameters);
  };
}
