import { CANONICAL_POLICIES, type Crossing, type RunsBeside } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { runsBesideLines } from './runs-beside-lines.ts';

const missing = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), place: 1 };

function linesOf(root: Partial<Crossing>, beside: Partial<RunsBeside>): string {
  const found = { beside: { place: 2, runs: [], missing: undefined, ...beside }, reason: 'It is gone.' };
  return runsBesideLines({ path: 'agent:desk', ...root } as Crossing, found as never).join('\n');
}

it('says of a run what keeps its command from replaying it, and of a request what the replay refuses', () => {
  const gone = `runs: 0 other runs of the process of agent:desk held here; run 1 (trace ${missing.traceId}) cannot be had. It is gone. `;
  expect(linesOf({ kind: 'agent' }, { missing })).toBe(
    `${gone}So a command cannot replay it; a function can: --entry.`,
  );
  expect(linesOf({ kind: 'agent', canonicalPolicy: CANONICAL_POLICIES.httpEntry.name }, { missing })).toBe(
    `${gone}Where the service begins that run again, the replay of the request refuses it.`,
  );
  expect(linesOf({}, {})).toBe('');
});
