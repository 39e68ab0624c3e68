import {
  admitDescribed,
  guarded,
  handedOn,
  membersOf,
  type OpenCrossing,
  runInContext,
  type StubAdmission,
  serveStub,
  withOwnedWire,
} from '@reenact/instrumentation';
import { isDrivenByClient } from './client-connect.ts';
import { DrivenTransport } from './driven-transport.ts';
import { messageCall, startCall } from './gate-call.ts';
import type { McpMessage, McpTransport } from './internal-types.ts';
import { withMetaContext } from './meta-context.ts';
import type { PatchScope } from './patch-scope.ts';
import { patchedMembers } from './patched-members.ts';
import { refusedOverNothing } from './served-transport.ts';
import { takesPosition } from './transport-facts.ts';

type Start = (this: McpTransport) => Promise<void>;
type Send = (this: McpTransport, message: unknown, ...rest: unknown[]) => Promise<void>;
type Close = (this: McpTransport, ...rest: unknown[]) => Promise<void>;

const driven = new WeakMap<McpTransport, DrivenTransport>();

function gatedStart(original: Start, scope: PatchScope): Start {
  return async function start(this: McpTransport): Promise<void> {
    driven.delete(this);
    if (!scope.isActive() || isDrivenByClient(this)) return original.call(this);
    const begun = guarded('beginning a connection', () => new DrivenTransport(this), undefined);
    if (begun === undefined) return original.call(this);
    const admission = admitDescribed('a message of MCP', () => scope.admit(startCall(begun.connection, scope)));
    switch (admission.type) {
      case 'pass':
        return original.call(this);
      case 'run': {
        const { crossing } = admission;
        driven.set(this, begun);
        guarded('listening to a transport', () => begun.hear(), undefined);
        begun.connection.noteAsked(crossing, begun.context);
        const started = runInContext(withOwnedWire(crossing.context), async () => original.call(this));
        return handedOn(started, {
          fulfilled: (value) => crossing.settle({ type: 'returned', value }),
          rejected: (error) => crossing.settle({ type: 'threw', error }),
        });
      }
      case 'stub':
        driven.set(this, begun);
        begun.servedBy = `${admission.recorded.kind}:${admission.recorded.name}`;
        await serveStub(admission);
        return;
      case 'refuse':
        throw admission.error;
    }
  };
}

/** Sends a message inside its crossing. A request ends with its answer, all else once it was sent. */
function runSent(
  transport: DrivenTransport,
  crossing: OpenCrossing,
  message: McpMessage,
  send: (message: McpMessage) => Promise<void>,
): Promise<void> {
  const { id } = membersOf(message);
  if (id !== undefined) transport.begin(id, { crossing, message });
  const told = guarded(
    'telling a context',
    () => withMetaContext(message, crossing.context, takesPosition(transport.connection.facts)),
    message,
  );
  return handedOn(
    runInContext(withOwnedWire(crossing.context), async () => send(told)),
    {
      fulfilled: () => {
        if (id === undefined) crossing.settle({ type: 'returned', value: undefined });
      },
      rejected: (error) => (id === undefined ? crossing.settle({ type: 'threw', error }) : transport.fail(id, error)),
    },
  );
}

/** Answers a message from the recording: a client goes on once it was sent, whenever the answer comes. */
async function serveSent(transport: DrivenTransport, admission: StubAdmission, message: McpMessage): Promise<void> {
  const { id } = membersOf(message);
  const served = (async () => serveStub(admission))();
  if (id === undefined || admission.recorded.outcome.type === 'threw') {
    await served;
    return;
  }
  served.then(
    (outcome) => transport.deliver(id, message, outcome),
    // What cannot be served stands in the report; the client is to wait for it no longer.
    () => transport.close(),
  );
}

function isMessage(message: unknown): message is McpMessage {
  return typeof membersOf(message).method === 'string';
}

function gatedSend(original: Send, scope: PatchScope): Send {
  return async function send(this: McpTransport, message: unknown, ...rest: unknown[]): Promise<void> {
    const transport = driven.get(this);
    if (transport === undefined || !scope.isActive()) return original.call(this, message, ...rest);
    const { servedBy, connection } = transport;
    if (!isMessage(message)) return servedBy === undefined ? original.call(this, message, ...rest) : undefined;
    const { id } = membersOf(message);
    const call = (): ReturnType<typeof messageCall> =>
      messageCall(transport.clientOf(id), connection, message, scope, id !== undefined);
    const admission = admitDescribed('a message of MCP', () => scope.admit(call()));
    switch (admission.type) {
      case 'pass':
        if (servedBy === undefined) return original.call(this, message, ...rest);
        // Nobody is there to answer: what waits for that is told so.
        if (id !== undefined) throw refusedOverNothing(message.method, servedBy);
        return;
      case 'run': {
        const { crossing } = admission;
        return runSent(transport, crossing, message, async (told) => {
          if (servedBy !== undefined) throw refusedOverNothing(message.method, servedBy);
          return original.call(this, told, ...rest);
        });
      }
      case 'stub':
        return serveSent(transport, admission, message);
      case 'refuse':
        throw admission.error;
    }
  };
}

function gatedClose(original: Close): Close {
  return async function close(this: McpTransport, ...rest: unknown[]): Promise<void> {
    await original.apply(this, rest);
    const transport = driven.get(this);
    if (transport?.servedBy !== undefined) transport.close();
  };
}

/** Whether something has what a transport is used by. */
export function isPatchableTransport(target: unknown): target is object {
  if (typeof target !== 'object' || target === null) return false;
  return ['start', 'send', 'close'].every((key) => typeof Reflect.get(target, key) === 'function');
}

/**
 * Puts the gate into a class of transports over stdio, for clients of others, which nothing patches: each request is a crossing, and a replay
 * starts no server. Over one that a client of the SDK was given, that client's calls are. Returns how to undo it.
 */
export function patchTransport(target: object, settings: Omit<PatchScope, 'isActive'>): () => void {
  if (!isPatchableTransport(target) || patchedMembers.isPatched(Reflect.get(target, 'start'))) return () => undefined;
  let isOn = true;
  const scope: PatchScope = { ...settings, isActive: () => isOn };
  const undos = [
    patchedMembers.patch<Start>(target, 'start', (original) => gatedStart(original, scope)),
    patchedMembers.patch<Send>(target, 'send', (original) => gatedSend(original, scope)),
    patchedMembers.patch<Close>(target, 'close', gatedClose),
  ];
  return () => {
    isOn = false;
    for (const undo of undos.reverse()) undo();
  };
}
