import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeTracesJson, fromMap, type PlainValue, type Span } from '@reenact/otlp';
import { ATTR_SESSION_ID } from '@reenact/semconv/core';
import { ReenactError, type ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterEach, describe, expect, it } from 'vitest';
import { fullRun } from '../testdata/full-run.ts';
import type { ReplayOptions } from './replay-options.ts';
import { replaySession } from './replay-session.ts';

interface SpanPlan {
  readonly id: string;
  readonly parent?: string;
  /** Absent on a span that is no crossing. */
  readonly label?: string;
  readonly attributes?: Record<string, PlainValue>;
}

const inChat = { [ATTR_SESSION_ID]: 'chat-1' };

function spanOf(traceId: string, { id, parent, label, attributes = {} }: SpanPlan): Span {
  const [kind = '', name = ''] = label?.split(':') ?? [];
  const crossing = {
    'reenact.schema': '1',
    'reenact.boundary': kind,
    'reenact.name': name,
    'reenact.outcome': 'returned',
  };
  return {
    traceId,
    spanId: id.padStart(16, '0'),
    ...(parent === undefined ? {} : { parentSpanId: parent.padStart(16, '0') }),
    name: label ?? 'request',
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000000000000001',
    attributes: fromMap(Object.entries({ ...(label === undefined ? {} : crossing), ...attributes })),
  };
}

function summaryOf(traceId: string, [root]: readonly SpanPlan[]): RunSummary {
  return fullRun({ traceId, rootSpanId: root?.id.padStart(16, '0') ?? '', name: root?.label ?? 'request' });
}

let server: Server | undefined;

afterEach(() => server?.close());

