import { Socket } from 'node:net';
import { processState } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import { noteArrival } from '../run/beginning.ts';
import { unseenConnectionOf } from './watch-sockets.ts';

type Push = (this: Socket, ...parameters: unknown[]) => boolean;

/** Where sockets lead whose requests became something that nobody records, as a WebSocket is that was opened outside of every run. */
const upgraded = processState('upgraded-sockets.1', () => new WeakMap<object, string>());

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
  if (place !== undefined) return () => `what came over a connection to ${place}`;
  const isAccepted = (Reflect.get(socket, 'server') ?? undefined) !== undefined;
  return isAccepted ? () => describeServer(socket) : undefined;
}

/**
 * Notes that nobody records what comes over a socket from here on: that it has become one, and what came with that. Called when its request
 * has ended. `place`: `<host>:<port>`.
 */
export function noteUnrecordedSocket(socket: object, place: string): void {
  upgraded.set(socket, place);
  if (socket instanceof Socket) noteArrival(arrivalOver(socket));
}

/** Notes what comes over connections that nobody records, for the runs that begin with it: it does not come again in a replay. */
export function watchArrivals(patches: PatchSet): void {
  patches.precede<Push>(Socket.prototype, 'push', (original) => {
    const push: Push = function (this: Socket, ...parameters) {
      guarded('noting what came', () => noteArrival(arrivalOver(this)), undefined);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(push, original);
  });
}
