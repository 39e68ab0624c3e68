import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRecording } from '@reenact/recordings/testing';
import { writeFixture } from '@reenact/trace-model/reading';
import { afterAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from '../../scenarios/bare-environment.ts';
import { runCommand } from '../../scenarios/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'reenact-beside-'));
const script = new URL('./agent/replays-itself.ts', import.meta.url).pathname;
const registerUrl = new URL('../../../packages/reenact/dist/register.js', import.meta.url).href;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a replay inside a process that records', () => {
  it('does not take what the recorder writes for an effect of the agent', async () => {
    const fixture = join(folder, 'run.otlp.jsonl');
    const children = [{ label: 'tool:look' as const, input: ['the world'], output: 'recorded' }];
    writeFileSync(fixture, writeFixture(buildRecording({ label: 'agent:main', output: 'recorded', children }).data));
    const environment = {
      ...bareEnvironment(),
      HOME: folder,
      XDG_STATE_HOME: join(folder, 'state'),
      // Below it every file may be written.
      TMPDIR: mkdtempSync(join(folder, 'tmp-')),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    };
    const command = [process.execPath, '--import', registerUrl, script, fixture];
    const { stdout, stderr } = await runCommand(command, { cwd: folder, environment });
    const reports = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const reproduced = { verdict: 'reproduced', value: 'recorded', divergences: [] };
    expect(reports, stderr).toEqual([
      { run: 'first', ...reproduced },
      { run: 'second', ...reproduced },
    ]);
    // The recorder did write there.
    expect(readdirSync(join(folder, 'state'), { recursive: true }).join()).toContain('about.json');
  });
});
