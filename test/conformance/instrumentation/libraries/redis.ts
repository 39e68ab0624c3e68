import { redisClient, tool } from '@reenact/instrumentation';
import {
  ClientClosedError,
  createClient,
  type RedisClientOptions,
  SimpleError,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
} from 'redis';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { inTurn } from '../in-turn.ts';
import { MOODS } from '../peers/moody-proxy.ts';
import { REDIS_PROGRAM, startRedisPeer } from './redis-peer.ts';
import { MEMBERS, redisScanCases } from './redis-rows.ts';
import { wrappedByApplication } from './wrapped-by-application.ts';

type Client = ReturnType<typeof createClient>;

/** What the application does to the client it made: puts it behind the gate while it is instrumented. */
let wrap = (client: Client): Client => client;

async function connected({ address }: Peer, options: RedisClientOptions = {}): Promise<Client> {
  const client = wrap(createClient({ url: `redis://${address}`, ...options }) as Client);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Runs an act over a connection of its own. */
function withClient(act: (client: Client) => Promise<unknown>): FidelityAct['run'] {
  return async (peer) => {
    const client = await connected(peer);
    await client.flushAll();
    try {
      return await act(client);
    } finally {
      await client.close();
    }
  };
}

const crossing = (name: string, outcome = 'returned'): string => `database:redis.${name} ${outcome} 0`;

/** Crossings of `withClient` around those of its act. */
function around(...crossings: readonly string[]): string[] {
  return [crossing('connect'), crossing('flushAll'), ...crossings, crossing('close')];
}

const call: FidelityAct = {
  run: withClient(async (client) => ({
    set: await client.set('a', '1', { expiration: { type: 'EX', value: 60 } }),
    found: [await client.get('a'), await client.GET('none')],
    hash: [await client.hSet('h', { x: 1, y: 'z' }), { ...(await client.hGetAll('h')) }],
    wrong: await thrownBy(() => client.incr('h')),
  })),
  shows: {
    set: 'OK',
    found: ['1', null],
    hash: [2, { x: '1', y: 'z' }],
    wrong: { class: SimpleError, message: /^WRONGTYPE/ },
  },
  crossings: around(
    ...['set', 'get', 'GET', 'hSet', 'hGetAll'].map((name) => crossing(name)),
    crossing('incr', 'threw'),
  ),
};

const once = { socket: { reconnectStrategy: false } } as const;

const midStreamError: FidelityAct = {
  run: async (peer) => {
    const client = await connected(peer, { ...once });
    const broken = await thrownBy(() => client.echo(`${MOODS.breaks}, after some bytes`));
    return { broken, after: await thrownBy(() => client.get('a')) };
  },
  shows: {
    broken: { class: SocketClosedUnexpectedlyError, message: 'Socket closed unexpectedly' },
    after: { class: ClientClosedError },
  },
  crossings: [crossing('connect'), crossing('echo', 'threw'), crossing('get', 'threw')],
};

const retry: FidelityAct = {
  run: async (peer) => {
    const seen: unknown[] = [];
    while (seen.length < 2) {
      const client = await connected(peer, { ...once });
      seen.push(await client.echo(MOODS.turnsAway).catch(({ message }: Error) => message));
      client.destroy();
    }
    return seen;
  },
  shows: ['Socket closed unexpectedly', MOODS.turnsAway],
  crossings: [crossing('connect'), crossing('echo', 'threw'), crossing('connect'), crossing('echo')],
};

const timeout: FidelityAct = {
  run: async (peer) => {
    const client = await connected(peer, { socket: { socketTimeout: 50, reconnectStrategy: false } });
    const late = await thrownBy(() => client.get(MOODS.hangs));
    client.destroy();
    return late;
  },
  shows: { class: SocketTimeoutError },
  crossings: [crossing('connect'), crossing('get', 'threw')],
};

const names = ['first', 'second', 'third'] as const;

const reverseParallel: FidelityAct = {
  run: async (peer) => {
    const finished: unknown[] = [];
    const clients: Client[] = [];
    for (const _ of names) clients.push(await connected(peer));
    const ask = async (name: string, index: number): Promise<unknown> => {
      const said = await clients[index]?.echo(`${name} ${MOODS.holdsBack}`);
      finished.push(said?.split(' ')[0]);
      clients[index]?.destroy();
      return said;
    };
    return { answers: await Promise.all(names.map(ask)), finished };
  },
  shows: { answers: names.map((name) => `${name} ${MOODS.holdsBack}`), finished: [...names].reverse() },
  crossings: [...names.map(() => crossing('connect')), ...names.map(() => crossing('echo'))],
};

const nestedTools: FidelityAct = {
  run: withClient((client) => {
    const count = async (key: string): Promise<number> => client.incr(key);
    const inner = tool('inner', count);
    const outer = tool('outer', async (key: string) => [await inner(key), await count(key)]);
    return outer('n');
  }),
  shows: [1, 2],
  crossings: around('tool:outer returned 0', 'tool:inner returned 0', crossing('incr'), crossing('incr')),
};

const doubleIteration: FidelityAct = {
  run: withClient(async (client) => {
    await client.rPush('l', ['a', 'b']);
    const list = await client.lRange('l', 0, -1);
    return { first: [...list], again: [...list] };
  }),
  shows: { first: ['a', 'b'], again: ['a', 'b'] },
  crossings: around(crossing('rPush'), crossing('lRange')),
};

const helpers: FidelityAct = {
  run: withClient(async (client) => {
    const multi = await client.multi().set('b', 2).incr('b').get('b').exec();
    const sent = await client.sendCommand(['GET', 'b']);
    const script = await client.eval('return {KEYS[1], ARGV[1]}', { keys: ['key'], arguments: ['argument'] });
    const scored = [{ score: 2, value: 'two' }];
    const sorted = [await client.zAdd('z', scored), await client.zRangeWithScores('z', 0, -1)];
    const members = await client.sAdd('s', ['x', 'y']);
    return { multi, sent, script, sorted, members };
  }),
  shows: {
    multi: ['OK', 3, '3'],
    sent: '3',
    script: ['key', 'argument'],
    sorted: [1, [{ value: 'two', score: 2 }]],
    members: 2,
  },
  crossings: around(
    ...['exec', 'sendCommand', 'eval', 'zAdd', 'zRangeWithScores', 'sAdd'].map((name) => crossing(name)),
  ),
};

const scans = redisScanCases<Client>({
  withClient,
  around,
  crossings: { fill: 'sAdd', keys: 'scanIterator', members: 'sScanIterator', wrong: 'hScanIterator' },
  fill: (client) => client.sAdd('members', [...MEMBERS]),
  keys: (client) => client.scanIterator(),
  members: (client) => client.sScanIterator('members', { COUNT: 50 }),
  wrong: (client) => client.hScanIterator('members'),
});

/** `redis` (node-redis) behind `redisClient`. */
export const redisFidelity: FidelityLibrary = {
  name: '`redis` (`redisClient`), where `redis-server` is installed',
  program: REDIS_PROGRAM,
  start: startRedisPeer,
  patch: () => {
    const errors = [ClientClosedError, SimpleError, SocketClosedUnexpectedlyError, SocketTimeoutError];
    wrap = (client) => redisClient(client, { errors });
    return () => {
      wrap = (client) => client;
    };
  },
  ...wrappedByApplication,
  cases: {
    call,
    stream: scans.stream,
    abort: scans.abort,
    'mid-stream error': inTurn(midStreamError, scans['mid-stream error']),
    '429 then success': retry,
    timeout,
    'reverse parallel': reverseParallel,
    'nested tools': nestedTools,
    'double iteration': inTurn(doubleIteration, scans['double iteration']),
    tee: scans.tee,
    helpers,
  },
};
