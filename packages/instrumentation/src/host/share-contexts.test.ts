import {
  context,
  createContextKey,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { shareContexts } from './share-contexts.ts';

const API = Symbol.for('opentelemetry.js.api.1');
const active = ROOT_CONTEXT.setValue(createContextKey('run'), 1);
const propagator: TextMapPropagator = { inject: () => undefined, extract: (given) => given, fields: () => ['run'] };

/** What stands around a context, as the copy of the API there has set it up. */
function around(manager: AsyncLocalStorageContextManager, version = '1.9.1'): typeof globalThis {
  return { [API]: { version, context: manager, propagation: propagator } } as unknown as typeof globalThis;
}

function manager(): AsyncLocalStorageContextManager {
  return new AsyncLocalStorageContextManager().enable();
}

afterEach(() => {
  context.disable();
  Reflect.deleteProperty(globalThis, API);
});

describe('the contexts of the process in a context of node:vm', () => {
  it('are those of its copy of the API, until that lets go of them: those of the process stay', () => {
    const ofProcess = manager();
    shareContexts(around(ofProcess));
    ofProcess.with(active, () => {
      expect([context.active(), propagation.fields()]).toEqual([active, ['run']]);
      context.disable();
      expect([ofProcess.active(), context.active()]).toEqual([active, ROOT_CONTEXT]);
    });
    expect(context.setGlobalContextManager(manager())).toBe(true);
  });

  it('let it set up tracers, also where the process has another version of the API', () => {
    shareContexts(around(manager(), '1.9.0'));
    expect(trace.setGlobalTracerProvider(new ProxyTracerProvider())).toBe(true);
  });

  it('do not take the place of others that were set up there', () => {
    const own = manager();
    context.setGlobalContextManager(own);
    const ofProcess = manager();
    shareContexts(around(ofProcess));
    expect(propagation.fields()).toEqual(['run']);
    ofProcess.with(active, () => expect(context.active()).toBe(ROOT_CONTEXT));
    own.with(active, () => expect(context.active()).toBe(active));
  });
});
