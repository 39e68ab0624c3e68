import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { collectorWithout } from './collector-without.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

// Each case starts a driver and a program for each replay.
const caseMs = 120_000;
const mustNotRun = { TOOL_MUST_NOT_RUN: '1' };

/** What one process recorded: its runs in start order, and the line that each printed. */
interface Batch {
  readonly runs: readonly RunSummary[];
  readonly lines: readonly string[];
}

let stage: Stage;
let inTurn: Batch;
let atOnce: Batch;

async function record(environment: NodeJS.ProcessEnv = {}): Promise<Batch> {
  const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const { stdout, stderr, exitCode } = await stage.node(['--import', 'reenact/register', 'batch.ts'], environment);
  expect([exitCode, stderr]).toEqual([0, '']);
  const runs = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
  // Each is for the user that its ticket is named after: runs side by side may begin within one millisecond.
  const ticketOf = ({ users }: RunSummary): string => users?.join() ?? '';
  return {
    runs: runs.toSorted((left, right) => ticketOf(left).localeCompare(ticketOf(right))),
    lines: stdout.trim().split('\n'),
  };
}

/** Replays by the command; no tool may run, whatever the report says. */
async function replay(
  id: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ report: ReplayReport; printed: string }> {
  const { report, result } = await replayAsJson(stage, id, 'batch.ts', {
    environment: { ...mustNotRun, ...environment },
  });
  expect(result.stderr).not.toContain('the tool ran');
  return { report, printed: result.stderr };
}

function idOf({ runs }: Batch, index: number): string {
  return runs[index]?.rootSpanId ?? '';
}

beforeAll(async () => {
  stage = await setSmallStage();
  inTurn = await record();
  atOnce = await record({ AT_ONCE: '1' });
}, caseMs);

afterAll(() => stage.stop());

describe('a script that goes through three runs one after the other', () => {
  it(
    'replays each by its command, those before it from their own recordings',
    async () => {
      expect(inTurn.runs).toHaveLength(3);
      for (const [index, run] of inTurn.runs.entries()) {
        const { report, printed } = await replay(run.rootSpanId);
        expect(report).toMatchObject({ exitCode: 0, rootSpanId: run.rootSpanId, agentExit: 'exit code 0' });
        expect(report.counts).toMatchObject({ recorded: 7, stubbed: 5, rerun: 2, refused: 0, unconsumed: 0 });
        for (const line of inTurn.lines.slice(0, index + 1)) expect(printed).toContain(line);
        for (const line of inTurn.lines.slice(index + 1)) expect(printed).not.toContain(line.slice(0, 3));
        if (index > 0) {
          expect(report.runsBeside).toMatchObject({ place: index + 1, recorded: index, begun: index, diverged: 0 });
          expect(report.runsBeside?.stubbed).toBe(index * 5);
        }
      }
    },
    caseMs,
  );

  it(
    'leaves no run behind that it was stopped at: it never began',
    async () => {
      const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
      const { report } = await replayAsJson(stage, idOf(inTurn, 0), 'batch.ts', { flags: ['--export'] });
      expect(report.notes).toContainEqual(expect.stringContaining('went on to another run'));
      const replays = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
      expect(replays).toMatchObject([{ name: 'agent:triage', spanCount: 7 }]);
      expect(replays.map(({ isPending }) => isPending)).not.toContain(true);
    },
    caseMs,
  );

  it('is shown as such: which run of its process each was, and which was before it', async () => {
    const [first, second, third] = inTurn.runs;
    const shown = await stage.reenact(['show', third?.rootSpanId ?? '']);
    expect(shown.stdout).toContain(`process: agent:triage was run 3 of it; run 2: reenact show ${second?.traceId}\n`);
    const { stdout } = await stage.reenact(['show', second?.rootSpanId ?? '', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ runsBefore: [{ rootSpanId: second?.rootSpanId, place: 1 }] });
    expect((await stage.reenact(['show', first?.rootSpanId ?? ''])).stdout).not.toContain('process:');
  });

  it(
    'diverges in the run that is called otherwise, under its own name',
    async () => {
      const { report: own } = await replay(idOf(inTurn, 2), { EDITED: 'c' });
      expect(own).toMatchObject({ exitCode: 1, runsBeside: { diverged: 0 } });
      expect(own.divergences[0]).toMatchObject({ kind: 'input-changed', path: 'agent:triage/tool:look_up' });
      const { report: beside } = await replay(idOf(inTurn, 2), { EDITED: 'b' });
      expect(beside).toMatchObject({ exitCode: 1, verdict: 'diverged', divergences: [], outcome: { equal: true } });
      const second = beside.runsBeside?.runs.find(({ divergences }) => divergences.length > 0);
      expect(second).toMatchObject({ place: 2, traceId: inTurn.runs[1]?.traceId, rootSpanId: idOf(inTurn, 1) });
      expect(second?.divergences[0]).toMatchObject({ kind: 'input-changed', path: 'agent:triage/tool:look_up' });
    },
    caseMs,
  );

  it(
    'takes a run by what it is called with: one that is left out now moves no other into its place',
    async () => {
      const { report } = await replay(idOf(inTurn, 2), { LEFT_OUT: 'b' });
      expect(report).toMatchObject({ exitCode: 0, divergences: [], runsBeside: { recorded: 2, begun: 1 } });
      const { report: gone } = await replay(idOf(inTurn, 2), { LEFT_OUT: 'c' });
      expect(gone).toMatchObject({ exitCode: 2, verdict: 'nothing-compared' });
    },
    caseMs,
  );
});

