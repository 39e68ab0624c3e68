import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, ROOT_CONTEXT } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { afterAll, describe, expect, it } from 'vitest';
import { isTelemetryContext, telemetryContext } from '../host/telemetry-context.ts';
import { withSender } from './telemetry-sender.ts';

const folder = mkdtempSync(join(tmpdir(), 'reenact-senders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Call = (work: () => Context) => Context;

/** A function of a file there, which calls what it is given. */
function callerIn(file: string, source = 'exports.call = function callIt(work) { return work(); };'): Call {
  const path = join(folder, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, source);
  return (createRequire(path)(path) as { call: Call }).call;
}

/** As a context manager does: what it is given is entered by a function of ours. */
function enter(entered: Context = suppressTracing(ROOT_CONTEXT)): Context {
  return withSender(entered, enter);
}

const isTelemetryOf = (call: Call): boolean => isTelemetryContext(call(enter));

describe('a context in which tracing is suppressed', () => {
  it.each([
    ['@opentelemetry/sdk-trace-base', true],
    ['@opentelemetry/core', true],
    ['@azure/monitor-opentelemetry-exporter', true],
    ['@sentry/node', true],
    ['@aws/aws-distro-opentelemetry-node-autoinstrumentation', true],
    ['@trigger.dev/core', false],
    ['@opentelemetry/instrumentation-aws-sdk', false],
    ['some-client', false],
  ])('is one of telemetry by the package that suppresses it: %s', (name, isTelemetry) => {
    expect(isTelemetryOf(callerIn(join('node_modules', name, 'index.js')))).toBe(isTelemetry);
  });

  it('is one of telemetry where code of the app, or of its bundle, exports', () => {
    expect(isTelemetryOf(callerIn('app.js', 'exports.call = function ask(work) { return work(); };'))).toBe(false);
    expect(isTelemetryOf(callerIn('arrow.js', 'exports.call = (work) => work();'))).toBe(false);
    const bundled =
      'class t { onEnd(e) { return n(e); } } const n = (e) => e(); exports.call = (work) => new t().onEnd(work);';
    expect(isTelemetryOf(callerIn('bundle.js', bundled))).toBe(true);
    const sentry =
      'const U = (e) => e(); const o = { suppressTracing: U }; exports.call = function ask(w) { return o.suppressTracing(w); };';
    expect(isTelemetryOf(callerIn('sentry.js', sentry))).toBe(true);
    const detector =
      'class t { detect(e) { return e(); } } exports.call = function ask(w) { return new t().detect(w); };';
    expect(isTelemetryOf(callerIn('detector.js', detector))).toBe(true);
    const exporter = 'exports.call = function doExport(work) { return work(); };';
    expect(isTelemetryOf(callerIn('exporter.js', exporter))).toBe(true);
  });

  it('keeps the word it has, and is left as it is where nothing is suppressed', () => {
    const own = telemetryContext(ROOT_CONTEXT);
    expect(enter(own)).toBe(own);
    expect(enter(ROOT_CONTEXT)).toBe(ROOT_CONTEXT);
    // In a host with contexts of its own nobody says so, and exporters are what it is there for.
    expect(isTelemetryContext(suppressTracing(ROOT_CONTEXT))).toBe(true);
    expect(isTelemetryContext(ROOT_CONTEXT)).toBe(false);
  });
});
