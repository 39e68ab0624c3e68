import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { afterEach, expect, it } from 'vitest';
import { isSuppressedRequest } from './suppressed-request.ts';

const process = globalThis as { __SENTRY__?: unknown };

afterEach(() => {
  delete process.__SENTRY__;
});

/** What Sentry's SDK keeps in the process, with this scope as the current one. */
function withScope(scopeOf: () => object): void {
  const getCurrentScope = () => ({ getScopeData: () => ({ sdkProcessingMetadata: scopeOf() }) });
  process.__SENTRY__ = { version: '11.12.0', '11.12.0': { acs: { getCurrentScope } } };
}

it('is what OpenTelemetry or the SDK of Sentry keeps out of traces', () => {
  expect([isSuppressedRequest(ROOT_CONTEXT), isSuppressedRequest(suppressTracing(ROOT_CONTEXT))]).toEqual([
    false,
    true,
  ]);
  withScope(() => ({ __SENTRY_SUPPRESS_TRACING__: true }));
  expect(isSuppressedRequest(ROOT_CONTEXT)).toBe(true);
  withScope(() => ({}));
  expect(isSuppressedRequest(ROOT_CONTEXT)).toBe(false);
});

it('is not asked of Sentry again while it makes the scope that says so', () => {
  const inside: boolean[] = [];
  withScope(() => {
    inside.push(isSuppressedRequest(ROOT_CONTEXT));
    return { __SENTRY_SUPPRESS_TRACING__: true };
  });
  expect([isSuppressedRequest(ROOT_CONTEXT), inside]).toEqual([true, [false]]);
});

it('is none where Sentry was not started, or cannot say', () => {
  process.__SENTRY__ = { version: '11.12.0', '11.12.0': {} };
  expect(isSuppressedRequest(ROOT_CONTEXT)).toBe(false);
  withScope(() => {
    throw new Error('no scope');
  });
  expect(isSuppressedRequest(ROOT_CONTEXT)).toBe(false);
});

it("is what Datadog's tracer does in a storage of its own, which is asked for once the tracer is there", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reenact-datadog-'));
  const file = join(folder, 'datadog-core', 'src', 'storage.js');
  const key = Symbol.for('dd-trace');
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(
      file,
      `const { AsyncLocalStorage } = require('node:async_hooks');
       const legacy = new AsyncLocalStorage();
       exports.storage = () => legacy;`,
    );
    Reflect.set(globalThis, key, {});
    expect(isSuppressedRequest(ROOT_CONTEXT)).toBe(false);
    const { storage } = createRequire(import.meta.url)(file) as {
      storage(name: string): { run<Result>(store: object, work: () => Result): Result };
    };
    const within = (store: object) => storage('legacy').run(store, () => isSuppressedRequest(ROOT_CONTEXT));
    expect([isSuppressedRequest(ROOT_CONTEXT), within({ span: {} }), within({ noop: true })]).toEqual([
      false,
      false,
      true,
    ]);
  } finally {
    Reflect.deleteProperty(globalThis, key);
    await rm(folder, { recursive: true });
  }
});
