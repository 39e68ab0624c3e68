import type { Socket } from 'node:net';
import { type Context, context as contexts } from '@opentelemetry/api';
import { wireMode } from '../../admission/current-gate.ts';
import { enclosingSpan } from '../../host/enclosing-span.ts';
import { isOwnWork } from '../../host/own-work.ts';
import { guarded } from '../../host/report-failure.ts';
import { isSuppressedRequest } from '../../host/suppressed-request.ts';
import { isCoveredWork } from '../../run/covered-work.ts';
import { type CrossingScope, type RunState, scopeOf } from '../../run/crossing-scope.ts';
import { isInSpanOfProcess } from '../../run/spans-of-process.ts';
import type { ArrivalKind, UnseenConnection, UnseenConnections } from '../../run/unseen-connections.ts';
import { ConnectionList } from './connection-list.ts';
import { noteUnseenDriver } from './drivers.ts';
import { isOfEagerClient } from './eager-clients.ts';
import { isNameQuery } from './name-query.ts';
import { earlyConnections, processConnections } from './process-connections.ts';

/** Packages by which Jest asks for a service that knows the files of a project: in a replay it is not there, and Jest finds them itself. */
const toolPackages: ReadonlySet<string> = new Set(['fb-watchman', 'jest-haste-map']);

/** Whether whoever connects there is known to be none of the agent's code. */
function isOfNobody({ package: name, place }: UnseenConnection): boolean {
  return name !== undefined && (toolPackages.has(name) || isOfEagerClient(name, place));
}

/** Whether the outcome of the crossing that the code here is in is served by a replay: nothing in it is done again. */
function isServed(scope: CrossingScope | undefined): boolean {
  return scope !== undefined && scope.isAgent !== true;
}

/** Whether the code here is an agent's own, or of no crossing, and nobody's whose calls are recorded or left out of recordings. */
function isUncoveredCode(scope: CrossingScope | undefined): boolean {
  return !isServed(scope) && !isOwnWork() && wireMode() !== 'replay' && !isCoveredWork(scope);
}

/** Whether what the code here does to the network is nobody's whose calls are recorded or left out of recordings. */
function isUncoveredHere(): boolean {
  const active = contexts.active();
  // Exporters suppress tracing around what they do.
  return isUncoveredCode(scopeOf(active)) && !isSuppressedRequest(active);
}

/** Whether what is told by this was told where the code stands, as it is each time but the first. */
function isToldHere(source: object): boolean {
  const scope = scopeOf(contexts.active());
  return (scope === undefined ? processConnections() : scope.connections)?.isKnown(source) === true;
}

function listHere(): UnseenConnections | undefined {
  const active = contexts.active();
  return isUncoveredHere() ? listOf(active, scopeOf(active)) : undefined;
}

/** Of code whose crossing has ended: its run's where that goes on, else, as that of nobody's run, the program's; a replay sends no other request again. */
function listBehind({ openRoots, connections, isRequest }: RunState): UnseenConnections | undefined {
  if (openRoots > 0) return connections;
  return isRequest === true ? undefined : processConnections();
}

function listOf(active: Context, scope: CrossingScope | undefined): UnseenConnections | undefined {
  if (scope === undefined)
    return enclosingSpan(active) === undefined || isInSpanOfProcess(active) ? processConnections() : undefined;
  if (scope.hasEnded === true) return listBehind(scope.run);
  scope.connections ??= new ConnectionList();
  return scope.connections;
}

function keep(list: UnseenConnections | undefined, connection: UnseenConnection): void {
  if (list === undefined) return;
  if (connection.package !== undefined) noteUnseenDriver(connection.package);
  list.add(connection);
}

/**
 * Keeps for the agent around this call that a connection was opened which nothing records. `describe` is called only where there is such an agent, and for
 * the same `source` once in each. It is given what tells whether a place is known already, whoever went there. Never throws.
 */
export function recordConnection(
  describe: (isKnown: (place: string) => boolean) => UnseenConnection | undefined,
  source?: object,
): void {
  guarded(
    'keeping a connection',
    () => {
      if (source !== undefined && isToldHere(source)) return;
      const list = listHere();
      if (source !== undefined) list?.noteSource(source);
      const connection = list === undefined ? undefined : describe((place) => list.hasPlace(place));
      if (connection === undefined || isOfNobody(connection)) return;
      keep(list, connection);
      if (list === processConnections() && isNameQuery(connection.place)) earlyConnections().addName(connection);
    },
    undefined,
  );
}

/**
 * As `recordConnection`, of a file that the code here changes. `placeOf` gives the place that is told of it, undefined where a replay changes
 * the file as well. Files of exporters are refused as everybody's are, so they are told, too. Never throws.
 */
export function recordFileChange(
  placeOf: () => string | undefined,
  describe: (place: string) => UnseenConnection | undefined,
): void {
  guarded(
    'keeping the change of a file',
    () => {
      const active = contexts.active();
      const scope = scopeOf(active);
      // To follow a path to its file takes longer than all else that is asked here.
      const list = isUncoveredCode(scope) ? listOf(active, scope) : undefined;
      if (list === undefined || list.isFullOfFiles) return;
      const place = placeOf();
      // A log is written to again and again.
      if (place === undefined || list.hasPlace(place)) return;
      const change = describe(place);
      if (change !== undefined) list.add(change);
    },
    undefined,
  );
}

/**
 * As `recordConnection`, of a socket that lives on: gives the connection also where no agent is around this call, for one that comes
 * to it later. Undefined where it is recorded, or none of the code's around it. Never throws.
 */
export function recordLastingConnection(
  socket: Socket,
  describe: () => UnseenConnection | undefined,
): UnseenConnection | undefined {
  return guarded(
    'keeping a connection that lasts',
    () => {
      const connection = isUncoveredHere() ? describe() : undefined;
      if (connection === undefined || isOfNobody(connection)) return undefined;
      const list = listHere();
      keep(list, connection);
      if (list === processConnections()) earlyConnections().add(socket, connection);
      return connection;
    },
    undefined,
  );
}

/** Keeps for the agent around this call that it uses a connection which nothing records, whoever opened that. Never throws. */
export function recordUse(connection: UnseenConnection): void {
  guarded('keeping the use of a connection', () => keep(listHere(), connection), undefined);
}

/** Keeps for the run of `context`, while that goes on, what its code hears of though nothing records it. Never throws. */
export function recordHeard(context: Context, connection: UnseenConnection): void {
  guarded(
    'keeping what a run hears of',
    () => {
      const run = scopeOf(context)?.run;
      if (run !== undefined && run.openRoots > 0 && wireMode() !== 'replay') run.connections?.add(connection);
    },
    undefined,
  );
}

/**
 * Keeps, for the runs that go on and for those behind, what came to the program by itself: their memory is one, and no replay brings it again. Never
 * throws.
 */
export function recordArrival(place: string, arrival: ArrivalKind = 'pushed'): void {
  guarded(
    'keeping what came to a program',
    () => {
      if (wireMode() !== 'replay') processConnections().add({ place, package: undefined, arrival });
    },
    undefined,
  );
}

/** Makes what was connected outside all crossings so far, and what still is, part of the crossing of this context. */
export function adoptProcessConnections(context: Context): void {
  const scope = scopeOf(context);
  if (scope === undefined) return;
  scope.connections = processConnections();
  scope.run.connections = scope.connections;
}
