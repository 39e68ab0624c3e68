import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, ioredisClient } from '../../index.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { hasRedisServer, RedisServer } from '../../testdata/redis-server.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

describe.runIf(hasRedisServer())('a client of ioredis that is told to end', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  it('ends in a replay as it did, a moment after it was told to, and tells its listeners', async () => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', async () => {
      const told: string[] = [];
      for (const how of ['quit', 'disconnect', 'class'] as const) {
        const client =
          how === 'class' ? new (ioredisClient(Redis))({ path: url }) : ioredisClient(new Redis({ path: url }));
        for (const event of ['close', 'end']) client.on(event, () => told.push(`${how} ${event} ${client.status}`));
        const ended = once(client, 'end');
        await client.get('a');
        if (how === 'disconnect') client.disconnect();
        else await client.quit();
        told.push(`${how} ${client.status}`);
        await ended;
        told.push(await client.get('a').then(String, (error: Error) => error.message), client.status);
      }
      return told;
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => server?.stop() });
    const ended = (how: string): string[] => [
      `${how} ready`,
      `${how} close end`,
      `${how} end end`,
      'Connection is closed.',
      'end',
    ];
    expect(recorded).toEqual({ value: ['quit', 'disconnect', 'class'].flatMap(ended) });
    expect([replayed, player.refusals]).toEqual([recorded, []]);
  });
});

describe.runIf(hasRedisServer())('a client of ioredis that is told to end before it is asked anything', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  const makers = {
    object: (path: string) => ioredisClient(new Redis({ path })),
    class: (path: string) => new (ioredisClient(Redis))({ path }),
    lazy: (path: string) => ioredisClient(new Redis({ path, lazyConnect: true })),
  };

  it.each(Object.entries(makers))('ends in a replay, too, and tells its listeners (%s)', async (name, make) => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', async () => {
      const told: unknown[] = [];
      for (const how of ['quit', 'disconnect'] as const) {
        const client = make(url);
        for (const event of ['close', 'end']) client.on(event, () => told.push([event, client.status]));
        const ended = once(client, 'end');
        const done = client[how]();
        if (how === 'quit') told.push(client.status, await done);
        await ended;
        told.push(client.status);
      }
      return told;
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => server?.stop() });
    const ended = [['end', 'end'], 'end'];
    const closed = name === 'lazy' ? [['close', 'end']] : [];
    expect(recorded).toEqual({ value: ['connecting', 'OK', ...ended, ...closed, ...ended] });
    expect([replayed, player.refusals]).toEqual([recorded, []]);
  });
});

interface Retrying {
  path: string;
  retryStrategy(attempt: number): number;
}

describe.runIf(hasRedisServer())('a client of ioredis that is told to connect again', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  const makers = {
    object: (options: Retrying) => ioredisClient(new Redis(options)),
    class: (options: Retrying) => new (ioredisClient(Redis))(options),
    lazy: (options: Retrying) => ioredisClient(new Redis({ ...options, lazyConnect: true })),
  };

  it.each(Object.entries(makers))('tells in a replay that it does, and no end (%s)', async (_, make) => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', async () => {
      const client = make({ path: url, retryStrategy: (attempt) => attempt * 7 });
      if (client.status === 'connecting') await once(client, 'ready');
      await client.set('a', '1');
      const told: unknown[] = [];
      for (const event of ['close', 'reconnecting', 'connect', 'ready', 'end'])
        client.on(event, (delayMs) => told.push([event, delayMs]));
      client.disconnect(true);
      told.push(client.status);
      await once(client, 'ready');
      told.push(client.status, await client.get('a'), client.status);
      const seen = [...told];
      await client.quit();
      return seen;
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => server?.stop() });
    const told = [['close'], ['reconnecting', 7], ['connect'], ['ready']].map(([event, delayMs]) => [event, delayMs]);
    expect(recorded).toEqual({ value: ['ready', ...told, 'ready', '1', 'ready'] });
    expect([replayed, player.refusals]).toEqual([recorded, []]);
  });

  it('ends in a replay, too, where the application lets it try no more', async () => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', async () => {
      const client = ioredisClient(new Redis({ path: url, retryStrategy: () => null }));
      await client.get('a');
      const ended = once(client, 'end');
      client.disconnect(true);
      await ended;
      return client.status;
    });
    const { recorded, replayed } = await recordAndReplay(host, run, { between: () => server?.stop() });
    expect([recorded, replayed]).toEqual([{ value: 'end' }, { value: 'end' }]);
  });

  it('calls back in a replay, too, once it is told to quit', async () => {
    server = await RedisServer.start();
    const { url } = server;
    const run = agent('run', async () => {
      const client = ioredisClient(new Redis({ path: url }));
      await client.get('a');
      const ended = once(client, 'end');
      const quit = await new Promise((resolve) => client.quit((...parameters) => resolve(parameters)));
      await ended;
      return [quit, client.status];
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => server?.stop() });
    expect(recorded).toEqual({ value: [[null, 'OK'], 'end'] });
    expect([replayed, player.refusals]).toEqual([recorded, []]);
  });
});
