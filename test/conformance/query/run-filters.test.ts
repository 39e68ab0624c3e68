import type { RunningCollector } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { ATTR_ERROR_TYPE, ATTR_SESSION_ID, ATTR_USER_ID } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_RESPONSE_MODEL,
} from '@reenact/semconv/gen-ai';
import {
  API_OPERATIONS,
  type ApiOperation,
  type RunQuery,
  runQuerySchema,
  writeParameters,
} from '@reenact/trace-model/collector-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

const testbed = new Testbed();
let collector: RunningCollector;

const MODEL_CALL = {
  [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
  [ATTR_GEN_AI_PROVIDER_NAME]: 'acme',
  [ATTR_GEN_AI_RESPONSE_MODEL]: 'm-1',
};
const WHO = {
  [ATTR_SESSION_ID]: 's-1',
  [ATTR_GEN_AI_CONVERSATION_ID]: 'c-1',
  [ATTR_USER_ID]: 'ada',
  'reenact.tenant': 'north',
};
const REPLAY = { 'reenact.replay.id': 'r-1', 'reenact.mode': 'stub' };
const link = { traceId: traceIdOf(1), spanId: spanIdOf(10) };

/** Run 1 says everything; 2 failed; 3 is a replay of 1, 4 a fork of it; 5 cannot be replayed. */
beforeAll(async () => {
  collector = await testbed.start();
  const { httpUrl } = collector;
  await send(httpUrl, [
    crossingSpan({
      trace: 1,
      span: 10,
      kind: 'agent',
      name: 'trader',
      attributes: { ...WHO, 'reenact.keep': 'incident 7' },
    }),
    crossingSpan({ trace: 1, span: 11, parent: 10, kind: 'model', name: 'acme.chat', attributes: MODEL_CALL }),
    crossingSpan({ trace: 1, span: 12, parent: 10, input: ['sell the zebra'] }),
  ]);
  const failed = { status: { code: 2 as const, message: 'the broker hung up' } };
  const error = { [ATTR_ERROR_TYPE]: 'BrokerError' };
  await send(httpUrl, [crossingSpan({ trace: 2, span: 20, atSecond: 100, members: failed })], 'bank');
  await send(httpUrl, [crossingSpan({ trace: 2, span: 21, parent: 20, atSecond: 100, attributes: error })], 'bank');
  await send(httpUrl, [
    crossingSpan({ trace: 3, span: 30, atSecond: 200, attributes: REPLAY, members: { links: [link] } }),
  ]);
  const fork = { ...REPLAY, 'reenact.fork.of.trace': link.traceId, 'reenact.fork.of.span': link.spanId };
  await send(httpUrl, [
    crossingSpan({ trace: 4, span: 40, atSecond: 300, attributes: fork, members: { links: [link] } }),
  ]);
  await send(httpUrl, [
    crossingSpan({ trace: 5, span: 50, atSecond: 400, name: 'cold', attributes: { 'reenact.output': '' } }),
  ]);
});
afterAll(() => testbed.dispose());

/** Numbers of the runs that pass, newest first. */
async function numbersOf(query: RunQuery): Promise<number[]> {
  const { runs } = await createCollectorClient({ url: collector.httpUrl }).listRuns(query);
  return runs.map(({ traceId }) => Number.parseInt(traceId.slice(1), 16));
}

const EXAMPLES: { readonly [Name in Exclude<keyof RunQuery, 'cursor'>]-?: readonly (readonly [RunQuery, number[]])[] } =
  {
    trace: [[{ trace: traceIdOf(3).toUpperCase() }, [3]]],
    span: [
      [{ span: spanIdOf(12) }, [1]],
      [{ span: spanIdOf(99) }, []],
    ],
    since: [
      [{ since: new Date((1_763_700_000 + 100) * 1000).toISOString() }, [5, 4, 2]],
      [{ since: '0001-01-01T00:00:00Z' }, [5, 4, 2, 1]],
      [{ since: '9999-12-31T23:59:59Z' }, []],
    ],
    until: [
      [{ until: new Date((1_763_700_000 + 100) * 1000).toISOString() }, [1]],
      [{ until: '0001-01-01T00:00:00Z' }, []],
      [{ until: '9999-12-31T23:59:59Z' }, [5, 4, 2, 1]],
    ],
    service: [[{ service: 'bank' }, [2]]],
    agent: [[{ agent: 'trader' }, [1]]],
    model: [[{ model: 'm-1' }, [1]]],
    provider: [[{ provider: 'acme' }, [1]]],
    operation: [[{ operation: 'chat' }, [1]]],
    tool: [[{ tool: 'quote' }, [4, 2, 1]]],
    kind: [[{ kind: 'model' }, [1]]],
    name: [
      [{ name: 'acme.chat' }, [1]],
      [{ name: 'acme.chat', kind: 'tool' }, []],
    ],
    status: [[{ status: 'error' }, [2]]],
    errorType: [[{ errorType: 'BrokerError' }, [2]]],
    session: [
      [{ session: 's-1' }, [1]],
      [{ session: 'c-1' }, [1]],
    ],
    conversation: [
      [{ conversation: 'c-1' }, [1]],
      [{ conversation: 's-1' }, []],
    ],
    user: [[{ user: 'ada' }, [1]]],
    tenant: [[{ tenant: 'north' }, [1]]],
    replayability: [[{ replayability: 'cold' }, [5]]],
    missing: [[{ missing: 'damaged' }, [5]]],
    text: [
      [{ text: 'zebra' }, [1]],
      [{ text: 'zebra', service: 'bank' }, []],
    ],
    kept: [
      [{ kept: true }, [1]],
      [{ kept: false }, [5, 4, 2]],
    ],
    hasReplays: [
      [{ hasReplays: true }, [1]],
      [{ hasReplays: false }, [5, 4, 2]],
    ],
    hasForks: [
      [{ hasForks: true }, [1]],
      [{ hasForks: false }, [5, 4, 2]],
    ],
    replay: [[{ replay: 'r-1' }, [4, 3]]],
    replayOf: [[{ replayOf: traceIdOf(1) }, [3]]],
    forkOf: [[{ forkOf: traceIdOf(1) }, [4]]],
    replays: [
      [{ replays: 'exclude' }, [5, 4, 2, 1]],
      [{ replays: 'include' }, [5, 4, 3, 2, 1]],
      [{ replays: 'only' }, [3]],
      [{ replays: 'exclude', trace: traceIdOf(3) }, []],
    ],
    limit: [[{ limit: 2 }, [5, 4]]],
    complete: [[{ complete: true }, [5, 4, 2, 1]]],
  };

describe('filters of runs', () => {
  it('has an example for every parameter that is documented', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(
      Object.keys(runQuerySchema.shape)
        .filter((name) => name !== 'cursor')
        .toSorted(),
    );
  });

  it.each(Object.values(EXAMPLES).flat())('%j finds the runs %j', async (query, numbers) => {
    expect(await numbersOf(query)).toEqual(numbers);
  });

  it('says of a run where it comes from, what came of it, and for whom it was', async () => {
    const { runs } = await createCollectorClient({ url: collector.httpUrl }).listRuns({ replays: 'include' });
    const byNumber = new Map(runs.map((run) => [Number.parseInt(run.traceId.slice(1), 16), run]));
    expect(byNumber.get(1)).toMatchObject({ origin: 'recorded', replays: 1, forks: 1, kept: 'incident 7' });
    expect(byNumber.get(1)).toMatchObject({ users: ['ada'], tenants: ['north'], sessions: ['c-1', 's-1'] });
    expect(byNumber.get(3)).toMatchObject({ origin: 'replay', replayId: 'r-1', replayOf: traceIdOf(1) });
    expect(byNumber.get(4)).toMatchObject({ origin: 'fork', forkOf: { traceId: traceIdOf(1), spanId: spanIdOf(10) } });
    expect(byNumber.get(2)).toMatchObject({ errorTypes: ['BrokerError'] });
    expect(byNumber.get(2)?.replays).toBeUndefined();
  });
});

