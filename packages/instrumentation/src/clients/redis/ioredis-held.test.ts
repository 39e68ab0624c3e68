import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, ioredisClient } from '../../index.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { hasRedisServer, RedisServer } from '../../testdata/redis-server.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';
import { printedBy } from '../../testing/printed-by.ts';

let host: RecordingHost;
let server: RedisServer | undefined;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(async () => {
  await server?.stop();
  await host.stop();
});

type Commands = Record<string, (...parameters: unknown[]) => Promise<unknown>>;

const scripts = { addAll: { lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])", numberOfKeys: 1 } };

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  listener.close();
  await once(listener, 'close');
  return port;
}

/** Sockets that are made from now on. */
function watchSockets(): { count(): number; stop(): void } {
  let made = 0;
  const note = (): void => {
    made += 1;
  };
  subscribe('net.client.socket', note);
  return { count: () => made, stop: () => unsubscribe('net.client.socket', note) };
}

describe.runIf(hasRedisServer())('a client of ioredis whose class was wrapped', () => {
  it('has its scripts, its own commands, its options and its status in a replay, in which nothing connects', async () => {
    server = await RedisServer.start();
    const path = server.url;
    const run = agent('run', async () => {
      const RedisClass = ioredisClient(Redis);
      const client = new RedisClass({ path, scripts, keyPrefix: 'a:' }) as Redis & Commands;
      client.defineCommand('twice', { numberOfKeys: 1, lua: 'return {KEYS[1], ARGV[1]}' });
      const pipeline = client.pipeline() as ReturnType<Redis['pipeline']> &
        Record<string, (...of: unknown[]) => object>;
      pipeline.addAll?.('n', 3);
      const seen = [
        client.status,
        client.options.keyPrefix,
        client.options.lazyConnect,
        client instanceof Redis,
        pipeline.length,
        await client.addAll?.('n', 5),
        await client.twice?.('k', 'v'),
        await pipeline.exec(),
      ];
      await client.quit();
      return seen;
    });
    const sockets = watchSockets();
    let before = 0;
    const between = async (): Promise<void> => {
      await server?.stop();
      before = sockets.count();
    };
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between });
    sockets.stop();
    expect(recorded).toEqual({
      value: ['connecting', 'a:', false, true, 1, 5, ['a:k', 'v'], [[null, 8]]],
    });
    expect([replayed, player.refusals]).toEqual([recorded, []]);
    expect([before > 0, sockets.count() - before]).toEqual([true, 0]);
  });

  it('tells its listeners in a replay that it is ready, and says that it waits where it was told to', async () => {
    server = await RedisServer.start();
    const path = server.url;
    const run = agent('run', async () => {
      class Sessions extends ioredisClient(Redis) {
        readonly purpose = 'sessions';
      }
      const client = new Sessions({ path });
      const told: string[] = [client.purpose];
      for (const event of ['wait', 'connecting', 'connect', 'ready']) client.on(event, () => told.push(event));
      await once(client, 'ready');
      const lazy = new Sessions({ path, lazyConnect: true });
      told.push(client.status, lazy.status);
      await lazy.connect();
      told.push(lazy.status, String(await client.ping()), String(await lazy.ping()));
      const seen = [...told];
      await client.quit();
      await lazy.quit();
      return seen;
    });
    const { recorded, replayed } = await recordAndReplay(host, run, { between: () => server?.stop() });
    expect(recorded).toEqual({
      value: ['sessions', 'connecting', 'connect', 'ready', 'ready', 'wait', 'ready', 'PONG', 'PONG'],
    });
    expect(replayed).toEqual(recorded);
  });
});

