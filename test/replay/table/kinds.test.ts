import { ATTR_REENACT_OUTPUT } from '@reenact/semconv/reenact';
import { DIVERGENCE_KINDS, type DivergenceKind } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withAttribute } from '../mutations/changed-recording.ts';
import { expectInEveryFormat, type TableReplay, TableStage } from './table-stage.ts';

/** How a kind comes about, and what the report says of it. */
interface KindCase {
  readonly replay: TableReplay | ((table: TableStage) => TableReplay);
  /** Path below the run; '' is the run itself. */
  readonly path: string;
  readonly candidate?: string;
  /** Places that differ, with both values. */
  readonly difference?: readonly { readonly path: string; readonly recorded?: string; readonly live?: string }[];
  readonly next: RegExp;
  readonly exitCode: 0 | 1 | 3;
  /** Whether the call is one that code makes, and so has a line. */
  readonly hasLine: boolean;
  /** The kind whose consequence it must be; absent: it is a cause. */
  readonly causedBy?: DivergenceKind;
}

const kinds: Readonly<Record<DivergenceKind, KindCase>> = {
  'input-changed': {
    replay: { change: 'argument' },
    path: '/tool:look',
    candidate: '/tool:look',
    difference: [{ path: '$[0].item', recorded: '"a"', live: '"b"' }],
    next: /Find what changed the value at \$\[0\]\.item, or see what the new input gives with --live \S+\/tool:look\./,
    exitCode: 1,
    hasLine: true,
  },
  'output-changed': {
    replay: { change: 'stricter', flags: ['--live', 'guardrail:check'] },
    path: '/guardrail:check',
    candidate: '/guardrail:check',
    difference: [{ path: '$.allowed', recorded: 'true', live: 'false' }],
    next: /changed code/,
    exitCode: 1,
    hasLine: true,
  },
  'outcome-changed': {
    replay: { change: 'outcome' },
    path: '',
    candidate: '',
    difference: [{ path: '$.price', recorded: '380' }],
    next: /look at what the code does between the calls/,
    exitCode: 1,
    hasLine: true,
  },
  'never-recorded': {
    replay: { change: 'new call' },
    path: '/tool:news',
    next: /Take the call out, let its code run with --live agent:clerk\/tool:news, or record a new run/,
    exitCode: 1,
    hasLine: true,
  },
  exhausted: {
    replay: { change: 'again' },
    path: '/tool:send#2',
    candidate: '/tool:send',
    next: /Find what added the call/,
    exitCode: 1,
    hasLine: true,
  },
  unconsumed: {
    replay: { change: 'left out' },
    path: '/tool:send',
    candidate: '/tool:send',
    next: /Find what took the call away/,
    exitCode: 1,
    hasLine: false,
  },
  reordered: {
    replay: { change: 'order' },
    path: '/tool:note',
    candidate: '/tool:note',
    next: /Find what changed the order of the two calls/,
    exitCode: 1,
    hasLine: true,
  },
  moved: {
    replay: { change: 'elsewhere' },
    path: '/tool:inner',
    candidate: '/tool:outer/tool:inner',
    next: /call it from where it was recorded/,
    exitCode: 1,
    hasLine: true,
  },
  'schema-changed': {
    replay: { change: 'schema' },
    path: '/model:local.chat',
    candidate: '/model:local.chat',
    difference: [{ path: '$.tools.sell.function.description', recorded: '"Sells."', live: '"Buys."' }],
    next: /Check the definition of sell/,
    exitCode: 1,
    hasLine: true,
  },
  forbidden: {
    replay: { flags: ['--forbid', 'tool:note'] },
    path: '/tool:note',
    candidate: '/tool:note',
    next: /Take out the call at .*clerk\.ts:\d+, or drop --forbid tool:note\./,
    exitCode: 3,
    hasLine: true,
  },
  'fixture-damaged': {
    // Inside what is served whole nothing is looked at before: only code that calls it elsewhere meets the damage.
    replay: (table) => ({
      change: 'elsewhere',
      fixture: table.write(
        'damaged-inside.otlp.jsonl',
        withAttribute(table.recording, {
          path: 'agent:clerk/tool:outer/tool:inner',
          key: ATTR_REENACT_OUTPUT,
          change: (text) => text.replace('inner x', 'inner y'),
          hasNewDigest: false,
        }),
      ),
    }),
    path: '/tool:inner',
    candidate: '/tool:outer/tool:inner',
    next: /Get the recording again with `reenact export/,
    exitCode: 1,
    hasLine: true,
  },
  'environment-changed': {
    replay: { environment: { TZ: 'Pacific/Chatham' } },
    path: '',
    difference: [{ path: '$', recorded: expect.any(String) as string, live: '"Pacific/Chatham"' }],
    next: /Replay in the recorded environment/,
    exitCode: 0,
    hasLine: false,
  },
};

// A replay is two processes, on a machine that may be busy.
const caseMs = 120_000;

let table: TableStage;

beforeAll(async () => {
  table = await TableStage.set('clerk.ts');
});

afterAll(() => table.stage.stop());

describe('each kind of divergence', () => {
  it(
    'has a case, and unchanged code has none of them',
    async () => {
      expect(Object.keys(kinds).sort()).toEqual([...DIVERGENCE_KINDS].sort());
      const { report, result } = await table.replay({});
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], edits: [] });
      expect(result.exitCode).toBe(0);
      expect(result.stderr).not.toContain('for real');
    },
    caseMs,
  );

  it.each(DIVERGENCE_KINDS)(
    '%s is reported by the command line, with its exit code',
    async (kind) => {
      const row = kinds[kind];
      const { report, result } = await table.replay(typeof row.replay === 'function' ? row.replay(table) : row.replay);
      expect(result.exitCode).toBe(row.exitCode);
      expect(report.exitCode).toBe(row.exitCode);
      const found = report.divergences.find((divergence) => divergence.kind === kind);
      if (found === undefined) throw new TypeError(`Only ${report.divergences.map((item) => item.kind).join()}`);
      expect(found).toMatchObject({
        path: `agent:clerk${row.path}`,
        next: expect.stringMatching(row.next),
        ...(row.candidate === undefined ? {} : { candidate: { path: `agent:clerk${row.candidate}` } }),
      });
      expect(found.causedBy).toBeUndefined();
      for (const entry of row.difference ?? []) expect(found.difference).toContainEqual(entry);
      if (row.hasLine && row.path !== '') expect(found.source?.file).toMatch(/clerk\.ts$/);
      if (kind === 'environment-changed') expect(report.divergences).toHaveLength(1);
      else expectInEveryFormat(report, found);
      expect(result.stderr.includes('for real')).toBe(false);
    },
    caseMs,
  );
});

describe('a cause and its consequences', () => {
  it(
    'come in this order in every format',
    async () => {
      const { report } = await table.replay({ change: 'stricter', flags: ['--live', 'guardrail:check'] });
      expect(report.divergences.map(({ kind, causedBy }) => [kind, causedBy?.divergence])).toEqual([
        ['output-changed', undefined],
        ['outcome-changed', 'd1'],
      ]);
      for (const divergence of report.divergences) expectInEveryFormat(report, divergence);
    },
    caseMs,
  );

  it(
    'are printed as the report has them, for people and for a pull request',
    async () => {
      const text = await table.run({ change: 'argument' });
      expect(text).toMatchObject({ exitCode: 1 });
      expect(text.stdout).toMatch(/Cause d1: input-changed at agent:clerk\/tool:look\n {2}at clerk\.ts:\d+:\d+/);
      expect(text.stdout).toMatch(/recorded {2}"a"\n +live {6}"b"/);
      expect(text.stdout).toContain('Exit code 1');
      const markdown = await table.run({ change: 'argument', flags: ['--markdown'] });
      expect(markdown.exitCode).toBe(1);
      expect(markdown.stdout).toMatch(/^#+ .*\n/);
      expect(markdown.stdout).toContain('input-changed');
      expect(markdown.stdout).not.toContain('\u001b[');
    },
    caseMs,
  );
});
