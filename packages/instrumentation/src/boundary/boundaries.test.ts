import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_DATA_SOURCE_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_RETRIEVAL_DOCUMENTS,
  ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
} from '@reenact/semconv/gen-ai';
import { isReenactError, ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, boundary, guardrail, retrieval, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

const source = new URL('../testdata/decorated-agent.ts.txt', import.meta.url);
const compiler = new URL('../../../../node_modules/.bin/tsc', import.meta.url).pathname;

interface DecoratedAgent {
  price: number;
  run(symbol: string): Promise<unknown>;
}

type Compiled = { makeAgent(makers: { tool: typeof tool; agent: typeof agent }): new () => DecoratedAgent };

/** Compiles the decorated class with the ordinary TypeScript command line, as a user does. */
async function compile(folder: string): Promise<Compiled> {
  const file = join(folder, 'decorated-agent.mts');
  await writeFile(file, await readFile(source, 'utf8'));
  const options = ['--target', 'ES2022', '--module', 'NodeNext', '--strict'];
  await promisify(execFile)(process.execPath, [compiler, ...options, file], { cwd: folder });
  return import(/* @vite-ignore */ pathToFileURL(join(folder, 'decorated-agent.mjs')).href) as Promise<Compiled>;
}

describe('decorated methods', () => {
  it('cross boundaries with their own this, static and private ones included', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reenact-decorators-'));
    try {
      const { makeAgent } = await compile(folder);
      const Agent = makeAgent({ tool, agent });
      const decorated = Object.assign(new Agent(), { price: 12 });
      expect(await decorated.run('ACME')).toEqual(['ACME costs 12', 'static ok', 'private ok']);
    } finally {
      await rm(folder, { recursive: true });
    }
    const spans = await host.recorded();
    expect(spans.map(({ attributes }) => attributes['reenact.name']).toSorted()).toEqual([
      'get_quote',
      'hidden',
      'shared',
      'trader',
    ]);
    const quote = spans.find(({ attributes }) => attributes['reenact.name'] === 'get_quote');
    expect(quote?.attributes).toMatchObject({ 'reenact.effect': 'read', 'reenact.input': '["ACME"]' });
  });

  it('are typed: the options know the arguments of the method', async () => {
    class Desk {
      readonly limit = 10;

      quote(symbol: string): string {
        return `${symbol} up to ${this.limit}`;
      }
    }
    const original = Desk.prototype.quote;
    const context: ClassMethodDecoratorContext<Desk, typeof original> = {
      kind: 'method',
      name: 'quote',
      static: false,
      private: false,
      metadata: {},
      access: { has: (desk) => 'quote' in desk, get: (desk) => desk.quote },
      addInitializer: () => {},
    };
    Desk.prototype.quote = tool('quote', { toolCallId: (symbol: string) => `call_${symbol}` })(original, context);
    expect(new Desk().quote('ACME')).toBe('ACME up to 10');
    const span = await host.recordedAs('execute_tool quote');
    expect(span.attributes[ATTR_GEN_AI_TOOL_CALL_ID]).toBe('call_ACME');
  });

  it('are told apart from legacy decorators and from fields', () => {
    const decorate = tool('x') as (...parameters: unknown[]) => unknown;
    const misuse = [
      [{}, 'method', { value: () => 1 }],
      [undefined, { kind: 'field', name: 'x' }],
      [class {}, { kind: 'class', name: 'X' }],
    ];
    for (const parameters of misuse) {
      expect(() => decorate(...parameters)).toThrow(ReenactError);
    }
  });

  it('need a name', () => {
    const nameless: unknown[] = [];
    try {
      tool('', () => 1);
    } catch (error) {
      nameless.push(isReenactError(error) && error.code);
    }
    expect(nameless).toEqual(['bad-argument']);
  });
});

describe('what is made a boundary', () => {
  it.each([
    ['a number', [5]],
    ['a text', ['quote']],
    ['null', [null]],
    ['a list', [[]]],
    ['a promise', [Promise.resolve()]],
    ['a function that is not there, with options', [undefined, { effect: 'read' }]],
  ])(
    'need a function or options, and refuse %s at once: what they gave would be a decorator that nobody calls',
    (_, rest) => {
      const make = tool as unknown as (name: string, ...rest: unknown[]) => unknown;
      expect(() => make('bad', ...rest)).toThrow(expect.objectContaining({ code: 'bad-argument', where: 'tool:bad' }));
    },
  );
});

describe('the span of each kind', () => {
  it('is named and described by the conventions, or by its kind where they have no operation', async () => {
    retrieval('policies', (query: { query: string }) => [{ id: 'p1', score: 0.5, text: query.query }])({
      query: 'limits',
    });
    guardrail('order-size', (_order: object) => ({ allowed: true }))({ shares: 1000 });
    agent('trader', () => 'done')();
    boundary('embedding', 'openai.embeddings', () => [0.1])();
    boundary('mcp', 'files/read_file', (path: string) => path)('/a');
    boundary('approval', 'desk', () => true)();
    const spans = new Map((await host.recorded()).map((span) => [span.name, span]));
    expect([...spans.keys()]).toEqual([
      'retrieval policies',
      'guardrail order-size',
      'invoke_agent trader',
      'embeddings openai.embeddings',
      'tools/call read_file',
      'approval desk',
    ]);
    expect(spans.get('retrieval policies')?.attributes).toMatchObject({
      [ATTR_GEN_AI_DATA_SOURCE_ID]: 'policies',
      [ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT]: 'limits',
      [ATTR_GEN_AI_RETRIEVAL_DOCUMENTS]: '[{"id":"p1","score":0.5,"text":"limits"}]',
      'reenact.effect': 'read',
    });
    expect(spans.get('guardrail order-size')?.attributes[ATTR_GEN_AI_OPERATION_NAME]).toBeUndefined();
    expect(spans.get('invoke_agent trader')?.attributes[ATTR_GEN_AI_AGENT_NAME]).toBe('trader');
    expect(spans.get('tools/call read_file')?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      [ATTR_GEN_AI_TOOL_NAME]: 'read_file',
    });
  });

  it('lists arguments that are not one object, and wraps results that are none, in plain JSON', async () => {
    tool('place', (_side: string, _when: Date) => new Map([['id', 7n]]))('buy', new Date(0));
    const sets = tool('stream', function* () {
      yield new Set([1]);
    });
    expect([...sets()]).toHaveLength(1);
    const place = await host.recordedAs('execute_tool place');
    expect(place.attributes[ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]).toBe('{"arguments":["buy","1970-01-01T00:00:00.000Z"]}');
    expect(place.attributes[ATTR_GEN_AI_TOOL_CALL_RESULT]).toBe('{"result":[["id","7"]]}');
    const stream = await host.recordedAs('execute_tool stream');
    expect(stream.attributes[ATTR_GEN_AI_TOOL_CALL_RESULT]).toBe('{"chunks":[[1]]}');
  });
});
