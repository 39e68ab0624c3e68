import { type Context, context as contexts } from '@opentelemetry/api';
import { guarded, type Members, membersOf } from '@reenact/instrumentation';
import type { ForeignFunction, ForeignModel, WrapScope } from './internal-types.ts';
import { isModel, modelOfCall } from './wrapped-model.ts';
import { wrapTools } from './wrapped-tools.ts';

/** Finds the model that a text stands for, as the SDK would: by the default provider, or the gateway. */
export type ResolveModel = (modelId: string) => unknown;

/** What the options of one call are wrapped with. */
interface CallScope {
  readonly scope: WrapScope;
  readonly madeIn: Context;
  readonly resolve: ResolveModel;
}

function modelOf(model: unknown, { scope, madeIn, resolve }: CallScope): unknown {
  const found = typeof model === 'string' ? resolve(model) : model;
  return isModel(found) ? modelOfCall(found satisfies ForeignModel, madeIn, scope) : model;
}

/** Each step of a call may be given another model. */
function wrapPrepareStep(original: ForeignFunction, call: CallScope): ForeignFunction {
  return async function prepareStep(this: unknown, ...parameters: unknown[]): Promise<unknown> {
    const prepared = await Reflect.apply(original, this, parameters);
    const { model } = membersOf(prepared);
    if (model === undefined || model === null) return prepared;
    const wrapped = guarded('wrapping a model', () => modelOf(model, call), model);
    return { ...membersOf(prepared), model: wrapped };
  };
}

function wrapped(options: Members, call: CallScope): Members {
  const { model, tools, prepareStep } = options;
  return {
    ...options,
    ...(model === undefined ? {} : { model: modelOf(model, call) }),
    ...(tools === undefined ? {} : { tools: wrapTools(tools, call.scope, call.madeIn) }),
    ...(typeof prepareStep === 'function'
      ? { prepareStep: wrapPrepareStep(prepareStep as ForeignFunction, call) }
      : {}),
  };
}

/** The options of one call of the SDK with a model and tools that cross, in the context that is active now. Never throws. */
export function callOptions(options: unknown, scope: WrapScope, resolve: ResolveModel): unknown {
  if (typeof options !== 'object' || options === null) return options;
  const wrap = (): Members => wrapped(options as Members, { scope, madeIn: contexts.active(), resolve });
  return guarded('wrapping a call of the AI SDK', wrap, options as Members);
}
