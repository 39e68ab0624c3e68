import type { Context } from '@opentelemetry/api';
import {
  admitDescribed,
  type GateCall,
  type Members,
  membersOf,
  runInContext,
  runTapped,
  serveStub,
  spanView,
  stringOf,
} from '@reenact/instrumentation';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { callContext } from './call-context.ts';
import { coveredObjects } from './covered-objects.ts';
import type { ForeignFunction, WrapScope } from './internal-types.ts';

function gateCallOf(name: string, parameters: readonly unknown[], scope: WrapScope): GateCall {
  const [input, options] = parameters;
  const toolCallId = stringOf(membersOf(options).toolCallId);
  const { capture, sdk, toolEffects } = scope;
  return {
    boundary: {
      kind: 'tool',
      name,
      effect: toolEffects[name] ?? 'write',
      capture,
      policy: CANONICAL_POLICIES.arguments,
      ...(sdk === undefined ? {} : { sdk }),
    },
    // The conversation and the abort signal that come with the arguments belong to the model's own crossing.
    input: [input],
    takesInput: true,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    span: spanView({ kind: 'tool', name }),
  };
}

/** Crosses one call of a tool: a value, a promise or an iterable of preliminary results, as the tool gives it. */
function cross(
  name: string,
  parameters: readonly unknown[],
  execute: (parameters: readonly unknown[]) => unknown,
  scope: WrapScope,
): unknown {
  const admission = admitDescribed('a tool call', () => scope.admit(gateCallOf(name, parameters, scope)));
  switch (admission.type) {
    case 'pass':
      return execute(parameters);
    case 'run': {
      const { crossing, edited } = admission;
      const [, ...rest] = parameters;
      const given = edited === undefined ? parameters : [(edited.input as readonly unknown[])[0], ...rest];
      return runTapped(crossing, () => execute(given));
    }
    case 'stub':
      return serveStub(admission);
    case 'refuse':
      throw admission.error;
  }
}

function wrapTool(name: string, tool: object, madeIn: Context | undefined, scope: WrapScope): object {
  const original = membersOf(tool).execute;
  if (typeof original !== 'function' || coveredObjects.has(tool)) return tool;
  const execute = (parameters: readonly unknown[]): unknown =>
    Reflect.apply(original as ForeignFunction, tool, parameters as unknown[]);
  const wrapped: object = Object.create(Object.getPrototypeOf(tool) as object | null, {
    ...Object.getOwnPropertyDescriptors(tool),
    execute: {
      configurable: true,
      enumerable: true,
      writable: true,
      value: (...parameters: unknown[]): unknown => {
        if (!scope.isActive()) return execute(parameters);
        const crossed = (): unknown => cross(name, parameters, execute, scope);
        return madeIn === undefined ? crossed() : runInContext(callContext(madeIn), crossed);
      },
    },
  });
  coveredObjects.add(wrapped);
  return wrapped;
}

/**
 * A toolset whose tools cross when the SDK executes them; tools without `execute` are left as they are. `madeIn`: the context
 * of the call that uses them, where they are wrapped for one call.
 */
export function wrapTools(tools: unknown, scope: WrapScope, madeIn?: Context): unknown {
  if (typeof tools !== 'object' || tools === null) return tools;
  return Object.fromEntries(
    Object.entries(tools as Members).map(([name, tool]) => [
      name,
      typeof tool === 'object' && tool !== null ? wrapTool(name, tool, madeIn, scope) : tool,
    ]),
  );
}
