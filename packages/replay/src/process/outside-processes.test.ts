import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildRecording } from '@reenact/recordings/testing';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayCommand } from '../replay-command.ts';
import { makePlan } from '../resolution/plan.ts';
import { canWatchProcesses } from './outside-processes.ts';

const recording = buildRecording({
  label: 'agent:trader',
  input: ['sell'],
  output: 'sell: 190 order 7',
  children: [
    { label: 'tool:get_quote', input: ['ACME'], output: 190 },
    { label: 'tool:place_order', input: [1000], output: 'order 7' },
  ],
});
const agent = `'${process.execPath}' '${fileURLToPath(new URL('../testdata/trading-agent.ts', import.meta.url))}' same`;
/** Runs for so long that only being stopped ends it in time. */
const other = `'${process.execPath}' -e 'setTimeout(() => console.log("other ended"), 60_000)'`;

async function replayScript(script: string): Promise<{ report: ReplayReport; printed: string }> {
  let printed = '';
  const report = await replayCommand({
    recording,
    rootSpanId: recording.roots[0]?.spanId ?? '',
    plan: makePlan({}, recording),
    command: ['sh', '-c', script],
    environment: { ...process.env, NODE_OPTIONS: '--conditions=@reenact/source' },
    registerUrl: new URL('../testdata/register.ts', import.meta.url).href,
    stdio: 'pipe',
    onOutput: (text, stream) => {
      if (stream === 'stdout') printed += text;
    },
  });
  return { report, printed };
}

describe.runIf(canWatchProcesses())('a process that lost the hook on its way', () => {
  it.each([
    ['NODE_OPTIONS was taken away', `env -u NODE_OPTIONS ${other}`],
    ['the whole environment was taken away', `env -i ${other}`],
    ['other NODE_OPTIONS were put in place', `NODE_OPTIONS=--no-warnings REENACT_REPLAY= ${other}`],
    [
      'it was started by a shell below a shell, in the background',
      `sh -c "env -i ${other.replaceAll('"', '\\"')}" & wait`,
    ],
  ])('is stopped and reported although the agent itself reproduces: %s', async (_why, script) => {
    const { report, printed } = await replayScript(`${script}; ${agent}`);
    expect(printed).toBe('sell: 190 order 7\n');
    expect(report).toMatchObject({ verdict: 'unusable', exitCode: 2, divergences: [] });
    expect(report.counts).toMatchObject({ stubbed: 2, compared: 3 });
    expect(report.notes.join('\n')).toMatch(
      /setTimeout.*ran outside the replay, for real, and was stopped: NODE_OPTIONS/,
    );
  });

  it('is told from programs that take part, and from shells and other programs', async () => {
    const { report } = await replayScript(`sleep 0.1; ${agent}; true | cat`);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, notes: [] });
  });

  it('is told from what Reenact itself starts to deliver spans, and only for this replay', async () => {
    const deliver = `'${process.execPath}' -e 'setTimeout(() => undefined, 150)'`;
    const own = await replayScript(`NODE_OPTIONS= REENACT_OWN_PROCESS="$REENACT_REPLAY" ${deliver}; ${agent}`);
    expect(own.report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
    const forged = await replayScript(`NODE_OPTIONS= REENACT_OWN_PROCESS=/elsewhere ${other}; ${agent}`);
    expect(forged.report).toMatchObject({ verdict: 'unusable', exitCode: 2 });
  });

  it('is reported also where it is the agent itself', async () => {
    const { report } = await replayScript(`exec env -u NODE_OPTIONS ${other}`);
    expect(report).toMatchObject({ verdict: 'unusable', exitCode: 2, agentExit: 'signal SIGKILL' });
    expect(report.notes.join('\n')).not.toMatch(/never joined/);
  });
});

describe.runIf(canWatchProcesses())('a program of another runtime below the command', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'reenact-runtimes-'));
    // Told by the name of the program: these are this Node.js, under the names of others.
    for (const name of ['bun', 'deno']) copyFileSync(process.execPath, join(folder, name));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const waiting = `-e 'setTimeout(() => console.log("other ended"), 60_000)'`;

  it.each([
    ['deno', ''],
    ['bun', 'env -u BUN_OPTIONS '],
  ])('is stopped and reported although the agent itself reproduces: %s', async (name, before) => {
    const { report, printed } = await replayScript(`${before}'${join(folder, name)}' ${waiting}; ${agent}`);
    expect(printed).toBe('sell: 190 order 7\n');
    expect(report).toMatchObject({ verdict: 'unusable', exitCode: 2, counts: { stubbed: 2 } });
    const notes = report.notes.join('\n');
    expect(notes).toMatch(/setTimeout.*ran outside the replay, for real, and was stopped: it is no Node\.js/);
    expect(notes).not.toContain('must hand its environment on');
  });

  it('is let be where it loads what refuses to run it', async () => {
    const { report } = await replayScript(`'${join(folder, 'bun')}' -e 'setTimeout(() => undefined, 150)'; ${agent}`);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });
});
