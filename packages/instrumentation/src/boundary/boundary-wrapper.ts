import { types } from 'node:util';
import { context as contexts } from '@opentelemetry/api';
import { admit, gate } from '../admission/current-gate.ts';
import { runTapped } from '../calls/run-tapped.ts';
import { serveStub } from '../calls/serve-stub.ts';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import type { Admission, OpenCrossing, SpanStart } from '../gate/gate.ts';
import { guarded } from '../host/report-failure.ts';
import { CallParameters, servedParameter } from '../results/given-argument.ts';
import type { StubAdmission } from '../results/served-value.ts';
import { toolCallIdOf } from '../run/tool-call-id.ts';
import { type CapturedCall, captureCall } from '../source-line.ts';
import { spanView } from '../view/span-view.ts';
import type { BoundaryOptions } from './boundary-options.ts';
import { type InputSchema, inputViolations, listedSchemas } from './input-schema.ts';

/** Any function at all. */
export type AnyFunction = (...parameters: never[]) => unknown;

interface Wrapped {
  readonly boundary: BoundaryDefinition;
  readonly span: SpanStart;
  readonly readToolCallId: ((...parameters: never[]) => string | undefined) | undefined;
  readonly schemas: readonly InputSchema[];
}

function toolCallId({ boundary, readToolCallId }: Wrapped, parameters: readonly unknown[]): string | undefined {
  const read = readToolCallId;
  const told =
    read === undefined
      ? undefined
      : guarded('reading a tool call id', () => read(...(parameters as never[])), undefined);
  if (typeof told === 'string') return told;
  const takesId = boundary.kind === 'tool' || boundary.kind === 'mcp' || boundary.kind === 'agent';
  return takesId ? guarded('reading a tool call id', () => toolCallIdOf(contexts.active()), undefined) : undefined;
}

function admitCall(wrapped: Wrapped, parameters: readonly unknown[], calledFrom: CapturedCall | undefined): Admission {
  const { boundary, span, schemas } = wrapped;
  const id = toolCallId(wrapped, parameters);
  const call = { boundary, span, input: parameters, takesInput: true, calledFrom } as const;
  if (id === undefined && schemas.length === 0) return admit(call);
  return admit({
    ...call,
    ...(id === undefined ? {} : { toolCallId: id }),
    ...(schemas.length === 0 ? {} : { inspect: () => inputViolations(schemas, parameters) }),
  });
}

function replaysHere(): boolean {
  return guarded('asking for a replay', () => gate.replaysHere(), false);
}

/** The parameters to call the code with: a replay may have been asked to change them. */
function runWith({ edited }: Extract<Admission, { type: 'run' }>, parameters: readonly unknown[]): readonly unknown[] {
  return edited === undefined ? parameters : (edited.input as readonly unknown[]);
}

/** What code that runs again in a replay writes into its parameters it writes there again; where nobody keeps anything, nothing is looked at. */
function parametersOf(
  { boundary }: Wrapped,
  { isObserved }: OpenCrossing,
  given: readonly unknown[],
): CallParameters | undefined {
  const make = (): CallParameters => new CallParameters(given, isObserved && boundary.kind !== 'agent');
  return guarded('looking at parameters', make, undefined);
}

function servedTo(parameters: readonly unknown[], { recorded }: StubAdmission, served: unknown): unknown {
  const { resultArgument, outcome } = recorded;
  if (resultArgument === undefined || outcome.type !== 'returned') return served;
  const give = (): unknown => servedParameter(parameters[resultArgument], outcome.value?.data, served);
  return guarded('giving a parameter back', give, served);
}

/** An async function rejects where an ordinary one throws, so that `.catch` sees the refusal. */
function refuse(fn: AnyFunction, error: unknown): unknown {
  // An async generator counts as async here but returns no promise.
  if (types.isAsyncFunction(fn) && !types.isGeneratorFunction(fn)) return Promise.reject(error);
  throw error;
}

/**
 * Makes a function a boundary. The result is indistinguishable in use: same type, name, length, members and `this`, and
 * the same call shape; called with `new`, it is not a crossing. Throws only what the function throws, and inside a replay
 * the replay's refusals.
 */
export function wrapBoundary<Fn extends AnyFunction>(
  fn: Fn,
  boundary: BoundaryDefinition,
  { toolCallId: readToolCallId, input }: Pick<BoundaryOptions<never[]>, 'toolCallId' | 'input'> = {},
): Fn {
  const schemas = input === undefined ? [] : listedSchemas(`${boundary.kind}:${boundary.name}`, input);
  const wrapped: Wrapped = { boundary, span: spanView(boundary), readToolCallId, schemas };
  function apply(target: Fn, self: unknown, parameters: unknown[]): unknown {
    const admission = admitCall(wrapped, parameters, replaysHere() ? captureCall(apply) : undefined);
    switch (admission.type) {
      case 'pass':
        return Reflect.apply(target, self, parameters);
      case 'run': {
        const given = runWith(admission, parameters);
        const { crossing } = admission;
        return runTapped(crossing, () => Reflect.apply(target, self, given), parametersOf(wrapped, crossing, given));
      }
      case 'stub':
        return serveStub(admission, (served) => servedTo(parameters, admission, served));
      case 'refuse':
        return refuse(target, admission.error);
    }
  }
  return new Proxy(fn, { apply });
}
