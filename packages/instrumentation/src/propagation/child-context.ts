import { type Context, context as contexts, ROOT_CONTEXT, type TextMapGetter } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { gate } from '../admission/current-gate.ts';
import { enclosingSpan } from '../host/enclosing-span.ts';
import { isOwnWork } from '../host/own-work.ts';
import { ownName } from '../host/process-names.ts';
import { guarded } from '../host/report-failure.ts';
import { isTelemetryContext } from '../host/telemetry-context.ts';
import { isCoveredWork } from '../run/covered-work.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { positionOf } from '../run/position.ts';
import { CHILD_OCCURRENCE_VARIABLE, CHILD_OF_CODE_VARIABLE, countedChild } from './child-occurrence.ts';
import { POSITION_MEMBER, withoutPositionMember } from './travelled-position.ts';

/** What a variable of the environment that a child is to get would be; undefined where it would get none. */
export type GivenVariable = (name: string) => string | undefined;

const propagator = new W3CTraceContextPropagator();
const traceVariables = { traceparent: 'TRACEPARENT', tracestate: 'TRACESTATE' } as const;
const carrierOf: TextMapGetter<NodeJS.ProcessEnv> = {
  keys: () => Object.keys(traceVariables),
  get: (environment, key) => environment[key.toUpperCase()],
};

/** The run that the code is in now; a process run only where it is open already: starting a program opens none. */
function enclosing(): Context | undefined {
  const active = gate.placeOf(contexts.active());
  if (isTelemetryContext(active)) return undefined;
  return scopeOf(active) !== undefined || enclosingSpan(active) !== undefined ? active : gate.openedRootContext();
}

function traceVariablesOf(context: Context, given: GivenVariable): [string, string][] {
  const before = given(traceVariables.traceparent);
  // Set by the program for this child, not inherited: its own word counts, an empty one included.
  if (before !== undefined && before !== process.env[traceVariables.traceparent]) return [];
  const variables: [string, string][] = [];
  propagator.inject(context, variables, {
    set: (_carrier, key, value) => variables.push([key.toUpperCase(), value]),
  });
  const isComplete = variables.length === 0 || variables.some(([name]) => name === traceVariables.tracestate);
  // A trace state belongs to the trace it came with.
  if (isComplete || given(traceVariables.tracestate) === undefined) return variables;
  return [...variables, [traceVariables.tracestate, '']];
}

function baggageOf(context: Context, given: GivenVariable): [string, string][] {
  const position = positionOf(context);
  const token = position?.player.processToken?.(position);
  if (token === undefined) return [];
  const kept = withoutPositionMember(given('BAGGAGE') ?? '');
  return [['BAGGAGE', [kept, `${POSITION_MEMBER}=${token}`].filter(Boolean).join(',')]];
}

function occurrenceOf(context: Context, command: readonly unknown[]): [string, string][] {
  const occurrence = countedChild(context, command);
  return occurrence === undefined ? [] : [[CHILD_OCCURRENCE_VARIABLE, String(occurrence)]];
}

/**
 * What code starts inside of a tool, or a client of MCP as its server, no replay starts: where that calls nothing, it is no matter of the
 * recording.
 */
function codeOf(context: Context, given: GivenVariable): [string, string][] {
  // Where nothing encloses the code here, `context` is that of the process run, which a wrapped client knows nothing of.
  const isOfClient = isOwnWork() || isCoveredWork(scopeOf(contexts.active()));
  if (scopeOf(context)?.isAgent === true && !isOfClient) {
    gate.startsCode();
    return [[CHILD_OF_CODE_VARIABLE, ownName()]];
  }
  return given(CHILD_OF_CODE_VARIABLE) === undefined ? [] : [[CHILD_OF_CODE_VARIABLE, '']];
}

/**
 * The environment variables by which a child process that is started now stands below the running crossing: OpenTelemetry's
 * carriers `TRACEPARENT` and `TRACESTATE`, inside a replay its position in `BAGGAGE`, which it is of those started alike, and whether an agent's own code has started it.
 * `command`: the program and its arguments. Empty outside runs, and in a replay that the child could not join. Never throws.
 */
export function childVariables(
  given: GivenVariable,
  command: readonly unknown[],
): readonly (readonly [name: string, value: string])[] {
  return guarded('telling a child process its trace', () => {
    const context = enclosing();
    if (context === undefined || positionOf(context)?.player.keepsNoRecording === true) return [];
    const place = [...traceVariablesOf(context, given), ...baggageOf(context, given)];
    return [...place, ...occurrenceOf(context, command), ...codeOf(context, given)];
  }, []);
}

/** The context below the span that `TRACEPARENT` names; undefined where it names none. Never throws. */
export function environmentContext(environment: NodeJS.ProcessEnv): Context | undefined {
  const context = guarded(
    'reading TRACEPARENT',
    () => propagator.extract(ROOT_CONTEXT, environment, carrierOf),
    ROOT_CONTEXT,
  );
  return enclosingSpan(context) === undefined ? undefined : context;
}
