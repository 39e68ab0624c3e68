import { once } from 'node:events';
import { Redis } from 'ioredis';
import { ClientClosedError, createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agent, installDedicatedPlayer, ioredisClient, redisClient, tool } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { hasRedisServer, RedisServer } from '../../testdata/redis-server.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';
import { TapePlayer } from '../../testing/tape-player.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

type Command = (...parameters: unknown[]) => unknown;

/** Whether a call reaches the gate: a replay that knows nothing refuses it, and nothing else happens. */
async function isCrossing(client: object, method: string): Promise<boolean> {
  const uninstall = installDedicatedPlayer(new TapePlayer([]));
  try {
    await (Reflect.get(client, method) as Command)('key');
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === 'replay-refused';
  } finally {
    uninstall();
  }
}

describe('what the drivers export and the definitions cover', () => {
  it('is every command of ioredis but those that change what the connection is', async () => {
    const plain = new Redis({ lazyConnect: true });
    const client = ioredisClient(plain);
    const commands = plain.getBuiltinCommands().filter((command) => command !== 'multi');
    expect(commands.length).toBeGreaterThan(200);
    const left: string[] = [];
    for (const command of commands) if (!(await isCrossing(client, command))) left.push(command);
    expect(left).toEqual([]);
    plain.disconnect();
  });

  it('are the commands of redis, both ways they are written', async () => {
    const client = redisClient(createClient());
    for (const command of [
      'GET',
      'get',
      'hGetAll',
      'HGETALL',
      'zAdd',
      'EVAL',
      'flushAll',
      'subscribe',
      'pUnsubscribe',
      'SSUBSCRIBE',
      'connect',
      'sendCommand',
      'close',
    ]) {
      expect([command, await isCrossing(client, command)]).toEqual([command, true]);
    }
  });
});

async function withIoredis(path: string): Promise<unknown> {
  const client = new (ioredisClient(Redis))({ path });
  client.on('error', () => {});
  const before = client.status;
  const seen = [
    before,
    await client.set('a', '1'),
    client.status,
    await client.get('a'),
    await client.getBuffer('a'),
    await client.hset('h', { x: 1, y: 'z' }),
    await client.hgetall('h'),
    await client.incr('h').catch((error: Error) => [error.constructor.name, error.message]),
    await client.multi().set('b', 2).incr('b').get('b').exec(),
    await client
      .pipeline()
      .get('a')
      .lpush('h', 1)
      .exec()
      .then((list) => list?.map(([error, value]) => error?.message ?? value)),
  ];
  return [...seen, await client.quit()];
}

async function withRedis(path: string): Promise<unknown> {
  const client = redisClient(createClient({ socket: { path, tls: false } }));
  client.on('error', () => {});
  const before = [client.isOpen, client.isReady];
  const connecting = client.connect();
  const between = [client.isOpen, client.isReady];
  const isSame = (await connecting) === client;
  const seen = [
    isSame,
    before,
    between,
    [client.isOpen, client.isReady],
    await client.set('a', '1'),
    await client.GET('a'),
    await client.hSet('n', { x: 1 }),
    await client.hGetAll('n'),
    await client.incr('n').catch((error: Error) => [error.constructor.name, error.message]),
    await client.multi().set('c', 2).incr('c').get('c').exec(),
  ];
  await client.close();
  return [...seen, client.isOpen, client.isReady];
}

describe.runIf(hasRedisServer())('against a Redis server', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  it.each([
    ['ioredis', withIoredis],
    ['redis', withRedis],
  ])('%s is recorded, and replayed with the server gone', async (_, work) => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', () => work(url));
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => server?.stop() });
    expect(recorded).not.toHaveProperty('error');
    expect(JSON.stringify(recorded)).toContain('WRONGTYPE');
    expect(replayed).toEqual(recorded);
    expect(player.refusals).toEqual([]);
    const crossings = (await host.recorded()).map(crossingOf).filter(({ kind }) => kind === 'database');
    const exec = crossings.find(({ name }) => name === 'redis.exec');
    expect(exec?.input?.data).toContain('["incr",');
    expect(crossings.find(({ name }) => /redis\.get/i.test(name))?.effect).toBe('read');
  });
});

const note = tool('note', async (text: string) => `noted ${text}`);

