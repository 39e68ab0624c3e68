import { buildRecording } from '@reenact/recordings/testing';
import type { Crossing } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { eventHistory } from './event-history.ts';
import { servedWholeNote } from './served-whole-note.ts';

const { crossings: recorded } = buildRecording({
  label: 'mcp:shop/get_quote',
  children: [{ label: 'tool:look_up', children: [{ label: 'model:openai.chat' }] }],
});
const [call] = recorded;
const met = { type: 'met', crossing: 1, path: 'mcp:shop/get_quote', answer: 'stub', compared: true } as const;
const history = eventHistory([{ processId: '1', atUs: 0, event: { ...met, recordedSpanId: call?.spanId ?? '' } }]);

function noteWhere(serviceOf: (crossing: Crossing) => string, processOf: (crossing: Crossing) => number) {
  const placed = recorded.map((crossing) => ({ ...crossing, processId: processOf(crossing) }));
  return servedWholeNote(placed, history, serviceOf);
}

it('what another service recorded inside is no code of the agent that was not tried', () => {
  const inCall = (crossing: Crossing): boolean => crossing.spanId === call?.spanId;
  const same = noteWhere(
    () => 'agent',
    () => 1,
  );
  expect(same).toContain('nor any of the 2 calls recorded inside');
  const byName = noteWhere(
    (crossing) => (inCall(crossing) ? 'agent' : 'shop'),
    () => 1,
  );
  const byProcess = noteWhere(
    () => 'agent',
    (crossing) => (inCall(crossing) ? 1 : 2),
  );
  expect([byName, byProcess]).toEqual([undefined, undefined]);
});

it('what was handed to the agent again meanwhile did run, with all that it called', () => {
  const event = (answer: 'stub' | 'rerun', crossing = recorded[0]) => ({
    processId: '1',
    atUs: 0,
    event: { ...met, answer, recordedSpanId: crossing?.spanId ?? '' },
  });
  const events = [event('stub'), event('rerun', recorded[1])];
  expect(servedWholeNote(recorded, eventHistory(events), () => 'agent')).toBeUndefined();
});
