import { ioredisClient, tool } from '@reenact/instrumentation';
import { Redis, type RedisOptions, ReplyError } from 'ioredis';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { inTurn } from '../in-turn.ts';
import { MOODS } from '../peers/moody-proxy.ts';
import { REDIS_PROGRAM, startRedisPeer } from './redis-peer.ts';
import { MEMBERS, redisScanCases } from './redis-rows.ts';
import { wrappedByApplication } from './wrapped-by-application.ts';

type Options = Pick<RedisOptions, 'commandTimeout' | 'maxRetriesPerRequest' | 'retryStrategy'>;

/** What the application connects with: behind the gate while it is instrumented. */
let RedisClass: typeof Redis = Redis;

function connected({ address }: Peer, options: Options = {}): Redis {
  const [host = '', port] = address.split(':');
  const client = new RedisClass(Number(port), host, options);
  client.on('error', () => undefined);
  return client;
}

/** Runs an act over a connection of its own. */
function withClient(act: (client: Redis) => Promise<unknown>, options: Options = {}): FidelityAct['run'] {
  return async (peer) => {
    const client = connected(peer, options);
    await client.flushall();
    try {
      return await act(client);
    } finally {
      await client.quit();
    }
  };
}

const crossing = (name: string, outcome = 'returned'): string => `database:redis.${name} ${outcome} 0`;

/** Crossings of `withClient` around those of its act. */
function around(...crossings: readonly string[]): string[] {
  return [crossing('flushall'), ...crossings, crossing('quit')];
}

/** The driver exports only the parent of the class that it throws: that is what an application can tell. */
async function repliedWith(act: () => unknown): Promise<unknown> {
  const thrown = (await thrownBy(act)) as { readonly class: new () => Error };
  return { ...thrown, isReplyError: thrown.class.prototype instanceof ReplyError, class: thrown.class.name };
}

const call: FidelityAct = {
  run: withClient(async (client) => ({
    set: await client.set('a', '1', 'EX', 60),
    found: [await client.get('a'), await client.get('none'), await client.getBuffer('a')],
    hash: [await client.hset('h', { x: 1, y: 'z' }), await client.hgetall('h')],
    wrong: await repliedWith(() => client.incr('h')),
  })),
  shows: {
    set: 'OK',
    found: ['1', null, Buffer.from('1')],
    hash: [2, { x: '1', y: 'z' }],
    wrong: {
      isReplyError: true,
      class: 'SimpleError',
      name: 'ReplyError',
      message: /^WRONGTYPE/,
      fields: { command: { name: 'incr', args: ['h'] } },
    },
  },
  crossings: around(
    ...['set', 'get', 'get', 'getBuffer', 'hset', 'hgetall'].map((name) => crossing(name)),
    crossing('incr', 'threw'),
  ),
};

const midStreamError: FidelityAct = {
  run: async (peer) => {
    const client = connected(peer, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    const broken = await thrownBy(() => client.echo(`${MOODS.breaks}, after some bytes`));
    return { broken, after: await thrownBy(() => client.get('a')) };
  },
  shows: { broken: { message: 'Connection is closed.' }, after: { message: 'Connection is closed.' } },
  crossings: [crossing('echo', 'threw'), crossing('get', 'threw')],
};

const retry: FidelityAct = {
  run: withClient((client) => client.echo(MOODS.turnsAway), { retryStrategy: () => 1 }),
  shows: MOODS.turnsAway,
  crossings: around(crossing('echo')),
};

const timeout: FidelityAct = {
  run: async (peer) => {
    const client = connected(peer, { commandTimeout: 30 });
    const late = await thrownBy(() => client.get(MOODS.hangs));
    client.disconnect();
    return late;
  },
  shows: { class: Error, message: 'Command timed out' },
  crossings: [crossing('get', 'threw')],
};

const names = ['first', 'second', 'third'] as const;

const reverseParallel: FidelityAct = {
  run: async (peer) => {
    const finished: unknown[] = [];
    const clients: Redis[] = [];
    for (const _ of names) {
      const client = connected(peer);
      await client.ping();
      clients.push(client);
    }
    const ask = async (name: string, index: number): Promise<unknown> => {
      const said = await clients[index]?.echo(`${name} ${MOODS.holdsBack}`);
      finished.push(said?.split(' ')[0]);
      clients[index]?.disconnect();
      return said;
    };
    return { answers: await Promise.all(names.map(ask)), finished };
  },
  shows: { answers: names.map((name) => `${name} ${MOODS.holdsBack}`), finished: [...names].reverse() },
  crossings: ['ping', 'echo'].flatMap((name) => names.map(() => crossing(name))),
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
    await client.rpush('l', 'a', 'b');
    const list = await client.lrange('l', 0, -1);
    return { first: [...list], again: [...list] };
  }),
  shows: { first: ['a', 'b'], again: ['a', 'b'] },
  crossings: around(crossing('rpush'), crossing('lrange')),
};

const helpers: FidelityAct = {
  run: withClient(async (client) => {
    const multi = await client.multi().set('b', 2).incr('b').get('b').exec();
    const pipeline = await client.pipeline().get('b').lpush('b', 1).exec();
    const script = await client.eval('return {KEYS[1], ARGV[1]}', 1, 'key', 'argument');
    const scanned = await client.scan(0, 'COUNT', 100);
    const sorted = [await client.zadd('z', 2, 'two', 1, 'one'), await client.zrange('z', '0', '-1', 'WITHSCORES')];
    const called = await new Promise((resolve) => client.get('b', (error, value) => resolve([error, value])));
    const failures = pipeline?.map(([error]) => error?.message);
    return { multi, failures, script, scanned, sorted, called };
  }),
  shows: {
    multi: [
      [null, 'OK'],
      [null, 3],
      [null, '3'],
    ],
    failures: [undefined, /^WRONGTYPE/],
    script: ['key', 'argument'],
    scanned: ['0', ['b']],
    sorted: [2, ['one', '1', 'two', '2']],
    called: [null, '3'],
  },
  crossings: around(...['exec', 'exec', 'eval', 'scan', 'zadd', 'zrange', 'get'].map((name) => crossing(name))),
};

const scans = redisScanCases<Redis>({
  withClient,
  around,
  crossings: { fill: 'sadd', keys: 'scanStream', members: 'sscanStream', wrong: 'hscanStream' },
  fill: (client) => client.sadd('members', ...MEMBERS),
  keys: (client) => client.scanStream(),
  members: (client) => client.sscanStream('members', { count: 50 }),
  wrong: (client) => client.hscanStream('members'),
});

/** `ioredis` behind `ioredisClient`. */
export const ioredisFidelity: FidelityLibrary = {
  name: '`ioredis` (`ioredisClient`), where `redis-server` is installed',
  program: REDIS_PROGRAM,
  start: startRedisPeer,
  patch: () => {
    RedisClass = ioredisClient(Redis);
    return () => {
      RedisClass = Redis;
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
