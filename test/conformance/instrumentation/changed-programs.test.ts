import type { Divergence, ReplayReport } from '@reenact/trace-model';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AskedCall, Asking, type AskingProgram, askingPrograms } from './asking-program.ts';
import type { Peer } from './fidelity-library.ts';
import { changedProgram, programChanges } from './program-changes.ts';
import { recordThenReplay } from './record-then-replay.ts';

const RUNS = Number(process.env.RUNS ?? 150);

/** A busy machine runs as many as there is time for. */
const LIMIT_MS = 400 * RUNS;

/** Nothing but functions of the agent's own is called. */
const noPeer: Peer = { address: '', contacts: 0, stop: () => Promise.resolve() };

interface Tried {
  readonly recorded: readonly AskedCall[];
  readonly replayed: readonly AskedCall[];
  readonly report: ReplayReport;
  /** How often a tool really ran in the replay. */
  readonly happenedInReplay: number;
}

async function recordedThenChanged(program: AskingProgram, changed: AskingProgram): Promise<Tried> {
  let happened = 0;
  const happen = (): number => {
    happened += 1;
    return happened;
  };
  const runs = [program, changed].map((does) => ({ does, asking: new Asking(happen) }));
  const next = runs.values();
  let before = 0;
  const { report } = await recordThenReplay(
    noPeer,
    async () => {
      before = happened;
      const run = next.next().value;
      await run?.asking.perform(run.does);
    },
    { recordsDraws: true },
  );
  const [recorded = [], replayed = []] = runs.map(({ asking }) => asking.calls);
  return { recorded, replayed, report, happenedInReplay: happened - before };
}

function ofTools(divergences: readonly Divergence[], ...kinds: readonly Divergence['kind'][]): number {
  return divergences.filter(({ kind, path = '' }) => kinds.includes(kind) && /\/tool:[a-d](#\d+)?$/.test(path)).length;
}

function inAnyOrder(calls: readonly AskedCall[]): string[] {
  return calls.map((call) => JSON.stringify(call)).sort();
}

it('names whatever a change of the code changes, and serves nothing that it does not name', {
  timeout: 2 * LIMIT_MS,
}, async () => {
  const changes = fc.array(programChanges, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(askingPrograms, changes, async (program, made) => {
      const changed = made.reduce(changedProgram, program);
      const { recorded, replayed, report, happenedInReplay } = await recordedThenChanged(program, changed);
      expect(happenedInReplay).toBe(0);
      const byOutput = new Map(recorded.map((call) => [call.output, call]));
      const served = replayed.filter(({ output }) => output !== undefined);
      // Each answer is one that was recorded, and is given once to a call that asks for it, and once to one that asks for something else.
      const pairs = served.map((call) => ({ call, source: byOutput.get(call.output) }));
      expect(pairs.filter(({ source }) => source === undefined)).toEqual([]);
      const { divergences } = report;
      const asksElse = pairs.filter(({ call, source }) => call.input !== source?.input);
      const asksForIt = pairs.filter((pair) => !asksElse.includes(pair));
      for (const given of [asksForIt, asksElse])
        expect(new Set(given.map(({ source }) => source)).size).toBe(given.length);
      expect(ofTools(divergences, 'input-changed')).toBe(asksElse.length);
      const isElsewhere = pairs.some(({ call, source }) => call.path !== source?.path);
      if (isElsewhere) expect(divergences.length).toBeGreaterThan(0);
      expect(ofTools(divergences, 'never-recorded', 'exhausted')).toBe(replayed.length - served.length);
      if (new Set(pairs.map(({ source }) => source)).size < recorded.length)
        expect(divergences.map(({ kind }) => kind)).toContain('unconsumed');
      if (report.verdict === 'reproduced') expect(inAnyOrder(replayed)).toEqual(inAnyOrder(recorded));
      else expect(divergences.some(({ causedBy }) => causedBy === undefined)).toBe(true);
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS },
  );
});
