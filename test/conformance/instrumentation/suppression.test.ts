import { AsyncLocalStorage } from 'node:async_hooks';
import { context, trace } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { agent, gate } from '@reenact/instrumentation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeLibraries } from './describe-libraries.ts';
import { type FidelityLibrary, isAct, type Peer } from './fidelity-library.ts';
import { FidelityHost } from './record-then-replay.ts';

function membersOf(library: FidelityLibrary): unknown[] {
  return library.patched().map(([holder, key]) => Object.getOwnPropertyDescriptor(holder, key));
}

/** Below them no client of a model owns the request. */
const REQUEST_LIBRARIES: readonly string[] = ['`fetch`', '`node:http`, `node:https`', '`node:http2`', '`undici`'];

/** Runs code as `@sentry/core` 11 runs what it sends, with what it keeps in the process for that. */
async function inSentrysSuppression<Result>(run: () => Promise<Result>): Promise<Result> {
  const process = globalThis as { __SENTRY__?: unknown };
  const storage = new AsyncLocalStorage<boolean>();
  const getScopeData = () => ({ sdkProcessingMetadata: { __SENTRY_SUPPRESS_TRACING__: storage.getStore() } });
  process.__SENTRY__ = { version: '11.12.0', '11.12.0': { acs: { getCurrentScope: () => ({ getScopeData }) } } };
  try {
    return await storage.run(true, run);
  } finally {
    delete process.__SENTRY__;
  }
}

describeLibraries(', switched off', (library) => {
  const { call } = library.cases;
  if (!isAct(call)) throw new TypeError('A library without a call cannot be in the table.');
  let peer: Peer;
  let host: FidelityHost;
  let plain: unknown;
  let before: unknown[];
  let undo: () => void;
  beforeEach(async () => {
    peer = await library.start();
    plain = await call.run(peer);
    host = new FidelityHost();
    before = membersOf(library);
    undo = library.patch();
  });
  afterEach(async () => {
    undo();
    gate.enable();
    await host.stop();
    await peer.stop();
  });

  it('by suppressed tracing: the same result, and nothing recorded', async () => {
    const suppressed = suppressTracing(context.active());
    expect(await context.with(suppressed, () => call.run(peer))).toStrictEqual(plain);
    expect(await host.crossingNames()).toEqual([]);
  });

  it.runIf(REQUEST_LIBRARIES.includes(library.name))(
    'by what Sentry keeps out of its traces: the same result, and nothing recorded',
    async () => {
      expect(await inSentrysSuppression(() => call.run(peer))).toStrictEqual(plain);
      expect(await host.crossingNames()).toEqual([]);
    },
  );

  it('by the one switch: the same result, and nothing recorded', async () => {
    gate.disable();
    expect(await call.run(peer)).toStrictEqual(plain);
    expect(await host.crossingNames()).toEqual([]);
  });

  it('by taking the patch out: the same result, every member restored, nothing recorded', async () => {
    const patched = membersOf(library);
    undo();
    for (const [index, descriptor] of membersOf(library).entries()) {
      expect(descriptor).toEqual(before[index]);
      expect(descriptor).not.toEqual(patched[index]);
    }
    expect(await call.run(peer)).toStrictEqual(plain);
    expect(await host.crossingNames()).toEqual([]);
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it('and on again: the same result, recorded', async () => {
    gate.disable();
    gate.enable();
    const inRun = agent('run', () => call.run(peer));
    const isOfRuns = library.isOfRuns === true;
    expect(await (isOfRuns ? inRun() : call.run(peer))).toStrictEqual(plain);
    expect((await host.crossingNames()).length).toBe(call.crossings.length + (isOfRuns ? 1 : 0));
  });
});
