import type { DivergenceKind } from '@reenact/trace-model';
import { type DeskInputs, deskTools, unchanged } from './desk.ts';
import type { DeskReplayOptions } from './desk-stage.ts';

/** One thing that is different in a replay, and what must be reported about it first. */
export interface Mutation {
  readonly name: string;
  readonly change: Pick<DeskReplayOptions, 'change' | 'prompt' | 'allows' | 'live'>;
  readonly kind: DivergenceKind;
  /** Path of the crossing below the run; absent: the run itself. */
  readonly path?: string;
  /** JSON paths of what differs; absent where the kind has none. */
  readonly at?: readonly string[];
}

type HttpInputs = DeskInputs['http'];

function query(name: string, member: string, value: unknown, at = `$[0].${member}`): Mutation {
  const change = { query: { ...unchanged.query, [member]: value } };
  return { name, change: { change }, kind: 'input-changed', path: 'retrieval:policies', at: [at] };
}

function request(name: string, given: Record<string, unknown>, at: string): Mutation {
  const change = { request: { ...unchanged.request, ...given } };
  return { name, change: { change }, kind: 'input-changed', path: 'model:openai.chat', at: [at] };
}

function http(name: string, given: Partial<HttpInputs>, at: string): Mutation {
  const change = { http: { ...unchanged.http, ...given } };
  return { name, change: { change }, kind: 'input-changed', path: 'http:POST', at: [at] };
}

function tools(name: string, given: readonly object[], at: string): Mutation {
  return {
    name,
    change: { change: { tools: given } },
    kind: 'schema-changed',
    path: 'model:openai.chat',
    at: [at],
  };
}

function without(member: string): Mutation {
  const { [member]: _taken, ...rest } = unchanged.query;
  return {
    name: `a member is missing instead of ${String(unchanged.query[member])}`,
    change: { change: { query: rest } },
    kind: 'input-changed',
    path: 'retrieval:policies',
    at: [`$[0].${member}`],
  };
}

const [quoteTool = {}, orderTool = {}] = deskTools;

const types: readonly Mutation[] = [
  query('42 becomes "42"', 'limit', '5'),
  query('an integer becomes a fraction', 'limit', 5.5),
  query('a number becomes a bigint', 'limit', 5n),
  query('a bigint becomes a number', 'account', Number(unchanged.query.account)),
  query('a bigint is another in its last digit', 'account', 12345678901234567891n, '$[0].account'),
  query('0 becomes -0', 'offset', -0),
  query('0 becomes false', 'offset', false),
  query('0 becomes NaN', 'offset', Number.NaN),
  query('null becomes undefined', 'filter', undefined),
  query('null becomes an empty object', 'filter', {}),
  query('null becomes "null"', 'filter', 'null'),
  without('filter'),
  query('a member is there that was missing', 'added', undefined),
  query('a Date becomes its text', 'after', '2026-09-01T00:00:00.000Z'),
  query('a Date is a millisecond later', 'after', new Date('2026-09-01T00:00:00.001Z'), '$[0].after'),
  query('an array becomes a Set', 'tags', new Set(['policy', 'orders'])),
  query('a Map becomes an object', 'weights', { title: 2 }),
  query('a Map holds another value', 'weights', new Map([['title', 3]]), '$[0].weights.entries[0][1]'),
  query('a Map has a number for a key', 'weights', new Map([[1, 2]]), '$[0].weights.entries[0][0]'),
  query('a Buffer becomes a Uint8Array', 'key', new Uint8Array(Buffer.from('key')), '$[0].key.class'),
  query('a Buffer becomes text', 'key', 'key'),
  query('a RegExp loses its flag', 'pattern', /order/, '$[0].pattern.flags'),
  query('a RegExp becomes text', 'pattern', '/order/i'),
  query('a URL becomes text', 'source', 'https://policies.test/a'),
];

