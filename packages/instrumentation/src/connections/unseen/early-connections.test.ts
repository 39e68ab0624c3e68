import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { EARLY_SOCKETS_MAX } from '../../limits.ts';
import { EarlyConnections } from './early-connections.ts';

interface State {
  pending: boolean;
  bytesRead: number;
  destroyed: boolean;
  errored: Error | null;
}

/** A socket in the given state, which a test changes. */
function socketIn(state: Partial<State> = {}): Socket & State {
  const all: State = { pending: true, bytesRead: 0, destroyed: false, errored: null, ...state };
  const described = Object.entries(all).map(([key, value]) => [key, { value, writable: true }]);
  return Object.defineProperties(new Socket(), Object.fromEntries(described)) as Socket & State;
}

function connectionTo(place: string): { place: string; package: string } {
  return { place, package: 'driver' };
}

function placesBefore(early: EarlyConnections): string[] {
  return early.beforeRun().map(({ place }) => place);
}

it('tells what was connected when a server last listened before the first run, closed or not, and nothing of later', () => {
  const early = new EarlyConnections();
  const [waited, closed, late] = [socketIn(), socketIn(), socketIn()];
  early.add(waited, connectionTo('waited:1'));
  early.add(closed, connectionTo('closed:1'));
  early.listens();
  waited.pending = false;
  Object.assign(closed, { bytesRead: 9, destroyed: true });
  early.add(late, connectionTo('late:1'));
  early.listens();
  late.pending = false;
  expect(placesBefore(early)).toEqual(['waited:1', 'closed:1']);
  early.add(socketIn({ pending: false }), connectionTo('after:1'));
  early.listens();
  expect(placesBefore(early)).toEqual(['waited:1', 'closed:1']);
});

it('tells of a program that does not listen what was connected when each run began, and no connection that failed', () => {
  const early = new EarlyConnections();
  const slow = socketIn();
  early.add(slow, connectionTo('slow:1'));
  early.add(socketIn({ destroyed: true, errored: new Error('refused') }), connectionTo('failed:1'));
  expect(placesBefore(early)).toEqual([]);
  slow.pending = false;
  early.add(socketIn({ pending: false }), connectionTo('between:1'));
  expect(placesBefore(early)).toEqual(['slow:1', 'between:1']);
});

it('tells what was connected by the time a server listens behind a call that had set the program up', () => {
  const early = new EarlyConnections();
  expect(placesBefore(early)).toEqual([]);
  early.add(socketIn({ pending: false }), connectionTo('waited:1'));
  early.add(socketIn({ destroyed: true }), connectionTo('probed:1'));
  early.listens();
  expect(placesBefore(early)).toEqual(['waited:1', 'probed:1']);
});

it('tells names that were asked for before a server listened, connected or not', () => {
  const early = new EarlyConnections();
  early.addName(connectionTo('dns.resolveSrv one'));
  early.listens();
  early.addName(connectionTo('dns.resolveSrv two'));
  expect(placesBefore(early)).toEqual(['dns.resolveSrv one']);
});

it('keeps a place once, and the newest of so many sockets that are still connecting', () => {
  const early = new EarlyConnections();
  const sockets = Array.from({ length: EARLY_SOCKETS_MAX + 1 }, () => socketIn());
  for (const [index, socket] of sockets.entries())
    early.add(socket, connectionTo(`server:${index % 2 === 0 ? 0 : index}`));
  for (const socket of sockets) socket.pending = false;
  const places = placesBefore(early);
  expect(new Set(places).size).toBe(places.length);
  expect(places).toHaveLength(EARLY_SOCKETS_MAX / 2 + 1);
});
