import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, replayAsJson } from './small-stage.ts';

const app = fileURLToPath(new URL('../scenarios/small/agent/to-be-bundled.ts', import.meta.url));
// The very line that users are told of.
const page = readFileSync(new URL('../../docs/bundlers.md', import.meta.url), 'utf8');
const withRequire = /--banner:js="([^"]+)"/.exec(page)?.[1] ?? '';
const formats = {
  'app.cjs': { format: 'cjs' },
  'app.mjs': { format: 'esm', banner: { js: withRequire } },
} as const;

let folder: string;
let provider: EchoProvider;
let stage: Stage;

beforeAll(async () => {
  // Nothing beside the bundles: they find no package.
  folder = mkdtempSync(join(tmpdir(), 'reenact-bundled-app-'));
  for (const [file, options] of Object.entries(formats)) {
    const outfile = join(folder, file);
    await build({ entryPoints: [app], outfile, bundle: true, platform: 'node', logLevel: 'silent', ...options });
  }
  provider = await startEchoProvider();
  stage = await setStage({
    agentFolder: folder,
    environment: (own) => ({ ...provider.environment, REENACT_SPOOL_DIR: join(own, 'spool') }),
  });
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(Object.keys(formats))('an app that is one file with Reenact inside, %s', (file) => {
  it('is recorded, replayed without a request, and differs where it is called with something else', async () => {
    const recorded = await stage.node([file]);
    expect(recorded).toMatchObject({ stderr: '', exitCode: 0, stdout: expect.stringContaining('"isClosed":true') });
    const [run] = (await listRuns(stage)).filter(({ agents }) => agents?.includes('bundled'));
    expect(run?.replayability.verdict).toBe('full');
    const requests = provider.requestCount();
    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', file);
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 3 } });
    expect(result.stderr).toContain(recorded.stdout.trim());
    const environment = { PROMPT: 'shout' };
    const changed = await replayAsJson(stage, run?.rootSpanId ?? '', file, { environment });
    expect(changed.report.divergences[0]).toMatchObject({
      kind: 'input-changed',
      path: 'agent:bundled/model:openai.chat',
      // The bundle is what the user runs, so a line of it is the nearest that there is.
      source: { file: expect.stringContaining(file) },
    });
    expect(provider.requestCount()).toBe(requests);
  });

  it('tells the doctor what it records, and of a client that nobody wrapped', async () => {
    const wrapped = await examine(file);
    expect(wrapped.diagnosis).toMatchObject({ traps: [], recorded: { 'agent:bundled': 1, 'model:openai.chat': 1 } });
    expect(wrapped.exitCode).toBe(0);
    const { diagnosis, exitCode } = await examine(file, { UNWRAPPED: '1' });
    expect(diagnosis.traps).toMatchObject([{ kind: 'unseen-model-call' }]);
    expect(exitCode).toBe(1);
  });
});

interface Diagnosis {
  readonly traps: readonly { readonly kind: string }[];
  readonly recorded?: Readonly<Record<string, number>>;
}

/** What the doctor says of the app as it is started by itself. */
async function examine(
  file: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ diagnosis: Diagnosis; exitCode: number | null }> {
  const { stdout, exitCode } = await stage.reenact(['doctor', '--as-is', '--json', '--', 'node', file], environment);
  return { diagnosis: JSON.parse(stdout) as Diagnosis, exitCode };
}