async function subscribedWithIoredis(path: string): Promise<unknown> {
  const client = ioredisClient(new Redis({ path }));
  const subscriber = client.duplicate();
  const heard: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const hear = async (...said: unknown[]): Promise<void> => {
    heard.push([...said, await note(String(said.at(-1)))]);
    if (heard.length === 3) resolve();
  };
  subscriber.on('message', hear).on('pmessage', hear);
  const counts = [await subscriber.subscribe('orders', 'fills'), await subscriber.psubscribe('n*')];
  await client.publish('orders', 'sold');
  await client.publish('news', 'good');
  await client.publish('fills', 'filled');
  const state = [client.status, subscriber.status];
  await promise;
  const ended = [await subscriber.unsubscribe('orders', 'fills'), await subscriber.quit(), await client.quit()];
  return { counts, state, heard: heard.sort(), ended };
}

async function subscribedWithRedis(path: string): Promise<unknown> {
  const client = await redisClient(createClient({ socket: { path, tls: false } })).connect();
  const subscriber = await client.duplicate().connect();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const hear = async (message: string, channel: string): Promise<void> => resolve([channel, await note(message)]);
  const first = await subscriber.subscribe('orders', hear);
  await client.publish('orders', 'sold');
  const heard = await promise;
  await subscriber.unsubscribe('orders', hear);
  await client.publish('orders', 'sold again');
  const state = [client.isOpen, subscriber.isOpen];
  await subscriber.close();
  await client.close();
  return { first, heard, state };
}

describe.runIf(hasRedisServer())('a subscription', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  it.each([
    [
      'ioredis',
      subscribedWithIoredis,
      ['redis.message', 'redis.message', 'redis.pmessage'],
      '["n*","news","good","noted good"]',
    ],
    ['redis', subscribedWithRedis, ['redis.message'], '["orders","noted sold"]'],
  ])('of %s on a duplicate is told the same again in a replay', async (_, work, names, heard) => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', () => work(url));
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => server?.stop() });
    expect(recorded).not.toHaveProperty('error');
    expect(JSON.stringify(recorded)).toContain(heard);
    expect([replayed, player.refusals, player.left]).toEqual([recorded, [], []]);
    const crossings = (await host.recorded()).map(crossingOf);
    const told = crossings.filter(({ canonicalPolicy }) => canonicalPolicy === 'delivery/1');
    expect(told.map(({ name }) => name).sort()).toEqual(names);
    const notes = crossings.filter(({ name }) => name === 'note');
    expect(notes.map(({ parentSpanId }) => told.some(({ spanId }) => spanId === parentSpanId))).toEqual(
      names.map(() => true),
    );
    expect(crossings.flatMap(({ lossy }) => lossy.filter((mark) => mark.startsWith('/output')))).toEqual([]);
  });

  it('outside of a run, as in a program that never ends, is marked: what comes is told to nobody again', async () => {
    server = await RedisServer.start();
    const client = ioredisClient(new Redis({ path: server.url }));
    await client.subscribe('orders');
    await client.quit();
    const [subscribed] = (await host.recorded()).map(crossingOf);
    expect(subscribed?.lossy).toEqual(['/output message events']);
  });
});

describe.runIf(hasRedisServer())('what a live call of a replay connected', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  it.each(['ioredis', 'redis'])(
    'is closed where the application closes it, though that is answered: %s',
    async (driver) => {
      server = await RedisServer.start();
      const { url } = server;
      const connected: (() => boolean)[] = [];
      const withDriver = async (): Promise<unknown> => {
        if (driver === 'ioredis') {
          const plain = new Redis({ path: url });
          connected.push(() => plain.status === 'ready');
          const client = ioredisClient(plain);
          const value = await client.get('a');
          return [value, connected.at(-1)?.(), await client.quit()];
        }
        const plain = createClient({ socket: { path: url, tls: false } });
        connected.push(() => plain.isOpen);
        const client = redisClient(plain);
        await client.connect();
        const value = await client.get('a');
        await client.close();
        return [value, true];
      };
      const live = ['redis.connect', 'redis.get'];
      const { recorded, replayed } = await recordAndReplay(host, agent('run', withDriver), { live });
      expect(replayed).toEqual(recorded);
      await vi.waitFor(() => expect(connected.map((isConnected) => isConnected())).toEqual([false, false]), {
        timeout: 20_000,
      });
    },
  );
});