const argumentsChanged: readonly Mutation[] = [
  query('a text differs in one letter', 'text', 'fractional order'),
  query('a text has a space at its end', 'text', 'fractional orders '),
  query('a text is written with other code points', 'text', 'fractionál orders'.normalize('NFD')),
  query('a value far down differs', 'nested', { deep: { value: 2 } }, '$[0].nested.deep.value'),
  query('a member of an object is renamed', 'nested', { deep: { other: 1 } }, '$[0].nested.deep.value'),
  query('an array is in another order', 'tags', ['orders', 'policy'], '$[0].tags[0]'),
  query('an array is longer', 'tags', ['policy', 'orders', 'more'], '$[0].tags[2]'),
  query('an array has a hole', 'tags', ['policy', undefined], '$[0].tags[1]'),
  {
    name: 'an argument is missing',
    change: { change: { filesArguments: [{ path: 'rules.md' }] } },
    kind: 'input-changed',
    path: 'mcp:files/read',
    at: ['$[1]'],
  },
  {
    name: 'an argument is added',
    change: { change: { filesArguments: [{ path: 'rules.md' }, 10, undefined] } },
    kind: 'input-changed',
    path: 'mcp:files/read',
    at: ['$[2]'],
  },
  {
    name: 'the arguments change places',
    change: { change: { filesArguments: [10, { path: 'rules.md' }] } },
    kind: 'input-changed',
    path: 'mcp:files/read',
    at: ['$[0]', '$[1]'],
  },
  {
    name: 'one of the parallel calls asks for something else',
    change: { change: { quotes: [{ symbol: 'ACME' }, { symbol: 'ACMF' }, { symbol: 'ACME' }] } },
    kind: 'input-changed',
    path: 'tool:get_quote#2',
    at: ['$[0].symbol'],
  },
  {
    name: 'one of the equal parallel calls asks for something else',
    change: { change: { quotes: [{ symbol: 'ACME' }, { symbol: 'INIT' }, { symbol: 'ACMF' }] } },
    kind: 'input-changed',
    path: 'tool:get_quote#3',
    at: ['$[0].symbol'],
  },
  {
    name: 'a nested agent is asked something else',
    change: { change: { analyst: ['ACME', { horizon: 31 }] } },
    kind: 'input-changed',
    path: 'agent:analyst',
    at: ['$[1].horizon'],
  },
  {
    name: 'a tool of a nested agent is asked something else',
    change: { change: { risk: ['ACME', 0.25] } },
    kind: 'input-changed',
    path: 'agent:analyst/tool:risk',
    at: ['$[1]'],
  },
  {
    name: 'a write with the recorded tool call id orders something else',
    change: {
      change: { order: { ...unchanged.order, shares: 5 } },
    },
    kind: 'input-changed',
    path: 'tool:place_order',
    at: ['$[0].shares'],
  },
];