describe('three runs side by side', () => {
  it(
    'each get their own recording, in whatever order they begin now',
    async () => {
      const reversed = { AT_ONCE: '1', TICKETS: 'c,b,a' };
      for (const environment of [{ AT_ONCE: '1' }, reversed]) {
        const replayed = await Promise.all(atOnce.runs.map(({ rootSpanId }) => replay(rootSpanId, environment)));
        for (const [index, { report, printed }] of replayed.entries()) {
          expect(report).toMatchObject({ exitCode: 0, rootSpanId: idOf(atOnce, index), notes: [] });
          expect(report.runsBeside).toMatchObject({ recorded: 2, begun: 2, diverged: 0, stubbed: 10, refused: 0 });
          for (const line of atOnce.lines) expect(printed).toContain(line);
        }
      }
    },
    caseMs,
  );

  it(
    'tell which of them went another way',
    async () => {
      const { report } = await replay(idOf(atOnce, 0), { AT_ONCE: '1', EDITED: 'c' });
      expect(report).toMatchObject({ exitCode: 1, divergences: [], runsBeside: { diverged: 1 } });
      const text = await stage.reenact(['replay', idOf(atOnce, 0), '--', 'node', 'batch.ts'], {
        AT_ONCE: '1',
        EDITED: 'c',
      });
      const unbroken = text.stdout.replaceAll(/\s+/g, ' ');
      expect(unbroken).toContain('this run went as recorded, another one of its process did not');
      expect(unbroken).toMatch(new RegExp(`Run 3 of the process, agent:triage \\(trace ${atOnce.runs[2]?.traceId}\\)`));
    },
    caseMs,
  );
});

describe('a run that failed among others', () => {
  it(
    'fails again with its error, also where another one is replayed',
    async () => {
      const batch = await record({ FAILING: 'b' });
      for (const index of [1, 2]) {
        const { report, printed } = await replay(idOf(batch, index));
        expect(report).toMatchObject({ exitCode: 0, outcome: { equal: true } });
        expect(printed).toContain('b: nothing is known of b');
      }
    },
    caseMs,
  );
});

describe('a run whose process is not there whole', () => {
  it(
    'is refused with the name of the run that is missing, before anything starts',
    async () => {
      const lacking = await collectorWithout(stage, inTurn.runs[1]?.traceId ?? '');
      const { port } = lacking.address() as AddressInfo;
      const environment = { ...mustNotRun, REENACT_COLLECTOR: `http://127.0.0.1:${port}` };
      const command = ['replay', idOf(inTurn, 2), '--', 'node', 'batch.ts'];
      const { exitCode, stdout, stderr } = await stage.reenact(command, environment);
      lacking.close();
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/cold-case.*This is run 3 of its process, and run 2/s);
      expect(stderr).toContain(inTurn.runs[1]?.traceId);
      expect(stderr).toContain('--entry');
    },
    caseMs,
  );

  it(
    'is replayed from a fixture that holds all of it, with no collector',
    async () => {
      const file = join(stage.folder, 'third.otlp.jsonl');
      const exported = await stage.reenact(['export', idOf(inTurn, 2), '--out', file]);
      expect(exported.stdout).toContain('2 other runs of the process of agent:triage held here');
      const { report } = await replay(file, { REENACT_COLLECTOR: 'http://127.0.0.1:9' });
      expect(report).toMatchObject({ exitCode: 0, rootSpanId: idOf(inTurn, 2), runsBeside: { place: 3, begun: 2 } });
    },
    caseMs,
  );
});

describe('a fork of a run that is not the first', () => {
  it(
    'is named before the runs that went the same way again, and replays by the same command',
    async () => {
      const flags = ['--fork', 'agent:summary'];
      const { report } = await replayAsJson(stage, idOf(inTurn, 1), 'batch.ts', { flags });
      expect(report).toMatchObject({
        exitCode: 0,
        counts: { live: 1, stubbed: 4 },
        runsBeside: { place: 2, begun: 1 },
      });
      const [fork = '', ...beside] = report.exported?.traceIds ?? [];
      expect(beside).toHaveLength(1);
      expect((await stage.reenact(['show', fork])).stdout).toContain(`fork of trace ${inTurn.runs[1]?.traceId}`);
      const outline = await stage.reenact(['show', fork, '--outline']);
      expect(outline.stdout).toContain(`fork of trace ${inTurn.runs[1]?.traceId}`);
      const again = await replay(fork);
      expect(again.report).toMatchObject({ exitCode: 0, divergences: [], runsBeside: { place: 2, begun: 1 } });
    },
    caseMs,
  );
});
