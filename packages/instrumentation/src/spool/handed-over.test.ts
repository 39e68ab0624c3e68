import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { admit, agent, gate, type OpenCrossing, tool } from '../index.ts';
import { type FlakyExporter, SPILLED, SpooledHost, smallHost } from '../testdata/spooled-host.ts';

const boundary = {
  kind: 'agent',
  name: 'process',
  effect: 'write',
  capture: 'full',
  policy: CANONICAL_POLICIES.arguments,
} as const;
const read = tool('read', async () => 'set', { effect: 'read' });
const desk = agent('desk', async () => 'inside');
const long = 'x'.repeat(9_000);

let host: SpooledHost;
let processRun: OpenCrossing;
beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());
beforeEach(() => {
  host = new SpooledHost({ spool: { frameBytesMax: 4_000 } });
});
afterEach(async () => {
  vi.restoreAllMocks();
  processRun.settle({ type: 'returned', value: undefined });
  gate.configure({ rootContext: undefined, openedRootContext: undefined });
  await host.stop();
});

/** Opens the run of the process, as the hook does, and begins a run in it: the former is handed over to the recorder then. */
async function beginRun(input: string): Promise<void> {
  const admission = admit({ boundary, input: [input], call: 'promise', span: { name: 'process', kind: 'internal' } });
  if (admission.type !== 'run') throw new TypeError(admission.type);
  processRun = admission.crossing;
  gate.configure({ rootContext: () => processRun.context, openedRootContext: () => processRun.context });
  await read();
  await desk();
}

function ofProcess({ taken }: FlakyExporter): unknown[] {
  return taken
    .filter(({ attributes }) => attributes['reenact.name'] === 'process')
    .map(({ attributes }) => [attributes['reenact.outcome'], String(attributes['reenact.input'] ?? '').length]);
}

describe.each([
  ['that fits a frame', 'short'],
  ['that is larger than a frame', long],
])('a crossing %s and was handed over before its end', (_, input) => {
  const { length } = JSON.stringify([input]);

  it('is delivered with its end, where nothing of it was delivered before', async () => {
    host.exporter.isAway = true;
    await beginRun(input);
    processRun.settle({ type: 'returned', value: { exitCode: 0 } });
    host.processor.closeSpool();
    expect(ofProcess(await host.leftovers())).toEqual([['returned', length]]);
  });

  it('is delivered with its end, where it was delivered as pending', async () => {
    await beginRun(input);
    await host.processor.forceFlush();
    expect(ofProcess(host.exporter)).toEqual([['pending', length]]);
    host.exporter.isAway = true;
    processRun.settle({ type: 'returned', value: { exitCode: 0 } });
    host.processor.closeSpool();
    expect(ofProcess(await host.leftovers())).toEqual([['returned', length]]);
  });

  it('is delivered once, as pending and whole, where the process died before its end', async () => {
    host.exporter.isAway = true;
    await beginRun(input);
    await host.processor.forceFlush();
    expect(ofProcess(await host.leftovers())).toEqual([['pending', length]]);
  });

  it('is delivered as pending before its end, where memory has no room for where others are on the disk', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await host.stop();
    host = smallHost({ spool: { frameBytesMax: 4_000 } });
    host.exporter.isAway = true;
    const small = tool('small', () => 0);
    for (let index = 0; index <= SPILLED; index += 1) small();
    await beginRun(input);
    host.exporter.isAway = false;
    expect(await host.processor.flush()).toBe(0);
    expect(ofProcess(host.exporter)).toEqual([['pending', length]]);
    expect([...host.processor.dropped()]).toEqual([]);
  });
});
