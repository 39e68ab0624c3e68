import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { admit, patchClientPrototype } from '@reenact/instrumentation';
import OpenAI, { type ClientOptions } from 'openai';
import { openaiLibrary } from '../openai-library.ts';

/** Patches the ES module copy of openai with the real gate. Returns how to undo it. */
export function patchOpenAI(): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const undo = patchClientPrototype(OpenAI.prototype, openaiLibrary, { admit, capture: 'full', sdk: 'openai@7.59.0' });
  return () => {
    undo();
    context.disable();
  };
}

/** A client without time to lose. */
export function clientOf(baseURL: string, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ apiKey: 'sk-secret-key', baseURL, logLevel: 'off', ...options });
}
