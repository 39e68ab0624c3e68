import { createClient, createClientPool, ErrorReply, type RedisArgument, WatchError } from 'redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, redisClient } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { hasRedisServer, RedisServer } from '../../testdata/redis-server.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
let server: RedisServer | undefined;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(async () => {
  await server?.stop();
  await host.stop();
});

async function bothRuns(work: (path: string) => Promise<unknown>): Promise<unknown> {
  const own = await RedisServer.start();
  server = own;
  const run = agent('run', () => work(own.url));
  const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => own.stop() });
  expect(replayed).toStrictEqual(recorded);
  expect(player.refusals).toEqual([]);
  return recorded;
}

const poolOf = (path: string, maximum: number) =>
  redisClient(createClientPool({ socket: { path, tls: false } }, { minimum: 1, maximum }));

/** A client of the pool's is watched, changed by another and asked for a transaction. */
async function watched(path: string): Promise<unknown> {
  const pool = poolOf(path, 2);
  await pool.connect();
  const failed = await pool
    .execute(async (client) => {
      await client.watch('stock');
      await pool.set('stock', '7');
      return client.multi().decr('stock').exec();
    })
    .catch((error: unknown) => error instanceof WatchError);
  const sold = await pool.execute(async (client) => {
    await client.watch('stock');
    return [await client.get('stock'), await client.multi().decr('stock').exec()];
  });
  await pool.close();
  return [failed, sold, pool.isOpen];
}

/** More pieces of work than clients: most wait for one, and are begun where another one was given back. */
async function waiting(path: string): Promise<unknown> {
  const pool = poolOf(path, 1);
  await pool.connect();
  const work = ['a', 'b', 'c'].map((key) => pool.execute(async (client) => [key, await client.set(key, key)]));
  const done = await Promise.all(work);
  await pool.close();
  return [done, await pool.execute(async () => 'never').catch((error: Error) => error.constructor.name)];
}

const LIBRARY = `#!lua name=shop
redis.register_function('raise', function(keys, args) return redis.call('INCRBY', keys[1], args[1]) end)`;

const raise = {
  NUMBER_OF_KEYS: 1,
  parseCommand(parser: { pushKey(key: RedisArgument): void; push(value: string): void }, key: string, by: number) {
    parser.pushKey(key);
    parser.push(String(by));
  },
  transformReply: (reply: unknown) => reply as number,
};

/** Functions and modules are members of a transaction, as they are of a client. */
async function raised(path: string): Promise<unknown> {
  const client = redisClient(createClient({ socket: { path, tls: false }, functions: { shop: { raise } } }));
  await client.connect();
  await client.functionLoad(LIBRARY);
  const sums = await client.multi().shop.raise('n', 2).set('other', '1').shop.raise('n', 3).exec();
  const failed = await client
    .multi()
    .json.set('document', '$', { a: 1 })
    .json.get('document')
    .exec()
    .catch((error: unknown) => error instanceof ErrorReply && error.message.slice(0, 19));
  await client.close();
  return [sums, failed];
}

describe.runIf(hasRedisServer())('a pool of redis', () => {
  it('gives code a client whose commands are crossings, and gives it again in a replay', async () => {
    expect(await bothRuns(watched)).toEqual({ value: [true, ['7', [6]], false] });
  });

  it('says in a replay, too, that it is closed; what waits for a client keeps its place in the run', async () => {
    const done = ['a', 'b', 'c'].map((key) => [key, 'OK']);
    expect(await bothRuns(waiting)).toEqual({ value: [done, 'ClientClosedError'] });
    const spans = (await host.recorded()).filter((span) => /redis\.(?:set|acquire)/.test(crossingOf(span).name));
    expect(spans).toHaveLength(7);
    const root = (await host.recorded()).find(({ name }) => name.includes('run'))?.spanContext().spanId;
    expect(new Set(spans.map(({ parentSpanContext }) => parentSpanContext?.spanId))).toEqual(new Set([root]));
  });
});

/** A replay in which some commands run live, against the server as the recording left it; `begun`: how often the host's work began in it. */
async function partlyLive(live: readonly string[]) {
  const own = await RedisServer.start();
  server = own;
  let begun = 0;
  const run = agent('run', async () => {
    const pool = poolOf(own.url, 2);
    await pool.connect();
    try {
      return await pool.execute(async (client) => {
        begun += 1;
        return [await client.incr('stock'), await client.get('stock')];
      });
    } finally {
      await pool.close();
    }
  });
  const between = async (): Promise<void> => {
    begun = 0;
    const other = await createClient({ socket: { path: own.url, tls: false } }).connect();
    await other.set('stock', '40');
    await other.close();
  };
  const { replayed } = await recordAndReplay(host, run, { live, between });
  const other = await createClient({ socket: { path: own.url, tls: false } }).connect();
  const stock = await other.get('stock');
  await other.close();
  return { replayed, begun, stock };
}

describe.runIf(hasRedisServer())('a pool of redis in a replay in which some commands run live', () => {
  it.each([[['redis.connect', 'redis.get']], [['redis.get']]])(
    'refuses %j where no client was acquired live, and runs nothing else for it',
    async (live) => {
      const { replayed, begun, stock } = await partlyLive(live);
      expect({ begun, stock }).toEqual({ begun: 1, stock: '40' });
      expect(replayed).toMatchObject({
        error: { code: 'replay-refused', next: 'Run database:redis.acquire live, too.' },
      });
    },
  );

  it('asks a client that was acquired live, and answers the rest', async () => {
    const { replayed, begun, stock } = await partlyLive(['redis.connect', 'redis.acquire', 'redis.get']);
    expect(replayed).toEqual({ value: [1, '40'] });
    expect({ begun, stock }).toEqual({ begun: 1, stock: '40' });
  });
});

/** What a transaction says of a module that it has, without a server. */
function saidOfModule(client: ReturnType<typeof createClient>): unknown {
  const json: object = client.multi().json;
  const call = (key: string): unknown => {
    try {
      return Reflect.apply(Reflect.get(json, key) as () => unknown, json, []);
    } catch (error) {
      return [(error as Error).constructor.name, key in json];
    }
  };
  const kinds = ['get', 'GET', 'nope', 'toString', 'constructor'].map((key) => [key, typeof Reflect.get(json, key)]);
  const [first, second] = ['get', 'get'].map((key): unknown => Reflect.get(json, key));
  return [
    kinds,
    'get' in json,
    Object.keys(json),
    Object.getPrototypeOf(json),
    first === second,
    call('nope'),
    call('toString'),
  ];
}

describe('a module of a transaction of redis', () => {
  it('has the members that it has without us, while a run is recorded and outside of one', () => {
    const said = saidOfModule(createClient());
    expect(saidOfModule(redisClient(createClient()))).toEqual(said);
    expect(agent('run', () => saidOfModule(redisClient(createClient())))()).toEqual(said);
  });
});

describe.runIf(hasRedisServer())('a transaction of redis', () => {
  it('is recorded with the functions and modules that it calls', async () => {
    expect(await bothRuns(raised)).toEqual({ value: [[2, 'OK', 5], 'ERR unknown command'] });
    const sent = (await host.recorded()).map(crossingOf).filter(({ name }) => name === 'redis.exec');
    expect(sent.map(({ input }) => input?.data)).toEqual([
      expect.stringContaining('["shop.raise",["n",2]]'),
      expect.stringContaining('["json.get",["document"]]'),
    ]);
  });
});