const prompts: readonly Mutation[] = [
  {
    name: 'the file with the prompt says something else',
    change: { prompt: 'You trade.' },
    kind: 'input-changed',
    path: 'model:openai.chat',
    at: ['$.messages[0].content'],
  },
  {
    name: 'a message has another role',
    change: { change: { messages: [{ role: 'developer', content: 'Sell $1,000 worth.' }] } },
    kind: 'input-changed',
    path: 'model:openai.chat',
    at: ['$.messages[1].role'],
  },
  {
    name: 'a message is text in parts',
    change: { change: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Sell $1,000 worth.' }] }] } },
    kind: 'input-changed',
    path: 'model:openai.chat',
    at: ['$.messages[1].content'],
  },
  request('another model', { model: 'gpt-5' }, '$.model'),
  request('another temperature', { temperature: 0.1 }, '$.temperature'),
  request('another seed', { seed: 8 }, '$.seed'),
  request('no seed', { seed: undefined }, '$.seed'),
  request('fewer tokens', { max_completion_tokens: 499 }, '$.max_completion_tokens'),
  request('a stop word', { stop: ['.'] }, '$.stop'),
  request('a format for the answer', { response_format: { type: 'json_object' } }, '$.response_format'),
  request('more reasoning', { reasoning_effort: 'high' }, '$.reasoning_effort'),
  request('a wordier answer', { verbosity: 'high' }, '$.verbosity'),
  request('a predicted answer', { prediction: { type: 'content', content: 'Sell.' } }, '$.prediction'),
  request('a search of the web', { web_search_options: {} }, '$.web_search_options'),
  request('a parameter that nobody knows yet', { imagination: 'high' }, '$.imagination'),
  request('an answer that is spoken', { audio: { format: 'mp3', voice: 'alloy' } }, '$.audio'),
];

const toolSchemas: readonly Mutation[] = [
  tools(
    'a tool is described differently',
    [quoteTool, withFunction(orderTool, { description: 'Buys.' })],
    '$.tools.place_order.function.description',
  ),
  tools(
    'a parameter has another type',
    [
      withFunction(quoteTool, { parameters: { type: 'object', properties: { symbol: { type: 'integer' } } } }),
      orderTool,
    ],
    '$.tools.get_quote.function.parameters.properties.symbol.type',
  ),
  tools('a tool is added', [...deskTools, withFunction(quoteTool, { name: 'get_news' })], '$.tools.get_news'),
  tools('a tool is taken away', [quoteTool], '$.tools.place_order'),
  tools('the tools are in another order', [orderTool, quoteTool], '$.tools[0].function.name'),
];

function withFunction(schema: object, given: object): object {
  const { function: described } = schema as { function: object };
  return { ...schema, function: { ...described, ...given } };
}

const requests: readonly Mutation[] = [
  http('another query of a URL', { path: '/prices?day=2' }, '$.url'),
  http('another path', { path: '/price?day=1' }, '$.url'),
  http('a number in a body becomes text', { body: { symbols: ['ACME'], limit: '3' } }, '$.body.json.limit'),
  http('a member of a body is missing', { body: { symbols: ['ACME'] } }, '$.body.json.limit'),
  http('another content type', { headers: { 'content-type': 'text/plain' } }, '$.contentType'),
  http('a header', { headers: { ...unchanged.http.headers, 'x-tenant': 'two' } }, '$.headers["x-tenant"]'),
  http('a header that is missing', { headers: { accept: 'application/json' } }, '$.headers["x-tenant"]'),
  http(
    'a header that is added',
    { headers: { ...unchanged.http.headers, 'if-match': '"1"' } },
    '$.headers["if-match"]',
  ),
  {
    name: 'another method',
    change: { change: { http: { ...unchanged.http, method: 'PUT' } } },
    kind: 'never-recorded',
    path: 'http:PUT',
  },
];

const order: readonly Mutation[] = [
  {
    name: 'two steps change places',
    change: { change: { steps: ['files', 'search', ...unchanged.steps.slice(2)] } },
    kind: 'reordered',
    path: 'retrieval:policies',
  },
  {
    name: 'a step is left out',
    change: { change: { steps: unchanged.steps.filter((step) => step !== 'files') } },
    kind: 'unconsumed',
    path: 'mcp:files/read',
  },
  {
    name: 'a step is done twice',
    change: { change: { steps: [...unchanged.steps, 'files'] } },
    kind: 'exhausted',
    path: 'mcp:files/read#2',
  },
  {
    name: 'one parallel call more',
    change: { change: { quotes: [...unchanged.quotes, { symbol: 'ACME' }] } },
    kind: 'exhausted',
    path: 'tool:get_quote#4',
  },
  {
    name: 'one parallel call less',
    change: { change: { quotes: unchanged.quotes.slice(0, 2) } },
    kind: 'unconsumed',
    path: 'tool:get_quote#3',
  },
  {
    name: 'a call is made by the nested agent instead',
    change: { change: { steps: unchanged.steps.filter((step) => step !== 'files'), analystReads: true } },
    kind: 'moved',
    path: 'agent:analyst/mcp:files/read',
  },
];

const outcomes: readonly Mutation[] = [
  {
    name: 'the run gives something else',
    change: { change: { ends: ({ said }) => ({ said, done: 1 }) } },
    kind: 'outcome-changed',
    at: ['$.done'],
  },
  {
    name: 'the run gives nothing',
    change: { change: { ends: () => undefined } },
    kind: 'outcome-changed',
  },
  {
    name: 'the run throws',
    change: {
      change: {
        ends: () => {
          throw new RangeError('too many shares');
        },
      },
    },
    kind: 'outcome-changed',
  },
  {
    name: 'a guardrail that runs again says something else',
    change: { allows: false, live: ['guardrail:limit'] },
    kind: 'output-changed',
    path: 'guardrail:limit',
    at: ['$.allowed'],
  },
];

/** Every mutation of the agent, by what it changes. */
export const mutations: Readonly<Record<string, readonly Mutation[]>> = {
  types,
  arguments: argumentsChanged,
  prompts,
  'tool schemas': toolSchemas,
  requests,
  order,
  outcomes,
};