const json = Object.entries<ApiOperation>(API_OPERATIONS).filter(
  ([, { answerType }]) => answerType === 'application/json',
);

describe('every question of the API', () => {
  const pathOf = ({ path, idOf }: ApiOperation) => {
    const id = idOf === 'span' ? spanIdOf(10) : traceIdOf(1);
    return `${collector.httpUrl}/api/v1${path}${path.endsWith('/') ? id : ''}`;
  };
  const examples: Readonly<Record<string, string>> = { text: 'zebra', left: traceIdOf(1), right: traceIdOf(4) };
  const needed = ({ parameters }: ApiOperation) => {
    const names = Object.entries(parameters.shape).filter(([, type]) => !type.safeParse(undefined).success);
    return writeParameters(Object.fromEntries(names.map(([name]) => [name, examples[name]])));
  };

  it.each(json)('%s is answered as its schema says, and refuses what it does not know', async (_id, operation) => {
    const answered = await fetch(`${pathOf(operation)}?${needed(operation)}`);
    expect(answered.status).toBe(200);
    operation.answer.parse(await answered.json());
    const refused = await fetch(`${pathOf(operation)}?${needed(operation)}&colour=red`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: 'bad-request', message: expect.stringContaining('colour') },
    });
  });

  it('never fails on a value, whatever it is: it takes it or says that it cannot', async () => {
    const lists = json.filter(([, { path }]) => !path.endsWith('/'));
    const question = fc.constantFrom(...lists.map(([, operation]) => operation)).chain((operation) => {
      const names = Object.keys(operation.parameters.shape);
      const value = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('true', '1', '"', '*', '" AND "', 'a*', '-1'),
      );
      const pairs = fc.array(fc.tuple(fc.constantFrom(...names, 'colour'), value), { maxLength: 3 });
      return fc.tuple(fc.constant(operation), pairs);
    });
    await fc.assert(
      fc.asyncProperty(question, async ([operation, pairs]) => {
        const response = await fetch(`${pathOf(operation)}?${new URLSearchParams(pairs)}`);
        expect([200, 400]).toContain(response.status);
        expect(await response.json()).toBeTypeOf('object');
      }),
      { numRuns: 150 },
    );
  });

  it('refuses a parameter that is given twice', async () => {
    expect((await fetch(`${collector.httpUrl}/api/v1/runs?service=a&service=b`)).status).toBe(400);
  });
});
