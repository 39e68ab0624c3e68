import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildRecording } from '@reenact/recordings/testing';
import { isReenactError, type ReenactError, type ReplayReport } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { type ReplayCommandOptions, replayCommand } from './replay-command.ts';
import { makePlan } from './resolution/plan.ts';

const recording = buildRecording({
  label: 'agent:trader',
  input: ['sell'],
  output: 'sell: 190 order 7',
  children: [
    { label: 'tool:get_quote', input: ['ACME'], output: 190 },
    { label: 'tool:place_order', input: [1000], output: 'order 7' },
  ],
});
const rootSpanId = recording.roots[0]?.spanId ?? '';
const agentFile = fileURLToPath(new URL('./testdata/trading-agent.ts', import.meta.url));
const registerUrl = new URL('./testdata/register.ts', import.meta.url).href;

interface Launched {
  readonly report: ReplayReport;
  readonly stdout: string;
  readonly stderr: string;
}

function optionsFor(mode: string, more: Partial<ReplayCommandOptions> = {}): ReplayCommandOptions {
  return {
    recording,
    rootSpanId,
    plan: makePlan({}, recording),
    command: [process.execPath, agentFile, mode],
    environment: { ...process.env, NODE_OPTIONS: '--conditions=@reenact/source' },
    registerUrl,
    stdio: 'pipe',
    ...more,
  };
}

async function launch(mode: string, more: Partial<ReplayCommandOptions> = {}): Promise<Launched> {
  const output = { stdout: '', stderr: '' };
  const onOutput = (text: string, stream: 'stdout' | 'stderr'): void => {
    output[stream] += text;
    more.onOutput?.(text, stream);
  };
  const report = await replayCommand({ ...optionsFor(mode, more), onOutput });
  return { report, ...output };
}

async function refusal(options: ReplayCommandOptions): Promise<ReenactError> {
  const error: unknown = await replayCommand(options).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (isReenactError(error)) return error;
  throw new TypeError(`not refused: ${String(error)}`);
}

describe('a part of a run', () => {
  it('is told to be entered by its function, but not where a client library was called for it', async () => {
    const parts = buildRecording({
      label: 'agent:trader',
      children: [{ label: 'tool:get_quote' }, { label: 'model:openai.chat', call: 'exchange' }],
    });
    const [next, ofLibrary] = await Promise.all(
      ['tool', 'model'].map(async (kind) => {
        const part = parts.crossings.find((crossing) => crossing.kind === kind)?.spanId ?? '';
        return (await refusal(optionsFor('same', { recording: parts, rootSpanId: part }))).next;
      }),
    );
    expect(next).toMatch(/`reenact replay [0-9a-f]{16} -- [\s\S]*reenact\.config\.ts/);
    expect(ofLibrary).toMatch(/`reenact replay [0-9a-f]{16} -- /);
    expect(ofLibrary).not.toContain('reenact.config.ts');
  });
});

describe('a command run as a replay', () => {
  it('gets what was recorded, and does nothing for real', async () => {
    const { report, stdout, stderr } = await launch('same');
    expect(stdout).toBe('sell: 190 order 7\n');
    expect(stderr).toBe('');
    expect(report).toMatchObject({
      verdict: 'reproduced',
      exitCode: 0,
      agentExit: 'exit code 0',
      process: 'dedicated',
    });
    expect(report.counts).toMatchObject({ stubbed: 2, rerun: 1, compared: 3 });
  });

  it('reports a changed argument', async () => {
    const { report } = await launch('changed');
    expect(report.exitCode).toBe(1);
    expect(report.divergences).toMatchObject([{ kind: 'input-changed', path: 'agent:trader/tool:get_quote' }]);
  });

  it('is told where it stands through its environment', async () => {
    const environment = {
      ...process.env,
      NODE_OPTIONS: `--conditions=@reenact/source --import=${registerUrl}`,
      BAGGAGE: 'tenant=acme, reenact.replay=forged.-.mac',
    };
    const { report, stdout } = await launch('environment', { environment });
    const child = JSON.parse(stdout.split('\n')[0] ?? '') as Record<string, string>;
    expect(child.NODE_OPTIONS).toBe(environment.NODE_OPTIONS);
    expect(child.BAGGAGE).toMatch(/^tenant=acme,reenact\.replay=[0-9a-f]{16}\.-\.\d{10}\.[\w-]{22}$/);
    expect(child.TRACEPARENT).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(child.TRACEPARENT).not.toContain(recording.traceId);
    expect(report.exitCode).toBe(0);
    expect(existsSync(child.REENACT_REPLAY ?? '')).toBe(false);
  });

  it('hands the replay on to its own children', async () => {
    const { report, stdout } = await launch('child');
    expect(stdout).toBe('sell: 190 order 7\n');
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 2 } });
  });
});

