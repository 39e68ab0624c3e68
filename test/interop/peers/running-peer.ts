import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** How long a peer may take until it answers, and how long a trace may take to show up somewhere, milliseconds. */
const ANSWER_MS_MAX = 60_000;

/** How often it is asked meanwhile, milliseconds. */
const ASK_EVERY_MS = 50;

/** A free port of this machine. Peers take no port 0 that they would tell afterwards. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Asks until there is an answer; throws with what was seen last where there is none in time. */
export async function eventually<Answer>(ask: () => Promise<Answer | undefined>, seen: () => string): Promise<Answer> {
  const deadline = Date.now() + ANSWER_MS_MAX;
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`nothing came in ${ANSWER_MS_MAX} ms\n${seen()}`);
    await wait(ASK_EVERY_MS);
  }
}

/** A peer that runs. */
export interface RunningPeer {
  /** Its process. */
  readonly pid: number;
  /** What it printed. */
  printed(): string;
  /** Ends it; the folder of its configuration and data stays until `remove`. */
  stop(): Promise<void>;
}

/** A folder for a peer's configuration and data. */
export interface PeerFolder {
  readonly path: string;
  remove(): void;
}

/** Makes a folder for a peer. */
export function peerFolder(): PeerFolder {
  const path = mkdtempSync(join(tmpdir(), 'reenact-peer-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a peer on a configuration, given as an object or as YAML, and waits until the address answers at all. */
export async function startPeer(
  program: string,
  folder: PeerFolder,
  configuration: object | string,
  readyUrl: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<RunningPeer> {
  const path = join(folder.path, 'config.yaml');
  // JSON is YAML.
  writeFileSync(path, typeof configuration === 'string' ? configuration : JSON.stringify(configuration, null, 2));
  const child: ChildProcess = spawn(program, ['--config', `file:${path}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-100_000);
    });
  }
  const closed = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
  };
  const isUp = async (): Promise<'up' | undefined> => {
    await fetch(readyUrl);
    return 'up';
  };
  try {
    const ended = closed.then(() => 'ended' as const);
    const state = await Promise.race([eventually(isUp, () => printed), ended]);
    if (state === 'ended') throw new Error(`${program} ended at once\n${printed}`);
  } catch (thrown) {
    child.kill('SIGKILL');
    throw thrown;
  }
  return { pid: child.pid ?? 0, printed: () => printed, stop };
}
