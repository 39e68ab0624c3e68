import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import type { MetEvent } from '../events/replay-event.ts';
import { readOnAdvice } from './read-on.ts';

const { crossings } = buildRecording({
  label: 'agent:a',
  children: [
    { label: 'model:openai.chat', chunks: [[1, 'one']], outcome: 'aborted' },
    { label: 'tool:look', output: 1 },
  ],
});

function advice(agentExit: string | undefined, answer: MetEvent['answer'] = 'stub'): string | undefined {
  const met = crossings.map(({ spanId, path }, index) => {
    const event: MetEvent = { type: 'met', crossing: index, path, answer, recordedSpanId: spanId, compared: true };
    return { key: `1:${index}`, at: index, service: undefined, event };
  });
  return readOnAdvice(crossings, { met }, agentExit);
}

describe('a run that waits for ever', () => {
  it.each(['exit code 13', 'exit code 0, because the replay stopped it'])(
    'may read on where it left a stream when it was recorded: %s',
    (agentExit) => {
      expect(advice(agentExit)).toContain('The agent left agent:a/model:openai.chat before its end');
    },
  );

  it('does not where that call ran for real, or where the process ended in another way', () => {
    expect(advice('exit code 13', 'live')).toBeUndefined();
    expect([advice('exit code 1'), advice(undefined)]).toEqual([undefined, undefined]);
  });
});