/** A collector with these traces, the oldest first; gives out one run a page. The oldest waits for its summary for so many questions, another's for ever. */
async function collectorOf(traces: readonly (readonly SpanPlan[])[], lackingAsks: number): Promise<string> {
  let asks = 0;
  const idOf = (index: number): string => String(index + 1).padStart(32, '0');
  const newestFirst = traces.map((spans, index) => summaryOf(idOf(index), spans)).reverse();
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://collector');
    const recorded = traces.findIndex((_, index) => url.pathname.endsWith(idOf(index)));
    if (url.pathname.endsWith('/runs')) {
      const at = Number(url.searchParams.get('cursor') ?? '0');
      asks += 1;
      const known = asks > lackingAsks ? newestFirst : newestFirst.slice(0, -1);
      const isWaitedFor = url.searchParams.get('complete') === 'true' && known !== newestFirst;
      const runs = known.slice(at, at + 1);
      const leadsOn = at + 1 < known.length || isWaitedFor;
      const next = leadsOn ? { nextCursor: String(at + runs.length) } : {};
      response.end(JSON.stringify({ runs, ...next, ...(lackingAsks > 0 ? { unsummarisedRuns: 1 } : {}) }));
    } else if (traces[recorded]?.length === 0) response.writeHead(404).end();
    else {
      const spans = (traces[recorded] ?? []).map((plan) => spanOf(idOf(recorded), plan));
      response.end(encodeTracesJson({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    }
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Outcome {
  readonly exitCode: number;
  readonly printed: string;
  /** On standard error. */
  readonly told: string;
  /** What was asked to be replayed: root span id without leading zeros, and the selectors given to it. */
  readonly replayed: readonly (readonly [rootSpanId: string, asked: readonly unknown[]])[];
}

type Exit = ReplayReport['exitCode'];

/** Replays a conversation with a driver that ends each run as told: an exit code, or an error. */
async function replayed(
  traces: readonly (readonly SpanPlan[])[],
  endings: Readonly<Record<string, Exit | ReenactError>> = {},
  live: string[] = [],
  flags: Partial<ReplayOptions> = {},
  lackingAsks = 0,
): Promise<Outcome> {
  const collector = await collectorOf(traces, lackingAsks);
  const lines: string[] = [];
  const asked: [string, readonly unknown[]][] = [];
  const told: string[] = [];
  const terminal = {
    data: () => undefined,
    out: (text: string) => void lines.push(text),
    err: (text: string) => void told.push(text),
    colour: false,
    columns: 120,
    wraps: false,
  };
  const options: ReplayOptions = {
    live,
    stub: [],
    forbid: [],
    allowHost: [],
    allowPath: [],
    allowProgram: [],
    json: true,
    collector,
    ...flags,
  };
  const exitCode = await replaySession('chat-1', options, terminal, async (rootSpanId, plan) => {
    const id = rootSpanId.replace(/^0+/, '');
    asked.push([id, [plan.live ?? [], plan.edit ?? [], plan.fail ?? []].flat()]);
    const ending = endings[id] ?? 0;
    if (ending instanceof ReenactError) throw ending;
    return { rootSpanId, exitCode: ending } as ReplayReport;
  });
  return { exitCode, printed: lines.join('\n'), told: told.join('\n'), replayed: asked };
}

const turn = (id: string, more: readonly SpanPlan[] = []): SpanPlan[] => [
  { id, label: 'agent:answerer', attributes: inChat },
  ...more,
];

describe('replaying a conversation', () => {
  it('goes through every page, the oldest run first, and gives the worst exit code', async () => {
    const found = await replayed([turn('a'), turn('b'), turn('c')], { b: 3, c: 1 });
    expect(found.replayed.map(([id]) => id)).toEqual(['a', 'b', 'c']);
    expect(found.exitCode).toBe(3);
  });

  it('goes on after a run that cannot be replayed or read, and counts it as 2', async () => {
    const cold = new ReenactError('cold-case', 'It lacks its input.');
    const found = await replayed([turn('a'), [], turn('c')], { a: cold });
    expect(found.exitCode).toBe(2);
    expect(JSON.parse(found.printed)).toMatchObject([
      { exitCode: 2, verdict: 'unusable', error: { code: 'cold-case' } },
      { exitCode: 2, verdict: 'unusable', error: { code: 'collector-refused' } },
      { exitCode: 0 },
    ]);
  });

  it('replays the run inside a request span, and of several runs in one trace those of the conversation', async () => {
    const inside = [
      { id: 'a', attributes: inChat },
      { id: 'b', parent: 'a', label: 'agent:answerer' },
    ];
    const other = [
      { id: 'c' },
      { id: 'd', parent: 'c', label: 'agent:answerer', attributes: inChat },
      { id: 'e', parent: 'c', label: 'agent:answerer' },
    ];
    expect((await replayed([inside, other])).replayed.map(([id]) => id)).toEqual(['b', 'd']);
  });

  it('leaves out replays that carry the id of the conversation', async () => {
    const replay = [{ id: 'b', label: 'agent:answerer', attributes: { ...inChat, 'reenact.replay.id': 'r-1' } }];
    expect((await replayed([turn('a'), replay])).replayed.map(([id]) => id)).toEqual(['a']);
  });

  it('gives each run the selectors that name something there, and refuses those that never do', async () => {
    const withTool = turn('a', [{ id: 'f', parent: 'a', label: 'tool:look_up' }]);
    const found = await replayed([withTool, turn('b')], {}, ['tool:look_up']);
    expect(found.replayed).toEqual([
      ['a', ['tool:look_up']],
      ['b', []],
    ]);
    server?.close();
    await expect(replayed([withTool], {}, ['tool:look_down'])).rejects.toMatchObject({ code: 'bad-plan' });
  });

  it('gives each run the edits and failures that name something there, and says at each which do not', async () => {
    const withTool = turn('a', [{ id: 'f', parent: 'a', label: 'tool:look_up' }]);
    const flags = { edit: ['tool:look_up:$="found"'], fail: ['tool:look_up:timeout'] };
    const found = await replayed([withTool, turn('b')], {}, [], flags);
    expect(found.replayed).toEqual([
      ['a', ['tool:look_up:$="found"', 'tool:look_up:timeout']],
      ['b', []],
    ]);
    const [first, second = ''] = found.told.split('▶ run 2');
    expect(first).not.toContain('look_up');
    expect(second).toContain('names nothing in this run: --edit tool:look_up:$="found"');
    expect(second).toContain('names nothing in this run: --fail tool:look_up:timeout');
  });

  it.each([
    ['names nothing in any run', 'tool:look_down:timeout', '--fail tool:look_down:timeout'],
    ['cannot be read', 'tool:look_up:explode', 'tool:look_up:explode'],
  ])('is refused before anything runs where a failure %s', async (_, fail, where) => {
    const refused = replayed([turn('a'), turn('b')], {}, [], { fail: [fail] });
    await expect(refused).rejects.toMatchObject({ code: 'bad-plan', where });
  });
});

describe('a conversation of which a run waits for its summary', () => {
  it('is replayed whole once it has one, though others still wait', async () => {
    const { replayed: asked } = await replayed([turn('1'), turn('2'), turn('3')], {}, [], {}, 5);
    expect(asked.map(([id]) => id)).toEqual(['1', '2', '3']);
  });

  it('is not replayed where it gets none', async () => {
    const lackingForGood = replayed([turn('1'), turn('2')], {}, [], {}, Number.POSITIVE_INFINITY);
    await expect(lackingForGood).rejects.toMatchObject({ code: 'store-busy' });
  });
});
