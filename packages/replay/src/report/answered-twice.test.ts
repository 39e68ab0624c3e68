import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import type { StampedEvent } from '../events/replay-event.ts';
import { answeredTwice } from './answered-twice.ts';
import { eventHistory } from './event-history.ts';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:pay' }] });
const [root, pay] = recording.crossings;

let made = 0;

function met(processId: string, recordedSpanId: string | undefined, answer: 'stub' | 'refused' = 'stub'): StampedEvent {
  const known = recordedSpanId === undefined ? {} : { recordedSpanId };
  made += 1;
  return { processId, atUs: 1, event: { type: 'met', crossing: made, path: 'x', answer, compared: true, ...known } };
}

function labels(...events: StampedEvent[]): string[] {
  return answeredTwice(eventHistory(events), recording.crossings);
}

describe('what was recorded once', () => {
  it('is named when two processes were answered from it', () => {
    expect(labels(met('1', pay?.spanId), met('2', pay?.spanId), met('2', root?.spanId))).toEqual(['tool:pay']);
  });

  it('is not when the processes shared the run between them, or one was refused', () => {
    expect(labels(met('1', root?.spanId), met('2', pay?.spanId))).toEqual([]);
    expect(labels(met('1', pay?.spanId), met('2', pay?.spanId, 'refused'), met('3', undefined))).toEqual([]);
  });
});
