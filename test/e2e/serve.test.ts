import { join } from 'node:path';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCommand, startCommand } from '../scenarios/run-command.ts';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

const root = new URL('../..', import.meta.url).pathname;
const nowhere = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'none' };
const agent = ['node', 'bare-model-calls.ts'];

let provider: EchoProvider;
let stage: Stage;
let spanId: string;
let recordedOutput: string;

beforeAll(async () => {
  provider = await startEchoProvider();
  stage = await setSmallStage(provider.environment);
  const { run, recorded } = await recordRun(stage, 'bare-model-calls.ts');
  spanId = run.rootSpanId;
  recordedOutput = recorded.stdout;
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

/** `reenact serve` without a command, as it says where it is. */
async function startServing(): Promise<{ running: RunningCommand; url: string; environment: Record<string, string> }> {
  const reenact = join(root, 'packages/reenact/bin/reenact.mjs');
  const command = [process.execPath, reenact, 'serve', spanId, '--json', '--collector', stage.collectorUrl];
  const running = await startCommand(command, { cwd: stage.folder, environment: process.env });
  const { url, environment } = JSON.parse(running.firstLine) as { url: string; environment: Record<string, string> };
  return { running, url, environment };
}

function askFirst(baseUrl: string | undefined): Promise<Response> {
  const body = JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'first' }] });
  return fetch(`${baseUrl}/chat/completions`, { method: 'POST', body });
}

describe('an agent that knows nothing of Reenact', () => {
  it('gets its recorded answers from the base URL in its environment', async () => {
    const requests = provider.requestCount();
    const served = await stage.reenact(['serve', spanId, '--json', '--', ...agent], nowhere);
    expect(served.stderr).toContain(recordedOutput);
    expect(served.stderr).toMatch(/side effects are possible/);
    expect(JSON.parse(served.stdout)).toMatchObject({
      verdict: 'reproduced',
      scope: 'model-calls',
      counts: { recorded: 3, stubbed: 3, compared: 3 },
      divergences: [],
    });
    expect(served.exitCode).toBe(0);
    expect(provider.requestCount()).toBe(requests);
  });

  it('is told for people what was and what was not compared', async () => {
    const served = await stage.reenact(['serve', spanId, '--', ...agent], nowhere);
    expect(served.stdout.startsWith(recordedOutput)).toBe(true);
    expect(served.stdout).toMatch(/Reproduced: every model call was made exactly as recorded\./);
    expect(served.stdout).toMatch(/3 model calls recorded · 3 stubbed/);
    expect(served.stdout).not.toMatch(/--live/);
  });
});

describe('without a command', () => {
  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
    'serves until %s, then prints the report and exits by it',
    async (signal) => {
      const { running, url, environment } = await startServing();
      expect(environment).toMatchObject({ OPENAI_BASE_URL: `${url}/v1` });
      const response = await askFirst(environment.OPENAI_BASE_URL);
      expect(response.status).toBe(200);
      await response.text();
      const { stdout, exitCode } = await running.stop(signal);
      const report = JSON.parse(stdout.slice(running.firstLine.length)) as ReplayReport;
      expect(report.counts).toMatchObject({ stubbed: 1, unconsumed: 2 });
      expect(exitCode).toBe(1);
      await expect(fetch(url)).rejects.toThrow();
    },
  );

  it('has compared nothing where nobody asked', async () => {
    const { running } = await startServing();
    const { exitCode } = await running.stop('SIGINT');
    expect(exitCode).toBe(2);
  });
});

describe('what cannot be served', () => {
  it.each<[string, string[], RegExp]>([
    ['an unknown file', ['serve', 'nothing.jsonl'], /fixture-unreadable/],
    ['an unknown id', ['serve', '0'.repeat(31).concat('9')], /not-found/],
    ['a port that is none', ['serve', 'x', '--port', '99999'], /bad-argument/],
  ])('%s ends with exit code 2', async (_name, parameters, message) => {
    const { exitCode, stderr, stdout } = await stage.reenact(parameters);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
  });

  it('a command that does not exist ends with exit code 2', async () => {
    const { exitCode, stderr } = await stage.reenact(['serve', spanId, '--', 'no-such-program']);
    expect(stderr).toMatch(/launch-failed/);
    expect(exitCode).toBe(2);
  });

  it('a port that is taken ends with exit code 2', async () => {
    const { port } = new URL(stage.collectorUrl);
    const { exitCode, stderr } = await stage.reenact(['serve', spanId, '--port', port]);
    expect(stderr).toMatch(/port-taken/);
    expect(exitCode).toBe(2);
  });
});
