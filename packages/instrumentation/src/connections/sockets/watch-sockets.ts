import type { Socket } from 'node:net';
import { processState } from '@reenact/trace-model';
import { guarded } from '../../host/report-failure.ts';
import { disguised, type PatchSet } from '../../patching/patch-set.ts';
import type { UnseenConnection } from '../../run/unseen-connections.ts';
import { earlyConnections } from '../unseen/process-connections.ts';
import { recordLastingConnection, recordUse } from '../unseen/record-connection.ts';
import { noteOwnTarget } from './own-targets.ts';

type Member = (this: object, ...parameters: unknown[]) => unknown;

/** Sockets that nothing records, by who opened them: a pool outlives the run that it was opened in, or was there before all of them. */
const unseen = processState('unseen-sockets.1', () => new WeakMap<object, UnseenConnection>());

/** What is told of a socket that nothing records. A socket of TLS that was put over another one was never told to connect itself. */
export function unseenConnectionOf(socket: object): UnseenConnection | undefined {
  const known = unseen.get(socket);
  if (known !== undefined) return known;
  const parent: unknown = Reflect.get(socket, '_parent');
  return typeof parent === 'object' && parent !== null ? unseen.get(parent) : undefined;
}

/** What is sent, by one call of the stream or by several that were held back. */
function watchWrites(patches: PatchSet, member: '_write' | '_writev'): void {
  patches.replace<Member>(process.getBuiltinModule('node:net').Socket.prototype, member, (original) => {
    const write: Member = function (this: object, ...parameters) {
      const connection = unseenConnectionOf(this);
      if (connection !== undefined) recordUse(connection);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(write, original);
  });
}

/** What a program waits for before it serves anybody is done by the time it listens. */
function watchListening(patches: PatchSet): void {
  patches.replace<Member>(process.getBuiltinModule('node:net').Server.prototype, 'listen', (original) => {
    const listen: Member = function (this: object, ...parameters) {
      guarded('noting that a server listens', () => earlyConnections().listens(), undefined);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(listen, original);
  });
}

/**
 * Notes each socket that connects from now on and nothing records, for the agent that opens it and for each that sends anything over
 * it later. `describe` is given what was called, and who.
 */
export function watchSockets(
  patches: PatchSet,
  describe: (parameters: readonly unknown[], callee: Member) => UnseenConnection | undefined,
): void {
  patches.replace<Member>(process.getBuiltinModule('node:net').Socket.prototype, 'connect', (original) => {
    const connect: Member = function (this: object, ...parameters) {
      const connection = recordLastingConnection(this as Socket, () => describe(parameters, connect));
      if (connection === undefined) unseen.delete(this);
      else unseen.set(this, connection);
      guarded('noting where a process connects', () => noteOwnTarget(this as Socket, parameters), undefined);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(connect, original);
  });
  watchListening(patches);
  watchWrites(patches, '_write');
  watchWrites(patches, '_writev');
}
