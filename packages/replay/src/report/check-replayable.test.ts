import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import {
  ATTR_REENACT_CANONICAL,
  ATTR_REENACT_CAPTURE,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_INPUT_DIGEST,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_DIGEST,
  ATTR_REENACT_SCHEMA,
} from '@reenact/semconv/reenact';
import { describeError, isReenactError, type Recording, type ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { makePlan, type PlanOptions } from '../resolution/plan.ts';
import { checkReplayable } from './check-replayable.ts';

function recordingOf(...children: CrossingPlan[]): Recording {
  return buildRecording({ label: 'agent:a', children });
}

function check(recording: Recording, options: PlanOptions = {}): ReenactError | undefined {
  try {
    checkReplayable(recording, recording.roots[0]?.spanId ?? '', makePlan(options, recording));
    return undefined;
  } catch (error) {
    if (isReenactError(error)) return error;
    throw error;
  }
}

const withoutOutput: CrossingPlan = {
  label: 'tool:get_quote',
  effect: 'read',
  without: [ATTR_REENACT_OUTPUT, ATTR_REENACT_OUTPUT_DIGEST],
};

describe('a recording that can be replayed', () => {
  it('is complete', () => {
    expect(check(recordingOf({ label: 'tool:t' }, { label: 'tool:p', outcome: 'pending' }))).toBeUndefined();
  });

  it('lacks only what the plan does not serve', () => {
    expect(check(recordingOf(withoutOutput), { live: ['tool:get_quote'] })).toBeUndefined();
    expect(check(recordingOf({ label: 'tool:outer', children: [withoutOutput] }))).toBeUndefined();
  });
});

describe('a cold case', () => {
  it('names each crossing, what is missing, and which setting would have recorded it', () => {
    const blank: CrossingPlan = { label: 'tool:blank', without: [ATTR_REENACT_INPUT, ATTR_REENACT_INPUT_DIGEST] };
    const error = check(recordingOf(withoutOutput, blank, { label: 'model:m', call: 'exchange' }));
    expect(error?.code).toBe('cold-case');
    expect(error?.message).toContain('agent:a/tool:get_quote: no-outcome');
    expect(error?.message).toContain('agent:a/tool:blank: no-input');
    expect(error?.message).toContain('agent:a/model:m: no-exchange');
    expect(error?.next).toContain('capture: "full"');
  });

  it('says each place beside what is missing there, and none beside the last of them', () => {
    const blank: CrossingPlan = { label: 'tool:blank', without: [ATTR_REENACT_INPUT, ATTR_REENACT_INPUT_DIGEST] };
    const error = check(recordingOf(withoutOutput, blank));
    expect(error === undefined ? '' : describeError(error)).toMatch(/tool:blank: no-input$/m);
  });

  it('holds a stream of which only a digest was recorded', () => {
    const stream: CrossingPlan = { label: 'tool:s', chunks: [], attributes: { [ATTR_REENACT_CAPTURE]: 'digest' } };
    expect(check(recordingOf(stream))?.message).toContain('agent:a/tool:s: no-outcome');
    expect(check(recordingOf({ ...stream, attributes: {} }))).toBeUndefined();
  });

  it('was recorded by something else', () => {
    const foreign = buildRecording({ label: 'model:chat', without: [ATTR_REENACT_SCHEMA] });
    const error = (() => {
      try {
        checkReplayable(foreign, '0000000000000001', makePlan({}, foreign));
      } catch (thrown) {
        return thrown as ReenactError;
      }
      return undefined;
    })();
    expect(error?.code).toBe('cold-case');
    expect(error?.next).toContain('reenact/register');
  });

  it('names an input policy that this version does not know', () => {
    const newer: CrossingPlan = { label: 'tool:t', attributes: { [ATTR_REENACT_CANONICAL]: 'arguments/9' } };
    expect(check(recordingOf(newer))?.message).toContain('agent:a/tool:t: unknown-version');
  });
});

describe('a damaged recording', () => {
  it('is refused with the place of the damage', () => {
    const error = check(recordingOf({ label: 'tool:t', attributes: { [ATTR_REENACT_OUTPUT]: '"changed"' } }));
    expect(error?.code).toBe('recording-damaged');
    expect(error?.message).toContain('agent:a/tool:t: reenact.output does not match its digest');
  });
});
