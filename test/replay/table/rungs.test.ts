import { LOOK_UP_RUNGS, type LookUpRung } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInEveryFormat, TableStage } from './table-stage.ts';

/** The call that finds its crossing by a rung, and what is different about it. */
interface RungCase {
  /** Absent: the code is as it was recorded. */
  readonly change?: string;
  readonly path: string;
  readonly found: string;
  readonly reported: readonly string[];
  readonly exitCode: 0 | 1;
}

const rungs: Readonly<Record<LookUpRung, RungCase>> = {
  'tool-call-id': {
    change: 'argument',
    path: '/tool:look',
    found: '/tool:look',
    reported: ['input-changed'],
    exitCode: 1,
  },
  input: { path: '/tool:send', found: '/tool:send', reported: [], exitCode: 0 },
  order: {
    change: 'schema',
    path: '/model:local.chat',
    found: '/model:local.chat',
    reported: ['schema-changed'],
    exitCode: 1,
  },
  moved: {
    change: 'elsewhere',
    path: '/tool:inner',
    found: '/tool:outer/tool:inner',
    reported: ['moved'],
    exitCode: 1,
  },
};

let table: TableStage;

beforeAll(async () => {
  table = await TableStage.set('clerk.ts');
});

afterAll(() => table.stage.stop());

describe('each rung of the look-up', () => {
  it('has a case', () => {
    expect(Object.keys(rungs).sort()).toEqual([...LOOK_UP_RUNGS].sort());
  });

  it.each(Object.entries(rungs))(
    '%s is in the report, with what it found',
    async (rung, { change, path, found, reported, exitCode }) => {
      const { report, result } = await table.replay(change === undefined ? {} : { change });
      expect([result.exitCode, report.exitCode]).toEqual([exitCode, exitCode]);
      const met = report.crossings.find((crossing) => crossing.path === `agent:clerk${path}`);
      const recorded = table.recording.bySpanId.get(met?.recordedSpanId ?? '');
      expect(met).toMatchObject({ rung, answer: 'stub' });
      expect(recorded?.path).toBe(`agent:clerk${found}`);
      const about = report.divergences.filter((divergence) => divergence.path === `agent:clerk${path}`);
      expect(about.map(({ kind }) => kind)).toEqual(reported);
      for (const divergence of about) expectInEveryFormat(report, divergence);
    },
    120_000,
  );
});