describe.runIf(hasRedisServer())('a client of a wrapped class of ioredis', () => {
  it('connects in a replay for what runs live, and its duplicates do not', async () => {
    server = await RedisServer.start();
    const path = server.url;
    const run = agent('run', async () => {
      const client = new (ioredisClient(Redis))({ path });
      const other = client.duplicate();
      const seen = [await client.set('a', '1'), await client.get('a'), await other.get('a')];
      await other.quit();
      await client.quit();
      return seen;
    });
    const sockets = watchSockets();
    let before = 0;
    const { recorded, replayed } = await recordAndReplay(host, run, {
      live: ['redis.set'],
      between: () => {
        before = sockets.count();
      },
    });
    sockets.stop();
    expect([replayed, sockets.count() - before]).toEqual([recorded, 1]);
  });

  it('of a cluster is answered in a replay, and asks for none of its nodes', async () => {
    const sockets = watchSockets();
    const run = agent('run', async () => {
      const nodes = [{ host: '127.0.0.1', port: 1 }];
      const client = new (ioredisClient(Cluster))(nodes, { scripts, clusterRetryStrategy: () => null }) as Cluster &
        Commands;
      client.on('error', () => undefined);
      const failed = await client.addAll?.('n', 5).catch((error: Error) => error.message);
      return [failed, client.isCluster];
    });
    let before = 0;
    const { recorded, replayed, player } = await recordAndReplay(host, run, {
      between: () => {
        before = sockets.count();
      },
    });
    sockets.stop();
    expect([replayed, player.refusals, sockets.count() - before]).toEqual([recorded, [], 0]);
    expect(before).toBeGreaterThan(0);
  });
});

const children: ChildProcess[] = [];

async function started(flags: readonly string[], pattern: RegExp): Promise<void> {
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  await printedBy(child, pattern);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

describe.runIf(hasRedisServer())('a client of ioredis with sentinels', () => {
  let folder: string;
  let sentinels: { host: string; port: number }[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'reenact-sentinel-'));
    const [master, port] = [await freePort(), await freePort()];
    const config = join(folder, 'sentinel.conf');
    writeFileSync(config, `port ${port}\nsentinel monitor main 127.0.0.1 ${master} 1\n`);
    await started(['--port', String(master), '--save', '', '--dir', folder], /ready to accept/i);
    await started([config, '--sentinel', '--dir', folder], /\+monitor/);
    sentinels = [
      { host: '127.0.0.1', port },
      { host: '127.0.0.1', port: 1 },
    ];
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map(ended));
    rmSync(folder, { recursive: true });
  });

  it.each(['client', 'class'])('asks none of them in a replay: %s', async (wrapped) => {
    const options = { sentinels, name: 'main' };
    const run = agent('run', async () => {
      const client = wrapped === 'class' ? new (ioredisClient(Redis))(options) : ioredisClient(new Redis(options));
      const other = client.duplicate();
      const errors: string[] = [];
      client.on('error', (error) => errors.push(String(error)));
      const { status } = client;
      await once(client, 'ready');
      const seen = [status, await client.set('a', '1'), await other.get('a'), client.status, errors];
      other.disconnect();
      await client.quit();
      return seen;
    });
    const { createConnection } = process.getBuiltinModule('node:net');
    const sockets = watchSockets();
    let before = 0;
    const { recorded, replayed, player } = await recordAndReplay(host, run, {
      between: () => {
        before = sockets.count();
      },
    });
    sockets.stop();
    expect(recorded).toEqual({ value: ['connecting', 'OK', '1', 'ready', []] });
    expect([replayed, player.refusals, sockets.count() - before]).toEqual([recorded, [], 0]);
    expect(process.getBuiltinModule('node:net').createConnection).toBe(createConnection);
  });

  it('connects by them in a replay for what runs live', async () => {
    const run = agent('run', async () => {
      const client = ioredisClient(new Redis({ sentinels, name: 'main' }));
      const seen = [await client.set('a', '1'), await client.get('a')];
      await client.quit();
      return seen;
    });
    const { recorded, replayed } = await recordAndReplay(host, run, { live: ['redis.set', 'redis.get'] });
    expect(recorded).toEqual({ value: ['OK', '1'] });
    expect(replayed).toEqual(recorded);
  });
});
