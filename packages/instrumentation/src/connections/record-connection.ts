import { type Context, context as contexts } from '@opentelemetry/api';
import { processState } from '@reenact/trace-model';
import { wireMode } from '../admission/current-gate.ts';
import { enclosingSpan } from '../host/enclosing-span.ts';
import { isOwnWork } from '../host/own-work.ts';
import { guarded } from '../host/report-failure.ts';
import { isSuppressedRequest } from '../host/suppressed-request.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { isInSpanOfProcess } from '../run/spans-of-process.ts';
import type { UnseenConnection, UnseenConnections } from '../run/unseen-connections.ts';
import { ConnectionList } from './connection-list.ts';
import { isCoveredWork } from './covered-work.ts';
import { noteUnseenDriver } from './drivers.ts';
import { isOfEagerClient } from './eager-clients.ts';

/** Of code that nothing encloses, for the run that the register hook may open around the process. */
const ofProcess = processState('process-connections.1', () => new ConnectionList());

function listHere(): UnseenConnections | undefined {
  if (isOwnWork() || wireMode() === 'replay') return undefined;
  const active = contexts.active();
  // Exporters suppress tracing around what they do.
  if (isSuppressedRequest(active)) return undefined;
  const scope = scopeOf(active);
  if (isCoveredWork(scope)) return undefined;
  if (scope === undefined)
    return enclosingSpan(active) === undefined || isInSpanOfProcess(active) ? ofProcess : undefined;
  // Elsewhere the crossing's outcome is served, and nothing connects again.
  if (scope.isAgent !== true || scope.hasEnded === true) return undefined;
  scope.connections ??= new ConnectionList();
  return scope.connections;
}

/**
 * Keeps for the agent around this call that a connection was opened which nothing records. `describe` is called only where it is
 * kept, with what tells whether a place is known already, whoever went there. Never throws.
 */
export function recordConnection(
  describe: (isKnown: (place: string) => boolean) => UnseenConnection | undefined,
): void {
  guarded(
    'keeping a connection',
    () => {
      const list = listHere();
      const connection = list === undefined ? undefined : describe((place) => list.hasPlace(place));
      if (connection === undefined) return;
      const { package: name } = connection;
      if (name !== undefined && isOfEagerClient(name)) return;
      if (name !== undefined) noteUnseenDriver(name);
      list?.add(connection);
    },
    undefined,
  );
}

/** Makes what was connected outside all crossings so far, and what still is, part of the crossing of this context. */
export function adoptProcessConnections(context: Context): void {
  const scope = scopeOf(context);
  if (scope !== undefined) scope.connections = ofProcess;
}
