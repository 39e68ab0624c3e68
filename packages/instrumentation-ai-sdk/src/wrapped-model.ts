import type { Context } from '@opentelemetry/api';
import { runInContext } from '@reenact/instrumentation';
import { callContext } from './call-context.ts';
import { coveredObjects } from './covered-objects.ts';
import { disguise } from './disguise.ts';
import { gatedMethod, MODEL_METHODS } from './gated-model.ts';
import type { ForeignFunction, ForeignModel, WrapScope } from './internal-types.ts';

/** Whether a value is a model of the AI SDK, of any kind and specification version. */
export function isModel(value: unknown): value is ForeignModel {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as ForeignModel;
  return (
    typeof members.specificationVersion === 'string' &&
    typeof members.provider === 'string' &&
    typeof members.modelId === 'string'
  );
}

function isMethod(key: PropertyKey): key is string {
  return typeof key === 'string' && MODEL_METHODS.has(key);
}

/** A model whose calls cross, in place of one that does not know of it. */
export function gatedModel<Model extends ForeignModel>(model: Model, scope: WrapScope): Model {
  if (coveredObjects.has(model)) return model;
  const gated = disguise(model, (key, value) =>
    isMethod(key) ? gatedMethod(model, key, value as ForeignFunction, scope) : undefined,
  );
  coveredObjects.add(gated);
  return gated;
}

/** The model as one call of the SDK uses it: its later steps stay in the context in which the call was made. */
export function modelOfCall(model: ForeignModel, madeIn: Context, scope: WrapScope): ForeignModel {
  const gated = gatedModel(model, scope);
  const pinned = disguise(gated, (key, value) => {
    if (!isMethod(key)) return undefined;
    return (...parameters: unknown[]): unknown =>
      runInContext(callContext(madeIn), () => Reflect.apply(value as ForeignFunction, gated, parameters));
  });
  coveredObjects.add(pinned);
  return pinned;
}
