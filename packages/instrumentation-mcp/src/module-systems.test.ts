import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ExerciseReport } from './testdata/modules/exercise.ts';

const modules = new URL('./testdata/modules/', import.meta.url);

async function run<Report>(application: string): Promise<Report> {
  const register = new URL('register.ts', modules).href;
  const flags = ['--conditions=@reenact/source', '--no-warnings', `--import=${register}`];
  const path = fileURLToPath(new URL(application, modules));
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, path]);
  return JSON.parse(stdout) as Report;
}

describe.each(['application.mjs', 'application.cjs'])('the SDK loaded by %s', (application) => {
  it('is recorded, replayed with its own errors and no server, switched off and on again', async () => {
    const report = await run<ExerciseReport>(application);
    expect(report.replayed).toEqual(report.recorded);
    expect(report.recorded).toMatchObject({
      unknown: { isKnown: true },
      late: { isKnown: true },
      isSameTransport: true,
    });
    expect(report).toMatchObject({
      refusals: [],
      effects: 'order 1000\n',
      sdk: '@modelcontextprotocol/sdk@1.32.2',
      afterDisable: 0,
      afterEnable: report.crossings,
    });
    expect(report.crossings).toBe(12);
  });
});

it.each(['transports.mjs', 'transports.cjs'])(
  'patches the transports that other clients are given by %s',
  async (application) => {
    expect(await run(application)).toEqual([true, true, true]);
  },
);
