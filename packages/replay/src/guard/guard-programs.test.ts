import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const require = createRequire(import.meta.url);
const programs = require('node:child_process') as typeof import('node:child_process');
const net = require('node:net') as typeof import('node:net');
const recording = buildRecording({ label: 'agent:a' });

beforeAll(() => {
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => contexts.disable());

/** How the replayed code fails that a call gives, and what the report then says. */
async function failing(call: (failed: (error: Error | null) => void) => unknown) {
  const { player, report } = playerOf(recording);
  const remove = installGuard({ player, scope: 'context' });
  const position = withPosition(contexts.active(), { player, cursor: recording.roots[0]?.spanId });
  try {
    const error = await contexts.with(position, () => new Promise<Error | null>((resolve) => call(resolve)));
    const { divergences, notes } = report();
    return {
      code: error === null ? undefined : Reflect.get(error, 'code'),
      forbidden: divergences.filter(({ kind }) => kind === 'forbidden').length,
      notes,
    };
  } finally {
    remove();
  }
}

it("the program by which Elastic's agent asks what the machine is called is not there for a replay, which says so", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reenact-hostname-'));
  try {
    const file = join(folder, 'elastic-apm-node', 'lib', 'detect-hostname.js');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `module.exports = () => require('node:child_process').spawnSync('/bin/hostname', ['-f']);`);
    const detect = require(file) as () => ReturnType<typeof programs.spawnSync>;
    const { code, forbidden, notes } = await failing((failed) => failed(detect().error ?? null));
    expect([code, forbidden]).toEqual(['ENOENT', 0]);
    expect(notes).toContainEqual(expect.stringContaining('asks what the machine is called was not there'));
    expect(await failing((failed) => failed(programs.spawnSync('/bin/hostname').error ?? null))).toMatchObject({
      code: 'replay-refused',
      forbidden: 1,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('Watchman, which Jest does as well without', () => {
  const noted = expect.arrayContaining([expect.stringContaining('Watchman was looked for')]);

  it.each([
    [
      'asked for its socket',
      (failed: (error: Error | null) => void) => programs.execFile('watchman', ['--no-pretty', 'get-sockname'], failed),
    ],
    [
      'started by its client',
      (failed: (error: Error | null) => void) => programs.spawn('watchman', ['get-sockname']).on('error', failed),
    ],
    ['looked for', (failed: (error: Error | null) => void) => programs.exec('watchman --version', failed)],
    [
      'connected to',
      (failed: (error: Error | null) => void) =>
        net.connect('/usr/local/var/run/watchman/me-state/sock').on('error', failed),
    ],
  ])('is not there for a replay, which says so: %s', async (_how, call) => {
    expect(await failing(call)).toEqual({ code: 'ENOENT', forbidden: 0, notes: noted });
  });

  it('is refused like other programs where it is told to do something', async () => {
    const { code, forbidden } = await failing((failed) => programs.execFile('watchman', ['watch-del-all'], failed));
    expect([code, forbidden]).toEqual(['replay-refused', 1]);
  });
});
