import { once } from 'node:events';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, ioredisClient, redisClient } from '../../index.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { hasRedisServer, RedisServer } from '../../testdata/redis-server.ts';
import { type Ended, recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
let server: RedisServer | undefined;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(async () => {
  await server?.stop();
  await host.stop();
});

/** Recorded against a server, then replayed without one. */
async function bothOf(run: (path: string) => Promise<unknown>): Promise<{ recorded: Ended; replayed: Ended }> {
  server = await RedisServer.start();
  const { url } = server;
  const { recorded, replayed, player } = await recordAndReplay(
    host,
    agent('run', () => run(url)),
    { between: () => server?.stop() },
  );
  expect(player.refusals).toEqual([]);
  return { recorded, replayed };
}

describe.runIf(hasRedisServer())('what a client of ioredis tells in a replay', () => {
  it.each(['callback', 'promise', 'command'] as const)('that it connects when it is told to (%s)', async (how) => {
    const { recorded, replayed } = await bothOf(async (path) => {
      const client = ioredisClient(new Redis({ path, lazyConnect: true }));
      const told: unknown[] = [client.status];
      for (const event of ['connecting', 'connect', 'ready']) client.on(event, () => told.push([event, client.status]));
      if (how === 'callback')
        told.push(await new Promise((resolve) => client.connect((...parameters) => resolve(parameters))));
      if (how === 'promise') await client.connect();
      told.push(await client.get('a'), client.status);
      await client.quit();
      return told;
    });
    const events = ['connecting', 'connect', 'ready'].map((event) => [event, event]);
    const given = how === 'callback' ? [[null]] : [];
    expect(recorded).toEqual({ value: ['wait', ...events, ...given, null, 'ready'] });
    expect(replayed).toEqual(recorded);
  });

  it.each(['object', 'class'])('that it connects by itself, with its status (%s)', async (how) => {
    const { recorded, replayed } = await bothOf(async (path) => {
      const client = how === 'class' ? new (ioredisClient(Redis))({ path }) : ioredisClient(new Redis({ path }));
      const told: unknown[] = [];
      for (const event of ['connect', 'ready']) client.on(event, () => told.push([event, client.status]));
      await once(client, 'ready');
      told.push(await client.get('a'));
      await client.quit();
      return told;
    });
    expect(recorded).toEqual({ value: [['connect', 'connect'], ['ready', 'ready'], null] });
    expect(replayed).toEqual(recorded);
  });

  it('that it connects again, by its status as well', async () => {
    const { recorded, replayed } = await bothOf(async (path) => {
      const client = ioredisClient(new Redis({ path, lazyConnect: true, retryStrategy: () => 7 }));
      await client.connect();
      const told: unknown[] = [];
      for (const event of ['close', 'reconnecting', 'connecting', 'connect', 'ready'])
        client.on(event, () => told.push([event, client.status]));
      client.disconnect(true);
      told.push(client.status);
      await once(client, 'close');
      told.push(client.status);
      await once(client, 'ready');
      told.push(client.status);
      const seen = [...told];
      await client.quit();
      return seen;
    });
    const lost = ['close', 'reconnecting'].map((event) => [event, 'reconnecting']);
    const regained = ['connecting', 'connect', 'ready'].map((event) => [event, event]);
    expect(recorded).toEqual({ value: ['ready', ...lost, 'reconnecting', ...regained, 'ready'] });
    expect(replayed).toEqual(recorded);
  });
});

describe.runIf(hasRedisServer())('what a client of ioredis tells in a replay where it could not connect', () => {
  const nowhere = { path: '/nowhere/redis.sock', retryStrategy: () => null };
  const makers = {
    object: () => ioredisClient(new Redis(nowhere)),
    class: () => new (ioredisClient(Redis))(nowhere),
    lazy: () => ioredisClient(new Redis({ ...nowhere, lazyConnect: true })),
  };

  it.each(Object.entries(makers))('that it has ended (%s)', async (_, make) => {
    const { recorded, replayed } = await bothOf(async () => {
      const client = make();
      client.on('error', () => undefined);
      const told: unknown[] = [];
      for (const event of ['connect', 'ready', 'close', 'end'])
        client.on(event, () => told.push([event, client.status]));
      const ended = new Promise((resolve) => client.once('end', resolve));
      const answer = await client.get('a').catch((error: Error) => error.message);
      await ended;
      return [...told, answer, client.status];
    });
    expect(recorded).toEqual({ value: [['close', 'end'], ['end', 'end'], 'Connection is closed.', 'end'] });
    expect(replayed).toEqual(recorded);
  });

  it.each(['object', 'class'])('that it goes on trying once it has given up a command (%s)', async (how) => {
    const { recorded, replayed } = await bothOf(async () => {
      const options = { path: '/nowhere/redis.sock', retryStrategy: () => 1, maxRetriesPerRequest: 1 };
      const client = how === 'class' ? new (ioredisClient(Redis))(options) : ioredisClient(new Redis(options));
      client.on('error', () => undefined);
      const again = new Promise((resolve) => client.on('reconnecting', resolve));
      const answer = await client.get('a').catch((error: Error) => error.name);
      const seen = [answer, client.status, await again];
      client.disconnect();
      return seen;
    });
    expect(recorded).toEqual({ value: ['MaxRetriesPerRequestError', 'reconnecting', 1] });
    expect(replayed).toEqual(recorded);
  });

  it('that it tries again', async () => {
    const { recorded, replayed } = await bothOf(async () => {
      const client = ioredisClient(new Redis({ ...nowhere, lazyConnect: true, retryStrategy: () => 60_000 }));
      client.on('error', () => undefined);
      const again = new Promise((resolve) => client.once('reconnecting', resolve));
      const answer = await client.connect().catch((error: Error) => error.message);
      const seen = [answer, await again, client.status];
      client.disconnect();
      return seen;
    });
    expect(recorded).toEqual({ value: ['Connection is closed.', 60_000, 'reconnecting'] });
    expect(replayed).toEqual(recorded);
  });
});

describe.runIf(hasRedisServer())('what a client of redis tells in a replay', () => {
  it.each(['close', 'quit', 'destroy'] as const)(
    'that it is connected, and after %s that it has ended',
    async (how) => {
      const { recorded, replayed } = await bothOf(async (path) => {
        const client = redisClient(createClient({ socket: { path, tls: false } }));
        const told: unknown[] = [];
        for (const event of ['connect', 'ready', 'end'])
          client.on(event, () => told.push([event, client.isOpen, client.isReady]));
        const ended = once(client, 'end');
        await client.connect();
        told.push(await client.get('a'));
        await client[how]();
        told.push(how);
        await ended;
        return told;
      });
      const connected = [
        ['connect', true, false],
        ['ready', true, true],
      ];
      expect(recorded).toEqual({ value: [...connected, null, ['end', false, false], how] });
      expect(replayed).toEqual(recorded);
    },
  );
});

describe.runIf(hasRedisServer())('what listeners call when a client tells in a replay that it is ready', () => {
  it('is answered as a part of what connected it', async () => {
    const { recorded, replayed } = await bothOf(async (path) => {
      const told: unknown[] = [];
      const other = redisClient(createClient({ socket: { path, tls: false } }));
      const client = ioredisClient(new Redis({ path, lazyConnect: true }));
      for (const ready of [other, client]) {
        const set = new Promise((resolve) => ready.on('ready', () => resolve(ready.set('a', '1'))));
        await ready.connect();
        told.push(await set);
      }
      told.push(await other.get('a'), await client.get('a'));
      await Promise.all([other.quit(), client.quit()]);
      return told;
    });
    expect(recorded).toEqual({ value: ['OK', 'OK', '1', '1'] });
    expect(replayed).toEqual(recorded);
  });
});
