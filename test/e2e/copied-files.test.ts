import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFileTrace } from '@vercel/nft';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOf } from '../scenarios/runs-of.ts';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { replayAsJson } from './small-stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = 'test/scenarios/small/agent/copied.mjs';

let folder: string;
let provider: EchoProvider;
let stage: Stage;

/** A file, or a link as the link that it is. */
function copyAsItIs(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else copyFileSync(from, to);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-copied-'));
  // The tracer of Next.js' `output: 'standalone'`, Nitro and Vercel: what reading the code finds, links of the workspaces included.
  const { fileList } = await nodeFileTrace([join(root, script)], { base: root });
  for (const path of fileList) copyAsItIs(join(root, path), join(folder, path));
  provider = await startEchoProvider();
  const agentFolder = join(folder, dirname(script));
  stage = await setStage({ agentFolder, environment: () => provider.environment });
}, 120_000);

afterAll(async () => {
  await stage.stop();
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a program of which only the files were copied that reading its code finds', () => {
  it('is recorded by the hook that it imports, and replays where it was copied to', async () => {
    const recorded = await stage.node(['copied.mjs']);
    expect(recorded).toMatchObject({ exitCode: 0, stdout: 'The provider answers.\n', stderr: '' });
    const [run] = await runsOf(stage);
    const { stdout } = await stage.reenact(['show', run?.rootSpanId ?? '']);
    expect(stdout).toContain('model:openai.chat');
    const requests = provider.requestCount();
    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', 'copied.mjs');
    expect(result.exitCode).toBe(0);
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(provider.requestCount()).toBe(requests);
  });
});
