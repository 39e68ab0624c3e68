import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { expect, it } from 'vitest';
import { AFTER_RUN_MS_MAX, SERVICE_ANSWER_MS_MAX } from '../limits.ts';
import { rootOf } from '../recorded/root-of.ts';
import { entryPatienceMs } from './entry-patience.ts';

function patienceFor(outcome: NonNullable<CrossingPlan['outcome']>): number {
  const recording = buildRecording({ label: 'agent:GET /ask', outcome, startUs: 0, endUs: 100_000 });
  return entryPatienceMs({ recording, root: rootOf(recording, recording.roots[0]?.spanId ?? '') });
}

it('a request whose client had left is left by the service, however slow the machine is, and not by the clock of whoever asks', () => {
  expect(patienceFor('aborted')).toBeGreaterThanOrEqual(AFTER_RUN_MS_MAX);
  expect(patienceFor('pending')).toBeGreaterThanOrEqual(AFTER_RUN_MS_MAX);
  expect(patienceFor('returned')).toBe(SERVICE_ANSWER_MS_MAX);
});
