import type { Link } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admit, agent, type GateCall, gate, tool } from '../index.ts';
import { RUNS_AT_START_MAX } from '../limits.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { ProcessRuns } from './process-runs.ts';

const BEFORE = 'reenact.process.run_before';
const LATEST = 'reenact.process.run_latest';

let host: RecordingHost;

beforeEach(() => {
  host = new RecordingHost();
});

afterEach(() => host.stop());

const desk = agent('desk', async (_name: string, until?: Promise<void>) => until);

/** The span of the other run that a span names by a key, and the place it says that has. */
function linked({ links }: ReadableSpan, key: string): readonly [spanId: string, place: unknown] | undefined {
  const found = links.filter(({ attributes }) => attributes?.[key] !== undefined);
  expect(found.length).toBeLessThanOrEqual(1);
  const [link] = found;
  return link === undefined ? undefined : [link.context.spanId, link.attributes?.[key]];
}

/** The roots in the order in which they began, which is that of their places: the gate of a process counts on from test to test. */
async function roots(): Promise<ReadableSpan[]> {
  const spans = await host.recorded();
  const placeOf = (span: ReadableSpan): number => Number(linked(span, BEFORE)?.[1] ?? 0);
  return spans.filter(({ name }) => name === 'invoke_agent desk').sort((a, b) => placeOf(a) - placeOf(b));
}

function idOf(span: ReadableSpan | undefined): string | undefined {
  return span?.spanContext().spanId;
}

describe('runs that follow each other', () => {
  it('each name the one before, with its place, and none that came later', async () => {
    for (const name of ['a', 'b', 'c']) await desk(name);
    const [first, second, third] = await roots();
    if (second === undefined || third === undefined) throw new TypeError('there are three');
    const [before, place] = linked(second, BEFORE) ?? [];
    expect(before).toBe(idOf(first));
    expect(linked(third, BEFORE)).toEqual([idOf(second), Number(place) + 1]);
    expect([first, second, third].map((span) => span && linked(span, LATEST))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('runs side by side', () => {
  it('name at their end the latest that had begun by then', async () => {
    const [long, short] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const running = [desk('long', long.promise), desk('short', short.promise)];
    short.resolve();
    await running[1];
    await desk('later');
    long.resolve();
    await Promise.all(running);
    const [first, second, third] = await roots();
    if (first === undefined || second === undefined || third === undefined) throw new TypeError('there are three');
    expect(linked(first, LATEST)?.[0]).toBe(idOf(third));
    expect(linked(second, LATEST)).toBeUndefined();
    expect(linked(third, BEFORE)?.[0]).toBe(idOf(second));
  });

  it('are named by what is known of one that never ended', async () => {
    const door = Promise.withResolvers<void>();
    const open = desk('open', door.promise);
    await desk('beside');
    const [facts] = gate.pendingFacts();
    const [, beside] = await roots();
    expect(facts?.links.map(({ attributes }) => Object.keys(attributes ?? {}))).toContainEqual([LATEST]);
    expect(beside).toBeUndefined();
    door.resolve();
    await open;
  });
});

describe('the run of the process', () => {
  it('names at its end the latest run, also where all of them began before it', async () => {
    await desk('before');
    const admission = admit({
      boundary: {
        kind: 'agent',
        name: 'process',
        effect: 'write',
        capture: 'full',
        policy: CANONICAL_POLICIES.arguments,
      },
      input: [],
      call: 'promise',
      span: { name: 'process', kind: 'internal' },
    });
    if (admission.type !== 'run') throw new TypeError('it is recorded');
    admission.crossing.settle({ type: 'returned', value: { exitCode: 0 } });
    const spans = await host.recorded();
    const process = spans.find(({ name }) => name === 'process');
    expect(process && linked(process, LATEST)?.[0]).toBe(idOf(spans.find(({ name }) => name === 'invoke_agent desk')));
    expect(process && linked(process, BEFORE)).toBeUndefined();
    // Whoever looks for the latest run passes over what came after, or beside, another.
    expect(process?.attributes['reenact.process.runs_before']).toBeGreaterThan(0);
  });
});

function request(name: string): void {
  const policy = CANONICAL_POLICIES.arguments;
  const call: GateCall = {
    boundary: { kind: 'agent', name, effect: 'write', capture: 'full', policy },
    input: [],
    call: 'promise',
    span: { name, kind: 'server' },
  };
  const admission = admit(call);
  if (admission.type === 'run') admission.crossing.settle({ type: 'returned', value: 1 });
}

describe('what is no run of the program', () => {
  it('is named by none, and what is inside a run names none', async () => {
    await desk('first');
    request('GET /');
    await agent('around', async () => tool('inside', async () => 1)())();
    await desk('last');
    const spans = await host.recorded();
    const inside = spans.find(({ name }) => name === 'execute_tool inside');
    expect(inside?.links).toEqual([]);
    const around = spans.find(({ name }) => name === 'invoke_agent around');
    const last = spans.findLast(({ name }) => name === 'invoke_agent desk');
    const first = spans.find(({ name }) => name === 'invoke_agent desk');
    expect(around && linked(around, BEFORE)?.[0]).toBe(idOf(first));
    expect(last && linked(last, BEFORE)?.[0]).toBe(idOf(around));
  });
});

describe('requests that come to a service', () => {
  const runOf = (spanId: string) => ({ traceId: '1'.repeat(32), spanId: spanId.repeat(16), traceFlags: 1 });
  const spanIdsIn = (links: readonly Link[]): string[] => links.map(({ context }) => context.spanId.slice(0, 1));

  it('each name the latest run that it had begun before the first of them', () => {
    const runs = new ProcessRuns();
    runs.began(runOf('a'), undefined);
    runs.began(runOf('b'), undefined);
    const [link] = runs.linksAtStart(undefined);
    expect([link?.context.spanId, link?.attributes?.[BEFORE]]).toEqual(['b'.repeat(16), 2]);
    runs.began(runOf('c'), undefined);
    expect(spanIdsIn(runs.linksAtStart(undefined))).toEqual(['b']);
    expect(runs.linksAtStart('a replay')).toEqual([]);
  });

  it('name none where it had begun none by then, and where it had begun as many as a schedule does', () => {
    const [quiet, busy] = [new ProcessRuns(), new ProcessRuns()];
    expect(quiet.linksAtStart(undefined)).toEqual([]);
    quiet.began(runOf('a'), undefined);
    expect(quiet.linksAtStart(undefined)).toEqual([]);
    for (let count = 0; count <= RUNS_AT_START_MAX; count += 1) busy.began(runOf('a'), undefined);
    expect(busy.linksAtStart(undefined)).toEqual([]);
  });
});
