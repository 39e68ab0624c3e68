import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/testbed.ts';
import { type RunningCommand, startCommand } from '../scenarios/run-command.ts';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

let stage: Stage;
let collector: RunningCommand | undefined;
beforeEach(async () => {
  stage = await setSmallStage();
});
afterEach(async () => {
  await collector?.stop();
  collector = undefined;
  await stage.stop();
});

/** Records a run while the collector is away. */
async function recordInVain(environment: NodeJS.ProcessEnv = {}): Promise<void> {
  await stage.stopCollector();
  const { exitCode, stderr } = await stage.node(['--import', 'reenact/register', 'parallel.ts'], environment);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('They are kept in')]);
  expect(stderr).toContain(`could not be delivered to ${stage.collectorUrl}/v1/traces when`);
  expect(folders()).toHaveLength(1);
}

/** What waits in the spool. */
function folders(): string[] {
  return readdirSync(join(stage.folder, 'spool'));
}

/** Starts the collector where it was. */
async function startAgain(environment: NodeJS.ProcessEnv = {}): Promise<RunningCommand> {
  const { port } = new URL(stage.collectorUrl);
  const places = ['--http-port', port, '--grpc-port', '0', '--data', join(stage.folder, 'data')];
  const { program, parameters, options } = stage.reenactCommand(['collect', ...places, '--json'], environment);
  collector = await startCommand([program, ...parameters], { cwd: options.cwd, environment: options.env });
  return collector;
}

async function stopped(): Promise<string> {
  const result = await collector?.stop();
  collector = undefined;
  return result?.stderr ?? '';
}

describe('reenact runs', () => {
  it('says that recordings wait on the disk, and how to hand them over', { timeout: 120_000 }, async () => {
    await recordInVain();
    // The folder is kept from this collector, which would take it at its start.
    const elsewhere = { REENACT_SPOOL_DIR: join(stage.folder, 'none') };
    await startAgain(elsewhere);
    const list = await stage.reenact(['runs']);
    expect(list).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('No runs yet') });
    expect(list.stderr).toMatch(/^A process of this machine left recordings on the disk .*reenact spool deliver$/m);
    expect((await stage.reenact(['show', 'latest'])).stderr).toContain('left recordings on the disk');
    expect((await stage.reenact(['runs', '--json'])).stderr).toBe('');
    const spoolOf = async (): Promise<string | undefined> => {
      const { traps } = JSON.parse((await stage.reenact(['doctor', '--json'])).stdout) as {
        traps: { kind: string; detail: string }[];
      };
      return traps.find(({ kind }) => kind === 'spool-waits')?.detail;
    };
    expect(await spoolOf()).toBe('of a process');
    const astray = await stage.reenact(['spool', 'deliver'], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect([astray.exitCode, astray.stderr]).toEqual([
      0,
      expect.stringContaining(`for ${stage.collectorUrl}/v1/traces`),
    ]);
    expect(await stage.reenact(['spool', 'deliver'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await spoolOf()).toBeUndefined();
    expect((await stage.reenact(['runs'])).stderr).not.toContain('left recordings');
  });
});

describe('reenact collect', () => {
  it('takes what a process on this machine left for it, once', { timeout: 120_000 }, async () => {
    await recordInVain();
    await startAgain();
    const [run] = await eventually('the run', async () => {
      const runs = await listRuns(stage);
      return runs.length > 0 && folders().length === 0 ? runs : undefined;
    });
    expect(run).toMatchObject({ status: 'ok' });
    expect(await stopped()).toMatch(/^\d+ spans? taken that processes had left in their spool$/m);
    await startAgain();
    expect(await listRuns(stage)).toHaveLength(1);
    expect(await stopped()).toBe('');
  });

  it('takes what a process leaves that is killed while it runs', { timeout: 120_000 }, async () => {
    // That of the stage takes nothing by itself.
    await stage.stopCollector();
    await startAgain();
    const killed = await stage.node(['--import', 'reenact/register', 'killed-stream.ts', 'rows']);
    expect(killed.stdout).toContain('row 59');
    const [run] = await eventually('the run', async () => {
      const runs = await listRuns(stage);
      return runs.length > 0 && folders().length === 0 ? runs : undefined;
    });
    expect(run).toMatchObject({ name: 'agent:process', replayability: { verdict: 'partial' } });
  });

  it('leaves it where it is without the token it wants, and takes it with the token', {
    timeout: 120_000,
  }, async () => {
    const made = await stage.reenact(['config', 'token', '--scope', 'ingest']);
    const token = made.stdout.trim();
    const entry: unknown = JSON.parse(made.stderr.trim().split('\n').at(-1) ?? '');
    await recordInVain();
    const wanting = { REENACT_COLLECTOR_TOKENS: JSON.stringify([entry]) };
    await startAgain(wanting);
    await eventually('what is said of it', async () => collector?.errors().includes('could not be taken'));
    const denied = await stage.reenact(['spool', 'deliver']);
    expect([denied.exitCode, denied.stderr]).toEqual([
      2,
      expect.stringMatching(/access-denied .*status 401.*\nSet OTEL_EXPORTER_OTLP_HEADERS/s),
    ]);
    await stopped();
    expect(folders()).toHaveLength(1);
    await startAgain({ ...wanting, OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${token}` });
    await eventually('the spool to be empty', async () => folders().length === 0);
    expect(await stopped()).toMatch(/^\d+ spans? taken/m);
  });
});

describe('what a process with another token left', () => {
  const as = (name: string): NodeJS.ProcessEnv => ({ OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${name}` });

  it('is delivered by nobody else, and by whoever says that the token was replaced', { timeout: 120_000 }, async () => {
    await recordInVain(as('first'));
    const left = folders();
    await startAgain(as('second'));
    await eventually('what is said at the start', async () => collector?.errors().includes('could not be taken'));
    expect(await stage.reenact(['spool'], as('second'))).toMatchObject({
      stdout: expect.stringContaining('with another token'),
    });
    const refused = await stage.reenact(['spool', 'deliver'], as('second'));
    expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([
      2,
      expect.stringContaining('0 spans delivered'),
      expect.stringContaining('--any-token'),
    ]);
    expect([folders(), await listRuns(stage)]).toEqual([left, []]);
    const said = await stage.reenact(['spool', 'deliver', '--any-token'], as('second'));
    expect([said.exitCode, folders()]).toEqual([0, []]);
    expect(await listRuns(stage)).toHaveLength(1);
  });
});
