import type { RunSummary } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { replayCommand } from './replay-command.ts';

type Verdict = RunSummary['replayability']['verdict'];

function run(verdict: Verdict, ...causes: string[]): RunSummary {
  const missing = causes.map((cause) => ({ cause }));
  return { rootSpanId: 'ab12', origin: 'recorded', replayability: { verdict, missing } } as unknown as RunSummary;
}

it('says how a run is replayed', () => {
  expect(replayCommand(run('full'), 'node app.mjs')).toBe('reenact replay ab12 -- node app.mjs');
  expect(replayCommand(run('full'), undefined)).toBe('reenact replay ab12 -- <the command that starts your agent>');
  expect(replayCommand(run('partial', 'entry-needed'), 'node app.mjs')).toBe(
    "reenact replay ab12 --entry '<file>#<function>'",
  );
  expect(replayCommand(run('partial', 'reconstructed'), 'python app.py')).toBe('reenact serve ab12 -- python app.py');
  expect(replayCommand(run('cold', 'no-outcome'), 'node app.mjs')).toBeUndefined();
});