describe('what a process found', () => {
  it.each([
    ['exit', 'exit code 7'],
    ['throw', 'exit code 1'],
    ['kill', 'signal SIGKILL'],
  ])('survives its end by %s', async (mode, agentExit) => {
    const { report } = await launch(mode);
    expect(report).toMatchObject({ agentExit, exitCode: 1, counts: { stubbed: 1, rerun: 1, unconsumed: 1 } });
    const [cause, consequence] = report.divergences;
    expect(cause).toMatchObject({ kind: 'outcome-changed', message: expect.stringContaining(agentExit) });
    expect(consequence).toMatchObject({ kind: 'unconsumed', causedBy: { divergence: cause?.id } });
  });

  it('is gathered when the replay itself is told to stop', async () => {
    const { report } = await launch('wait', {
      onOutput: (text) => {
        if (text.includes('waiting')) process.emit('SIGTERM', 'SIGTERM');
      },
    });
    expect(report).toMatchObject({ agentExit: 'signal SIGTERM', exitCode: 1 });
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });
});

describe('a replay that compares nothing', () => {
  it('has met no crossing', async () => {
    const { report } = await launch('nothing');
    expect(report).toMatchObject({ verdict: 'nothing-compared', exitCode: 2 });
  });

  it('was never joined', async () => {
    const command = [process.execPath, '--version'];
    const { report } = await launch('', { command });
    expect(report).toMatchObject({ verdict: 'nothing-compared', exitCode: 2 });
    expect(report.notes.join()).toMatch(/never joined the replay, so whatever it did was real/);
  });

  it('was refused by the hook, which then says why, and that nothing was real but what is no Node.js', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-refusing-'));
    const hook = join(folder, 'hook.mjs');
    const reason = 'Node.js 22.19 or newer is needed.';
    const lines = `writeFileSync(process.env.REENACT_REPLAY + '/refused.txt', ${JSON.stringify(reason)}); process.exit(2);`;
    writeFileSync(hook, `import { writeFileSync } from 'node:fs'; ${lines}`);
    const registerUrl = pathToFileURL(hook).href;
    const { report } = await launch('same', { registerUrl });
    const inShell = await launch('', { registerUrl, command: ['sh', '-c', `"${process.execPath}" agent.mjs`] });
    rmSync(folder, { recursive: true });
    expect(report).toMatchObject({ verdict: 'nothing-compared', exitCode: 2 });
    expect(report.notes.join()).toMatch(
      /ended before its first line, and did nothing: Node\.js 22\.19 or newer is needed\./,
    );
    expect(report.notes.join()).not.toMatch(/was real/);
    expect(inShell.report.notes.join()).toMatch(/whatever else "sh" did was real\. Node\.js 22\.19/);
  });

  it('was kept from joining by permissions of Node.js', async () => {
    const command = [process.execPath, '--permission', '--allow-fs-read=*', agentFile, 'same'];
    const { report, stdout, stderr } = await launch('', { command });
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /permissions keep this process from taking part[\s\S]*--allow-fs-write='.*reenact-replay-\*'/,
    );
    expect(report).toMatchObject({ verdict: 'nothing-compared', exitCode: 2 });
    expect(report.notes.join()).toMatch(/permissions\. Let it read and write .*--allow-fs-write='.*reenact-replay-\*'/);
    expect(report.notes.join()).not.toMatch(/was real/);
  });
});

describe('a command that is refused before it runs', () => {
  it('re-runs only a part of the run', async () => {
    const nested = recording.crossings[1]?.spanId ?? '';
    const error = await refusal(optionsFor('same', { rootSpanId: nested }));
    expect(error.code).toBe('unsupported');
    expect(error.next).toContain(`reenact replay ${rootSpanId} -- ${process.execPath}`);
    expect(error.next).toContain("entries: { 'tool:get_quote': './<file>#<exported function>' }");
  });

  it('is a program of Deno, which would run for real', async () => {
    for (const command of [
      ['deno', 'run', 'app.ts'],
      ['/usr/bin/deno', 'app.ts'],
    ]) {
      const error = await refusal(optionsFor('', { command }));
      expect([error.code, error.message]).toEqual(['unsupported', expect.stringMatching(/Deno.*for real/)]);
      expect(error.next).toContain('Node.js 22.19');
    }
    // It starts what a file of tasks names, which may be Node.js.
    expect((await refusal(optionsFor('', { command: ['/no/such/deno', 'task', 'start'] }))).code).toBe('launch-failed');
  });

  it('does not exist, or is empty', async () => {
    const missing = await refusal(optionsFor('', { command: ['reenact-no-such-program'] }));
    expect([missing.code, missing.message]).toEqual(['launch-failed', expect.stringContaining('no-such-program')]);
    expect((await refusal(optionsFor('', { command: [] }))).code).toBe('launch-failed');
  });

  it('has an unknown span id', async () => {
    expect((await refusal(optionsFor('same', { rootSpanId: 'ffffffffffffffff' }))).code).toBe('not-found');
  });
});
