import { prepareRedaction } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { ATTR_REENACT_REDACTION_KEY } from '@reenact/semconv/reenact';
import type { Recording } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import type { ReplayEvent } from '../events/replay-event.ts';
import { isOutcomeUnverifiable, noteRedactionKeys } from './redaction-check.ts';

function recorded(key: string, redacted: readonly string[]): Recording {
  return buildRecording({
    label: 'tool:t',
    redacted: [...redacted],
    attributes: { [ATTR_REENACT_REDACTION_KEY]: key },
  });
}

describe('an outcome with secrets', () => {
  const isUnverifiable = (key: string, redacted: readonly string[]) =>
    recorded(key, redacted).crossings.map(isOutcomeUnverifiable);

  it('is compared by them where their key is there, and where the input alone has some', () => {
    for (const place of ['/output/token', '/error/message', '/exchanges/0/response/body', '/chunks/1']) {
      expect(isUnverifiable(prepareRedaction(), [place])).toEqual([false]);
      expect(isUnverifiable('another', [place])).toEqual([true]);
    }
    expect(isUnverifiable('another', ['/input/output', '/outputs'])).toEqual([false]);
  });
});

describe('the keys of a recording', () => {
  const told = (key: string): ReplayEvent[] => {
    const events: ReplayEvent[] = [];
    noteRedactionKeys(recorded(key, []), { write: (event) => void events.push(event) });
    return events;
  };

  it('are named where this process has another one, and only then', () => {
    expect(told(prepareRedaction())).toEqual([]);
    const text = expect.stringContaining(`the key another, and this process has the key ${prepareRedaction()}`);
    expect(told('another')).toEqual([{ type: 'note', text, unverified: false }]);
  });
});
