import type { Socket as DatagramSocket, RemoteInfo } from 'node:dgram';
import { Server, Socket } from 'node:net';
import { processState } from '@reenact/trace-model';
import { guarded } from '../../host/report-failure.ts';
import { disguised, type PatchSet } from '../../patching/patch-set.ts';
import { noteArrival } from '../../run/beginning.ts';
import { recordArrival } from '../unseen/record-connection.ts';
import { isOwnDatagram, isOwnPath, isOwnTarget } from './own-targets.ts';
import { unseenConnectionOf } from './watch-sockets.ts';

type Member = (this: object, ...parameters: unknown[]) => unknown;

type Push = (this: Socket, ...parameters: unknown[]) => boolean;

/** Where sockets lead whose requests became something that nobody records, as a WebSocket is that was opened outside of every run. */
const upgraded = processState('upgraded-sockets.1', () => new WeakMap<object, string>());

function cameOver(place: string): string {
  return `what came over a connection to ${place}`;
}

function describeServer({ localPort }: Socket): string {
  return `what came to a server${localPort === undefined ? '' : ` on port ${localPort}`} that no replay asks`;
}

/** How to say what comes over a socket; undefined where a replay brings it again. A request that an HTTP server parses comes by no stream. */
function arrivalOver(socket: Socket): (() => string) | undefined {
  const seenNowhere = unseenConnectionOf(socket);
  if (seenNowhere !== undefined) {
    const { place, package: name } = seenNowhere;
    return () => `what came over ${place}${name === undefined ? '' : ` by ${name}`}`;
  }
  const place = upgraded.get(socket);
  if (place !== undefined) return () => cameOver(place);
  const isAccepted = (Reflect.get(socket, 'server') ?? undefined) !== undefined;
  return isAccepted ? () => describeServer(socket) : undefined;
}

function comesFromHere({ localPort, localAddress }: Socket, server: unknown): boolean {
  if (localPort !== undefined && localAddress !== undefined) return isOwnTarget(localPort, localAddress);
  const place = server instanceof Server ? server.address() : undefined;
  return typeof place === 'string' && isOwnPath(place);
}

/** Keeps that something has come over a socket that nobody records, for the memory of all runs. */
function keepArrival(socket: Socket): void {
  const place = upgraded.get(socket);
  const server: unknown = Reflect.get(socket, 'server') ?? undefined;
  if (place !== undefined) recordArrival(cameOver(place));
  else if (server !== undefined && !comesFromHere(socket, server)) recordArrival(describeServer(socket), 'sent');
}

/**
 * Notes that nobody records what comes over a socket from here on: that it has become one, and what came with that. Called when its request
 * has ended. `place`: `<host>:<port>`.
 */
export function noteUnrecordedSocket(socket: object, place: string): void {
  upgraded.set(socket, place);
  if (!(socket instanceof Socket)) return;
  noteArrival(arrivalOver(socket));
  // The program may have waited for it to open, which a replay refuses.
  keepArrival(socket);
}

/** Datagrams come as an event of a socket, from nowhere that a replay would ask. */
function watchDatagramArrivals(patches: PatchSet): void {
  patches.precede<Member>(process.getBuiltinModule('node:dgram').Socket.prototype, 'emit', (original) => {
    const note = (socket: DatagramSocket, { address }: RemoteInfo): void => {
      const { port } = socket.address();
      if (!isOwnDatagram(port, address)) recordArrival(`what came as datagrams on port ${port}`, 'sent');
    };
    const emit: Member = function (this: object, ...parameters) {
      const [event, , from] = parameters;
      if (event === 'message')
        guarded('noting a datagram', () => note(this as DatagramSocket, from as RemoteInfo), undefined);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(emit, original);
  });
}

/** Notes what comes over connections that nobody records, for the runs that begin with it and for all that go on or follow: it does not come again in a replay. */
export function watchArrivals(patches: PatchSet): void {
  watchDatagramArrivals(patches);
  patches.precede<Push>(Socket.prototype, 'push', (original) => {
    const note = (socket: Socket, chunk: unknown): void => {
      noteArrival(arrivalOver(socket));
      if (chunk !== null) keepArrival(socket);
    };
    const push: Push = function (this: Socket, ...parameters) {
      guarded('noting what came', () => note(this, parameters[0]), undefined);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(push, original);
  });
}
