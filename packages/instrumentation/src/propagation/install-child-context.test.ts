import { type ExecFileSyncOptions, execFileSync, execSync, spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { context as contexts, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../admission/current-gate.ts';
import { agent, tool } from '../boundary/boundaries.ts';
import { ownName } from '../host/process-names.ts';
import { coveredWork } from '../run/covered-work.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { environmentContext } from './child-context.ts';
import { installChildContext } from './install-child-context.ts';

const print = ['-p', 'JSON.stringify([process.env.TRACEPARENT, process.env.TRACESTATE, process.env.KEPT])'];
const command = `"${process.execPath}" -p "process.env.TRACEPARENT"`;
let host: RecordingHost;
let uninstall: () => void;

beforeEach(() => {
  host = new RecordingHost();
  uninstall = installChildContext();
});

afterEach(async () => {
  uninstall();
  await host.stop();
});

/** What a child that is started inside a run sees, and the trace context of that run. */
function seenInRun(start: () => string): { seen: unknown; own: string } {
  const run = agent('starter', () => {
    const { traceId = '', spanId = '' } = trace.getActiveSpan()?.spanContext() ?? {};
    return { seen: start().trim(), own: `00-${traceId}-${spanId}-01` };
  });
  return run();
}

function printed(options?: ExecFileSyncOptions): string {
  return String(execFileSync(process.execPath, print, options));
}

describe('programs that are started alike', () => {
  const counting = ['-p', 'process.env.REENACT_CHILD_OCCURRENCE ?? "none"'];
  const counted = (...more: string[]): string =>
    execFileSync(process.execPath, [...counting, ...more], { encoding: 'utf8' }).trim();

  it('are told which of them each is, by their starter and however they are started', async () => {
    const run = agent('starter', async () => {
      const waited = [counted(), counted(), counted('other'), counted()];
      const begun = [0, 1].map(() => spawn(process.execPath, [...counting, 'begun']));
      return [...waited, ...(await Promise.all(begun.map(({ stdout }) => text(stdout)))).map((said) => said.trim())];
    });
    expect(await run()).toEqual(['1', '2', '1', '3', '1', '2']);
    expect(await run()).toEqual(['1', '2', '1', '3', '1', '2']);
  });

  it('are alike however they are started: by name, by path, or in a shell', () => {
    const line = `node -p "process.env.REENACT_CHILD_OCCURRENCE" begun`;
    const words = ['-p', 'process.env.REENACT_CHILD_OCCURRENCE', 'begun'];
    const run = agent('starter', () => [
      execFileSync(process.execPath, words, { encoding: 'utf8' }),
      execFileSync('node', words, { encoding: 'utf8' }),
      execSync(line, { encoding: 'utf8' }),
      execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' }),
    ]);
    expect(run().map((said) => said.trim())).toEqual(['1', '2', '3', '4']);
  });

  it('are told nothing outside a run', () => {
    expect([counted(), counted()]).toEqual(['none', 'none']);
  });
});

describe('a program that is started inside a run', () => {
  it('is told of it, whatever way it is started and whatever environment it is given', () => {
    const starts = [
      () => printed(),
      () => printed({ env: { KEPT: 'yes' } }),
      () => String(spawnSync(process.execPath, print).stdout),
    ];
    const [inherited, own, spawned] = starts.map(seenInRun);
    expect(JSON.parse(String(inherited?.seen))).toEqual([inherited?.own, null, null]);
    expect(JSON.parse(String(own?.seen))).toEqual([own?.own, null, 'yes']);
    expect(JSON.parse(String(spawned?.seen))).toEqual([spawned?.own, null, null]);
    const shell = seenInRun(() => execSync(command, { encoding: 'utf8' }));
    expect(shell.seen).toBe(shell.own);
  });

  it('keeps a trace context that its starter set for it, an empty one included', () => {
    for (const TRACEPARENT of ['', `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`]) {
      const { seen } = seenInRun(() => printed({ env: { TRACEPARENT } }));
      expect(JSON.parse(String(seen))).toEqual([TRACEPARENT, null, null]);
    }
  });

  it('is told asynchronously, too, without a change of the environment here', async () => {
    const before = { ...process.env };
    const run = agent('starter', async () => {
      const child = spawn(process.execPath, print, { env: { ...process.env, KEPT: 'yes' } });
      return { seen: JSON.parse(await text(child.stdout)), spanId: trace.getActiveSpan()?.spanContext().spanId };
    });
    const { seen, spanId } = await run();
    expect(seen).toEqual([expect.stringContaining(`-${spanId}-`), null, 'yes']);
    expect({ ...process.env }).toEqual(before);
  });
});

describe('a program that the code of an agent starts', () => {
  const told = ['-p', 'process.env.REENACT_CHILD_OF_CODE ?? "none"'];
  const ask = (env: NodeJS.ProcessEnv = {}): string =>
    execFileSync(process.execPath, told, { encoding: 'utf8', env }).trim();

  it('is told so, and one that a tool starts is not, whatever it inherits', () => {
    const look = tool('look', () => [ask(), ask({ REENACT_CHILD_OF_CODE: '1' })]);
    expect(agent('starter', () => [ask(), ...look()])()).toEqual([ownName(), 'none', '']);
    expect(ask()).toBe('none');
  });

  it('is told so in the run of a process, too, and not where a wrapped client starts it', () => {
    agent('process', () => {
      const opened = contexts.active();
      gate.configure({ openedRootContext: () => opened });
      const said = contexts.with(ROOT_CONTEXT, () => [ask(), coveredWork(() => ask())]);
      gate.configure({ openedRootContext: undefined });
      expect(said).toEqual([ownName(), 'none']);
    })();
  });
});

describe('a program that is started outside of every run', () => {
  it('is told nothing', () => {
    expect(JSON.parse(printed({ env: {} }))).toEqual([null, null, null]);
  });
});

describe('the trace context of an environment', () => {
  it('is the span it names, and none where it is malformed', () => {
    const [traceId, spanId] = ['ab'.repeat(16), 'cd'.repeat(8)];
    const context = environmentContext({ TRACEPARENT: `00-${traceId}-${spanId}-01`, TRACESTATE: 'vendor=1' });
    expect(trace.getSpanContext(context ?? ROOT_CONTEXT)).toMatchObject({ traceId, spanId, isRemote: true });
    for (const TRACEPARENT of [undefined, '', 'yes', `00-${'0'.repeat(32)}-${spanId}-01`]) {
      expect(environmentContext({ TRACEPARENT })).toBeUndefined();
    }
  });
});