describe.runIf(hasRedisServer())('a client of ioredis against a Redis server', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  it('tells in a replay that it is ready, and not that what was kept from connecting has ended', async () => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', async () => {
      const client = ioredisClient(new Redis({ path: url }));
      const told: string[] = [client.status];
      for (const event of ['connect', 'ready', 'end', 'error']) client.on(event, () => told.push(event));
      await once(client, 'ready');
      told.push(client.status, String(await client.ping()));
      const seen = [...told];
      await client.quit();
      return seen;
    });
    const { recorded, replayed } = await recordAndReplay(host, run, { between: () => server?.stop() });
    expect(recorded).toEqual({ value: ['connecting', 'connect', 'ready', 'ready', 'PONG'] });
    expect(replayed).toEqual(recorded);
  });

  it('takes commands of the application itself, and those without a method, for crossings', async () => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', async () => {
      const plain = new Redis({
        path: url,
        scripts: { ofOption: { lua: 'return 1', numberOfKeys: 0, readOnly: true } },
      });
      const client = ioredisClient(plain) as Redis & Record<string, (...parameters: unknown[]) => Promise<unknown>>;
      client.defineCommand('twice', { numberOfKeys: 1, lua: 'return {KEYS[1], ARGV[1]}' });
      const seen = [
        await client.twice?.('k', 'v'),
        await client.twiceBuffer?.('k', 'v'),
        await client.ofOption?.(),
        await client.call('SET', 'a', '7'),
        await client.call('GET', 'a'),
      ];
      return [...seen, await client.quit()];
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => server?.stop() });
    expect(recorded).toEqual({ value: [['k', 'v'], [Buffer.from('k'), Buffer.from('v')], 1, 'OK', '7', 'OK'] });
    expect([replayed, player.refusals]).toEqual([recorded, []]);
    const crossings = (await host.recorded()).map(crossingOf).filter(({ kind }) => kind === 'database');
    expect(crossings.map(({ name, effect }) => `${name} ${effect}`).join()).toBe(
      'redis.twice write,redis.twiceBuffer write,redis.ofOption read,redis.call write,redis.call read,redis.quit none',
    );
  });

  it('connects in a replay only for what runs live, where the client was made before it was wrapped', async () => {
    server = await RedisServer.start();
    const { url } = server;
    const clients: Redis[] = [];
    const run = agent('run', async () => {
      const plain = new Redis({ path: url });
      clients.push(plain);
      const client = ioredisClient(plain);
      return [await client.set('a', '1'), await client.get('a')];
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(replayed).toEqual(recorded);
    const [, atReplay] = clients;
    await vi.waitFor(() => expect(clients.map(({ status }) => status)).toEqual(['ready', 'end']), { timeout: 20_000 });
    // What a live call of the replay does.
    expect(await Promise.all([atReplay?.get('a'), atReplay?.get('b')])).toEqual(['1', null]);
    for (const client of clients) client.disconnect();
  });
});

describe.runIf(hasRedisServer())('a client of redis that is destroyed', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  it('is closed in a replay, too, in which it was not open, also of version 5, which throws there', async () => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', async () => {
      const plain = createClient({ socket: { path: url, tls: false } });
      const destroy = plain.destroy.bind(plain);
      plain.destroy = () => {
        if (!plain.isOpen) throw new ClientClosedError();
        destroy();
      };
      const client = await redisClient(plain).connect();
      const seen: unknown[] = [await client.set('a', '1'), client.isOpen];
      client.destroy();
      seen.push(client.isOpen);
      expect(() => client.destroy()).toThrow(ClientClosedError);
      return seen;
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => server?.stop() });
    expect(recorded).toEqual({ value: ['OK', true, false] });
    expect([replayed, player.refusals]).toEqual([recorded, []]);
  });
});

describe('a client of ioredis that could not connect', () => {
  it('says in a replay, too, that it has ended, whatever it is asked then', async () => {
    const run = agent('run', async () => {
      const client = ioredisClient(new Redis({ path: '/nowhere.sock', lazyConnect: true, retryStrategy: () => null }));
      client.on('error', () => undefined);
      const told: unknown[] = [client.status];
      for (const act of [() => client.connect(), () => client.get('a')])
        told.push(await act().catch((error: Error) => error.message), client.status);
      return told;
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(recorded).toEqual({ value: ['wait', 'Connection is closed.', 'end', 'Connection is closed.', 'end'] });
    expect(replayed).toEqual(recorded);
  });
});
