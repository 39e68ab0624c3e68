import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import type { PlainValue } from '@reenact/otlp';
import { agent } from '@reenact/instrumentation';
import { ATTR_PROCESS_PARENT_PID, ATTR_PROCESS_PID } from '@reenact/semconv/core';
import { ATTR_REENACT_DRAWS, ATTR_REENACT_DRAWS_DIGEST } from '@reenact/semconv/reenact';
import { digestOf, type RecordedDraws } from '@reenact/trace-model';
import { type ReplayOptions, type ReplayResult, replay } from '../replay.ts';

/** When every built run started. */
export const VIRTUAL_RUN_START = Date.parse('2026-09-21T14:13:20.000Z');

/** A run whose code is given by the test. */
export interface VirtualRunOptions extends Pick<ReplayOptions<unknown>, 'live' | 'process'> {
  readonly children?: readonly CrossingPlan[];
  /** Microseconds the run took. */
  readonly endUs?: number;
  /** What the run drew; absent: draws were not recorded. */
  readonly draws?: RecordedDraws;
  /** The number of the process that it was recorded in; absent: its resource does not say it. */
  readonly processId?: number;
  readonly parentProcessId?: number;
}

/** The attributes that hold these draws. */
export function drawAttributes(draws: RecordedDraws): Record<string, PlainValue> {
  const text = JSON.stringify(draws);
  return { [ATTR_REENACT_DRAWS]: text, [ATTR_REENACT_DRAWS_DIGEST]: digestOf(text) };
}

/** Runs `work` as the code of a recorded agent `agent:virtual`, in a replay inside this process. */
export function virtualRun<Value>(
  work: () => Value | Promise<Value>,
  options: VirtualRunOptions = {},
): Promise<ReplayResult<Value>> {
  const { children = [], endUs = 3_600_000_000, draws, processId, parentProcessId, ...replayOptions } = options;
  const attributes = draws === undefined ? {} : { attributes: drawAttributes(draws) };
  const numbers = { [ATTR_PROCESS_PID]: processId, [ATTR_PROCESS_PARENT_PID]: parentProcessId };
  const resource = Object.entries(numbers)
    .filter(([, number]) => number !== undefined)
    .map(([key, number]) => ({ key, value: { intValue: String(number) } }));
  const recording = buildRecording({ label: 'agent:virtual', startUs: 0, endUs, children, ...attributes }, resource);
  const run = agent('virtual', async () => work());
  return replay({ recording, run: () => run(), ...replayOptions });
}
