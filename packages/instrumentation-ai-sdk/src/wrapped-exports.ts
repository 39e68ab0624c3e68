import { type Members, membersOf, reportFailure } from '@reenact/instrumentation';
import { type ErrorClass, registerErrorClass } from '@reenact/trace-model';
import { gatedAgentMethod } from './agent-methods.ts';
import { callOptions, type ResolveModel } from './call-options.ts';
import { coveredObjects } from './covered-objects.ts';
import type { ForeignFunction, WrapScope } from './internal-types.ts';
import { patchedMembers } from './patched-members.ts';
import { gatedModel, isModel } from './wrapped-model.ts';

/** Functions whose options name a model, and the method of a provider that knows it by its id. */
const callFunctions: Readonly<Record<string, string>> = {
  generateText: 'languageModel',
  streamText: 'languageModel',
  experimental_streamTextLowMemory: 'languageModel',
  experimental_streamLanguageModelCall: 'languageModel',
  generateObject: 'languageModel',
  streamObject: 'languageModel',
  embed: 'embeddingModel',
  embedMany: 'embeddingModel',
  rerank: 'rerankingModel',
  generateImage: 'imageModel',
  generateSpeech: 'speechModel',
  experimental_generateSpeech: 'speechModel',
  transcribe: 'transcriptionModel',
  experimental_transcribe: 'transcriptionModel',
  experimental_decide: 'decisionModel',
  experimental_evaluate: 'decisionModel',
  experimental_extract: 'extractionModel',
};

/** Functions that put a middleware around a model: the model inside crosses, the middleware runs for real. */
const wrapFunctions = ['wrapLanguageModel', 'wrapEmbeddingModel', 'wrapImageModel'];

function resolver(moduleExports: Members, factory: string): ResolveModel {
  return (modelId) => {
    const { AI_SDK_DEFAULT_PROVIDER: chosen } = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown };
    const provider = chosen ?? moduleExports.gateway;
    const make = (provider as Members | undefined)?.[factory];
    return typeof make === 'function' ? Reflect.apply(make, provider, [modelId]) : undefined;
  };
}

function replaced(original: ForeignFunction, apply: (self: unknown, parameters: unknown[]) => unknown): unknown {
  return new Proxy(original, { apply: (_, self: unknown, parameters: unknown[]) => apply(self, parameters) });
}

function gatedCall(original: ForeignFunction, scope: WrapScope, resolve: ResolveModel): unknown {
  return replaced(original, (self, [options, ...rest]) => {
    const given = scope.isActive() ? callOptions(options, scope, resolve) : options;
    return Reflect.apply(original, self, [given, ...rest]);
  });
}

function gatedWrap(original: ForeignFunction, scope: WrapScope): unknown {
  return replaced(original, (self, [options, ...rest]) => {
    const { model } = membersOf(options);
    if (!scope.isActive() || !isModel(model)) return Reflect.apply(original, self, [options, ...rest]);
    const wrapped: unknown = Reflect.apply(original, self, [
      { ...membersOf(options), model: gatedModel(model, scope) },
      ...rest,
    ]);
    if (typeof wrapped === 'object' && wrapped !== null) coveredObjects.add(wrapped);
    return wrapped;
  });
}

/** The functions of the package that stand in for its own, by their names. */
export function wrappedExports(moduleExports: Members, scope: WrapScope): ReadonlyMap<string, unknown> {
  const wrapped = new Map<string, unknown>();
  for (const [name, factory] of Object.entries(callFunctions)) {
    const original = moduleExports[name];
    if (typeof original !== 'function') continue;
    wrapped.set(name, gatedCall(original as ForeignFunction, scope, resolver(moduleExports, factory)));
  }
  for (const name of wrapFunctions) {
    const original = moduleExports[name];
    if (typeof original === 'function') wrapped.set(name, gatedWrap(original as ForeignFunction, scope));
  }
  return wrapped;
}

/** Puts the gate into the agent class, for all its agents and subclasses. Returns how to undo it. */
export function patchAgents(moduleExports: Members, scope: WrapScope): () => void {
  const { ToolLoopAgent } = moduleExports;
  const prototype: unknown = typeof ToolLoopAgent === 'function' ? ToolLoopAgent.prototype : undefined;
  const { generate, stream, prepareCall } = membersOf(prototype);
  if ([generate, stream, prepareCall].some((member) => typeof member !== 'function')) {
    reportFailure('patching agents of the AI SDK', 'its agent class has another shape; this version is not covered');
    return () => undefined;
  }
  if (patchedMembers.isPatched(generate)) return () => undefined;
  const resolve = resolver(moduleExports, 'languageModel');
  const undos = (['generate', 'stream'] as const).map((method) =>
    patchedMembers.patch<ForeignFunction>(prototype as object, method, (original) =>
      gatedAgentMethod(original, method, scope, resolve),
    ),
  );
  return () => {
    for (const undo of undos) undo();
  };
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error;
}

/** Makes the error classes of the package known, so that a recorded error is thrown again as an instance of its class. */
export function registerErrorClasses(moduleExports: Members): void {
  for (const value of Object.values(moduleExports)) if (isErrorClass(value)) registerErrorClass(value, 'ai');
}
