import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TailEvent } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

const program = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));

let stage: Stage;
let spanId: string;
let traceId: string;

beforeAll(async () => {
  stage = await setSmallStage();
  const { run } = await recordRun(stage, 'parallel.ts');
  spanId = run.rootSpanId;
  traceId = run.traceId;
  await stage.reenact(['replay', spanId, '--export', '--', 'node', 'parallel.ts']);
});

afterAll(() => stage.stop());

async function outputOf(...parameters: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.reenact(parameters);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe('reenact runs', () => {
  it('lists what happened; replays only where they are asked for, and marks both', async () => {
    const listed = await outputOf('runs');
    expect(listed).toContain(spanId);
    expect(listed).toContain('(1 replay)');
    expect(listed.trimEnd().split('\n')).toHaveLength(2);
    expect((await outputOf('runs', '--replays')).trimEnd().split('\n')).toHaveLength(3);
    expect(await outputOf('runs', '--replay-of', traceId)).toContain('(replay)');
    expect(await outputOf('runs', '--has-replays')).toContain(spanId);
    expect(await outputOf('runs', '--has-replays=false')).toBe('No runs pass these filters.\n');
    const replays = await outputOf('runs', '--replays', 'only', '--service', 'unknown');
    expect(replays).toContain('reenact replay <id> --export');
  });

  it('sums tokens, and says which filter cannot be used', async () => {
    expect(await outputOf('runs', '--sum', '--service', 'small')).toMatch(/1 run, \d+→\d+ tokens/);
    const refused = await stage.reenact(['runs', '--replayability', 'warm']);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--replayability cannot be used') });
  });
});

describe('reenact search', () => {
  it('shows runs and where the words stand', async () => {
    const found = await outputOf('search', 'OUTPUT of part 1');
    expect(found).toContain(spanId);
    expect(found).toMatch(/[0-9a-f]{16} output {2}.*output of part 1/);
    expect(JSON.parse(await outputOf('search', 'outp*', 'part', '--json'))).toMatchObject({
      found: [{ run: { traceId } }],
    });
    expect(await outputOf('search', 'zebrafinch')).toBe('No run has all of these words.\n');
  });
});

describe('reenact drift', () => {
  it('says that nothing drifted where nothing did', async () => {
    expect(await outputOf('drift')).toBe('No crossings had equal input and different outcomes.\n');
    expect(JSON.parse(await outputOf('drift', '--json', '--kind', 'tool'))).toEqual({ drifts: [] });
  });
});

describe('reenact tail', () => {
  it('prints runs from an event on, one a line, and ends cleanly with Ctrl-C', async () => {
    const tail = spawn(process.execPath, [program, 'tail', '--json', '--from', '0'], {
      env: { ...process.env, REENACT_COLLECTOR: stage.collectorUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(tail, 'close');
    for await (const line of createInterface({ input: tail.stdout })) {
      const event = JSON.parse(line) as TailEvent;
      expect(event).toMatchObject({ event: 'run', id: expect.any(String), data: { traceId } });
      break;
    }
    tail.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });
});
