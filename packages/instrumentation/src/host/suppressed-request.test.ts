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
