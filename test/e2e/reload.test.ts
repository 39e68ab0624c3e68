import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/testbed.ts';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { type RunningCommand, startCommand } from '../scenarios/run-command.ts';

const reenact = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));

let folder: string;
let collector: RunningCommand | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-reload-'));
});
afterEach(async () => {
  await collector?.stop();
  collector = undefined;
  await rm(folder, { recursive: true, force: true });
});

function tokensOf(...tokens: string[]): string {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex');
  return JSON.stringify(tokens.map((token) => ({ name: token, sha256: digest(token), scopes: ['read'] })));
}

interface Collecting {
  readonly tokensFile: string;
  /** Writes the configuration, with these settings beside those it starts with. */
  configure(more: object): Promise<void>;
  hangUp(): void;
  /** Waits until this many reloads were refused. */
  refusals(count: number): Promise<unknown>;
  ask(token: string): Promise<number>;
}

/** `reenact collect` that looks at its files only when it is told to. */
async function startCollect(): Promise<Collecting> {
  const tokensFile = join(folder, 'tokens.json');
  const config = join(folder, 'collector.json');
  await writeFile(tokensFile, tokensOf('first'));
  const places = { dataDirectory: join(folder, 'data'), httpPort: 0, grpcPort: 0 };
  const configure = (more: object) =>
    writeFile(config, JSON.stringify({ ...places, tokensFile, limits: { accessCheckMs: 2 ** 30 }, ...more }));
  await configure({});
  const command = [process.execPath, reenact, 'collect', '--config', config, '--json'];
  collector = await startCommand(command, { cwd: folder, environment: { ...bareEnvironment(), HOME: folder } });
  const { httpUrl, processId } = JSON.parse(collector.firstLine) as { httpUrl: string; processId: number };
  return {
    tokensFile,
    configure,
    hangUp: () => void process.kill(processId, 'SIGHUP'),
    refusals: (count) =>
      eventually(`${count} refused`, async () => collector?.errors().match(/reload refused/g)?.length === count),
    ask: async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${httpUrl}/api/v1/runs`, { headers })).status;
    },
  };
}

describe('reenact collect at SIGHUP', () => {
  it('reads its tokens again, keeps them where it cannot, and still ends in order', async () => {
    const { tokensFile, hangUp, refusals, ask } = await startCollect();
    expect([await ask('first'), await ask('second')]).toEqual([200, 401]);
    await writeFile(tokensFile, tokensOf('second'));
    hangUp();
    await eventually('the second token', async () => (await ask('second')) === 200);
    await writeFile(tokensFile, 'no JSON');
    hangUp();
    await refusals(1);
    expect([await ask('first'), await ask('second')]).toEqual([401, 200]);
    const result = await collector?.stop();
    collector = undefined;
    expect(result?.exitCode).toBe(0);
    expect(result?.stderr.match(/reload refused/g)).toHaveLength(1);
  });

  it('reads its configuration again, and goes on with the old one where it cannot be used', async () => {
    const { configure, hangUp, refusals, ask } = await startCollect();
    const [entry] = JSON.parse(tokensOf('configured')) as object[];
    await configure({ tokens: [entry] });
    hangUp();
    // Nobody listens for the moment in which one collector takes over from the other.
    const isIn = () =>
      ask('configured').then(
        (status) => status === 200,
        () => false,
      );
    await eventually('the token of the configuration', isIn);
    await configure({ tokens: 'none' });
    hangUp();
    // A collector that is told to stop carries out no reload that still waits for the one before it.
    await refusals(1);
    const result = await collector?.stop();
    collector = undefined;
    expect(result?.exitCode).toBe(0);
    expect(result?.stdout.trim().split('\n')).toHaveLength(1);
    expect(result?.stderr).toMatch(/"reload refused","what":"configuration","where":"[^"]*tokens"/);
  });
});

/** util-linux's: runs a command in a terminal of its own, which is gone when it is. */
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

describe.skipIf(!hasScript)('reenact collect in a terminal', () => {
  it('reads its configuration again at SIGHUP, and ends in order when the terminal is closed', async () => {
    const [log, config] = [join(folder, 'log'), join(folder, 'collector.json')];
    const places = { dataDirectory: join(folder, 'data'), httpPort: 0, grpcPort: 0, logLevel: 'info' };
    await writeFile(config, JSON.stringify(places));
    const command = `${process.execPath} ${reenact} collect --json --config ${config} 2> ${log}`;
    const terminal = spawn('script', ['-qfec', command, '/dev/null'], {
      env: { ...bareEnvironment(), HOME: folder },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [line] = (await once(createInterface(terminal.stdout), 'line')) as [string];
    const { processId } = JSON.parse(line) as { processId: number };
    const untilLogged = (part: string) =>
      eventually(part, async () => (await readFile(log, 'utf8')).split('\n').some((logged) => logged.includes(part)));
    await writeFile(config, JSON.stringify({ ...places, requestBytesMax: 2048 }));
    process.kill(processId, 'SIGHUP');
    await untilLogged('"event":"reloaded","what":"configuration"');
    await writeFile(log, '');
    terminal.kill('SIGKILL');
    await untilLogged('"event":"stopping"');
    await eventually('the end of the process', async () => !existsSync(`/proc/${processId}`));
    expect((await readFile(log, 'utf8')).trim().split('\n')).toHaveLength(1);
  });
});
