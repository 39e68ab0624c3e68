import { buildRecording } from '@reenact/recordings/testing';
import { ATTR_PROCESS_PID } from '@reenact/semconv/core';
import { CANONICAL_POLICIES, type Recording } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { drawAttributes } from '../testdata/virtual-run.ts';
import { isSentByRun } from './sent-signals.ts';

const OWN = 7;

/** A run in a process that was sent these signals, and heard them at these times. */
function recordingOf(sent: readonly (readonly [number, string])[], heardUs: readonly number[]): Recording {
  const children = heardUs.map((startUs) => ({
    label: 'message:SIGTERM' as const,
    canonical: CANONICAL_POLICIES.delivery.name,
    input: ['SIGTERM'],
    startUs,
    endUs: startUs,
  }));
  const draws = { 'child_process.kill': sent.map((signal) => JSON.stringify(signal)) };
  const resource = [{ key: ATTR_PROCESS_PID, value: { intValue: String(OWN) } }];
  return buildRecording({ label: 'agent:a', children, attributes: drawAttributes(draws) }, resource);
}

it.each([
  ['nobody of the run sent', [], [10], [false]],
  ['the run sent', [[OWN, 'SIGTERM']], [10], [true]],
  ['the run sent to another process', [[OWN + 1, 'SIGTERM']], [10], [false]],
  ['stands for another one that the run sent', [[OWN, 'SIGINT']], [10], [false]],
  ['came before one that the run handed on', [[OWN, 'SIGTERM']], [10, 20], [false, true]],
  ['is in several runs of the process', [[OWN, 'SIGTERM']], [10, 10], [true, true]],
] as const)('tells a signal that %s', (_, sent, heardUs, fromRun) => {
  const recording = recordingOf(sent, heardUs);
  const messages = recording.crossings.filter(({ kind }) => kind === 'message');
  expect(messages.map((message) => isSentByRun(recording, message))).toEqual(fromRun);
});
