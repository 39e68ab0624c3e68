import { reportFailure } from '@reenact/instrumentation';
import {
  gatedConnect,
  gatedGetRequestHandler,
  gatedNotification,
  gatedOnNotification,
  gatedOnRequest,
  gatedRequest,
  notedListen,
} from './client-members.ts';
import { registerErrorClasses } from './error-classes.ts';
import type { CallSettings } from './gate-call.ts';
import type {
  McpConnect,
  McpGetRequestHandler,
  McpListen,
  McpNotification,
  McpOnNotification,
  McpOnRequest,
  McpRequest,
} from './internal-types.ts';
import type { PatchScope } from './patch-scope.ts';
import { patchedMembers } from './patched-members.ts';

/** What a patch is made with. */
export interface PatchSettings extends CallSettings {
  readonly admit: PatchScope['admit'];
}

const noUndo = (): void => undefined;

/** Whether an object has the members of a client that this package patches. */
export function isPatchableClient(target: unknown): target is object {
  if (typeof target !== 'object' || target === null) return false;
  return ['connect', 'request', 'notification', '_onrequest', '_onnotification', 'getServerVersion'].every((key) =>
    hasMember(target, key),
  );
}

function hasMember(target: object, key: string): boolean {
  return typeof Reflect.get(target, key) === 'function';
}

/** Version 2 hears questions of the server inside results, too. */
function patchQuestions(target: object, scope: PatchScope): () => void {
  return patchedMembers.patch<McpGetRequestHandler>(target, '_getRequestHandler', (original) =>
    gatedGetRequestHandler(original, scope),
  );
}

/**
 * Puts the gate into a client class, or into one client. Returns how to undo it. What is patched already, or is not shaped
 * as expected, is left as it is.
 */
export function patchClient(target: unknown, settings: PatchSettings): () => void {
  if (!isPatchableClient(target)) {
    reportFailure('patching the MCP SDK', 'its client is shaped differently; this version is not covered');
    return noUndo;
  }
  if (patchedMembers.isPatched(Reflect.get(target, 'request'))) return noUndo;
  registerErrorClasses(target);
  let isOn = true;
  const scope: PatchScope = { ...settings, isActive: () => isOn };
  const undos = [
    patchedMembers.patch<McpRequest>(target, 'request', (original) => gatedRequest(original, scope)),
    patchedMembers.patch<McpNotification>(target, 'notification', (original) => gatedNotification(original, scope)),
    patchedMembers.patch<McpConnect>(target, 'connect', (original) => gatedConnect(original, scope)),
    patchedMembers.patch<McpOnRequest>(target, '_onrequest', (original) => gatedOnRequest(original, scope)),
    patchedMembers.patch<McpOnNotification>(target, '_onnotification', (original) =>
      gatedOnNotification(original, scope),
    ),
    ...(hasMember(target, '_getRequestHandler') ? [patchQuestions(target, scope)] : []),
    ...(hasMember(target, 'listen')
      ? [patchedMembers.patch<McpListen>(target, 'listen', (original) => notedListen(original, scope))]
      : []),
  ];
  return () => {
    isOn = false;
    for (const undo of undos.splice(0).reverse()) undo();
  };
}
