import type { ReplayReport } from '@reenact/trace-model';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AskedCall, Asking, type AskingProgram, askingPrograms, TOOL_NAMES } from './asking-program.ts';
import type { Peer } from './fidelity-library.ts';
import { recordThenReplay } from './record-then-replay.ts';

const RUNS = Number(process.env.RUNS ?? 150);

/** A busy machine runs as many as there is time for. */
const LIMIT_MS = 400 * RUNS;

const EDITED = 'edited';

/** Nothing but functions of the agent's own is called. */
const noPeer: Peer = { address: '', contacts: 0, stop: () => Promise.resolve() };

/** What each tool is to do, by its place in `TOOL_NAMES`; agents run again. */
type Policies = readonly ('served' | 'live' | 'forbid' | 'edit' | 'fail')[];

const policies: fc.Arbitrary<Policies> = fc.array(
  fc.constantFrom('served', 'served', 'live', 'forbid', 'edit', 'fail'),
  {
    minLength: TOOL_NAMES.length,
    maxLength: TOOL_NAMES.length,
  },
);

interface Planned {
  readonly recorded: readonly AskedCall[];
  readonly replayed: readonly AskedCall[];
  readonly report: ReplayReport;
  /** How often a tool really ran in the replay. */
  readonly happenedInReplay: number;
}

async function planned(program: AskingProgram, does: Policies): Promise<Planned> {
  let happened = 0;
  const happen = (): number => {
    happened += 1;
    return happened;
  };
  const named = (policy: Policies[number]): string[] =>
    TOOL_NAMES.flatMap((name, index) => (does[index] === policy ? [`tool:${name}`] : []));
  const plan = {
    live: named('live'),
    forbid: named('forbid'),
    edit: named('edit').map((selector) => ({ selector, at: '$', value: EDITED })),
    fail: named('fail').map((selector) => ({ selector, with: { type: 'error' as const } })),
  };
  const runs = [new Asking(happen), new Asking(happen)];
  const next = runs.values();
  let before = 0;
  const act = async (): Promise<void> => {
    before = happened;
    await next.next().value?.perform(program);
  };
  const { report } = await recordThenReplay(noPeer, act, { recordsDraws: true, plan });
  const [recorded = [], replayed = []] = runs.map(({ calls }) => calls);
  return { recorded, replayed, report, happenedInReplay: happened - before };
}

function policyOf({ path }: AskedCall, does: Policies): Policies[number] {
  return does[TOOL_NAMES.findIndex((name) => path.endsWith(`/tool:${name}`))] ?? 'served';
}

function checkPlanned({ recorded, replayed, report, happenedInReplay }: Planned, does: Policies): void {
  const byOutput = new Map(recorded.map((call) => [call.output, call]));
  const answeredAs = (policy: Policies[number]): AskedCall[] =>
    replayed.filter((call) => policyOf(call, does) === policy && call.output !== undefined);
  const live = answeredAs('live');
  expect(live.filter(({ output }) => byOutput.has(output))).toEqual([]);
  expect(happenedInReplay).toBe(live.length);
  expect(answeredAs('edit').filter(({ output }) => output !== EDITED)).toEqual([]);
  expect([...answeredAs('fail'), ...answeredAs('forbid')]).toEqual([]);
  const changed = answeredAs('served').filter((call) => call.input !== byOutput.get(call.output)?.input);
  const { divergences, verdict } = report;
  const inputs = divergences
    .filter(({ kind }) => kind === 'input-changed')
    .map(({ path }) => `/${path.split('/').slice(1).join('/')}`);
  for (const { path } of changed) expect(inputs.map((one) => one.replaceAll(/#\d+/g, ''))).toContain(path);
  // The code is the recorded one: whatever differs comes of the plan, and says so.
  const causes = divergences.filter(({ causedBy }) => causedBy === undefined).map(({ kind }) => kind);
  expect(
    causes.filter((kind) => kind !== 'output-changed' && kind !== 'forbidden' && kind !== 'outcome-changed'),
  ).toEqual([]);
  expect(verdict === 'forbidden').toBe(replayed.some((call) => policyOf(call, does) === 'forbid'));
}

it('does what a plan says, nothing else, and blames the plan alone for what differs', {
  timeout: 2 * LIMIT_MS,
}, async () => {
  await fc.assert(
    fc.asyncProperty(askingPrograms, policies, async (program, does) => {
      const text = JSON.stringify(program);
      const ofItsTools = does.map((policy, index) =>
        text.includes(`"name":"${TOOL_NAMES[index]}"`) ? policy : 'served',
      );
      checkPlanned(await planned(program, ofItsTools), ofItsTools);
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS },
  );
});
