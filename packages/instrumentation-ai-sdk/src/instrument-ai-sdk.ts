import { admit, installOwnedFetch } from '@reenact/instrumentation';
import { ReenactError } from '@reenact/trace-model';
import type { WrapScope } from './internal-types.ts';
import type { AiSdkSettings } from './types.ts';
import { gatedModel, isModel } from './wrapped-model.ts';
import { wrapTools } from './wrapped-tools.ts';

function scopeOf({ capture = 'full', toolEffects = {} }: AiSdkSettings): WrapScope {
  return { admit, capture, toolEffects, sdk: undefined, isActive: () => true };
}

/**
 * Records and replays one model of the AI SDK without patching anything but the global `fetch`, for code that a bundler has
 * put into one file. Returns a model to use in its place, of the same type; the given one is left as it is. A model that is
 * instrumented already is returned as it is.
 *
 * Throws a ReenactError `bad-argument` where the value is no model object; a text that names one is none.
 */
export function instrumentModel<Model extends object>(
  model: Model,
  settings: Pick<AiSdkSettings, 'capture'> = {},
): Model {
  if (!isModel(model)) {
    throw new ReenactError('bad-argument', 'instrumentModel got something that is no model of the AI SDK.', {
      where: 'instrumentModel(model)',
      next: 'Pass what a provider returned, for example openai("gpt-5"), and not the name of a model.',
    });
  }
  installOwnedFetch();
  return gatedModel(model, scopeOf(settings));
}

/**
 * Records and replays the tools of one toolset of the AI SDK, for code that a bundler has put into one file. Returns a toolset
 * to use in its place; tools without `execute` are left as they are.
 */
export function instrumentTools<Tools extends object>(tools: Tools, settings: AiSdkSettings = {}): Tools {
  return wrapTools(tools, scopeOf(settings)) as Tools;
}
