import { buildRecording } from '@reenact/recordings/testing';
import { CANONICAL_POLICIES, encodeValue } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { resolveIgnores } from '../plan/ignored-fields.ts';
import { InputComparer, LiveInput } from './input-comparison.ts';

const { httpRequest } = CANONICAL_POLICIES;

function requestOf(text: string): object {
  return { method: 'POST', url: 'https://shop.example/', contentType: 'application/json', body: { text } };
}

it('ignores a member of a JSON body that holds long ids, and compares the others exactly', () => {
  const input = requestOf('{"cart":"98765432109876543210","order":9007199254740993,"at":1}');
  const recording = buildRecording({
    label: 'agent:a',
    children: [{ label: 'http:POST shop.example', input, canonical: httpRequest.name }],
  });
  const [, recorded] = recording.crossings;
  if (recorded === undefined) throw new Error('no crossing');
  const [ignore] = resolveIgnores(
    [{ selector: 'http:POST shop.example', path: '$.body.json.at', why: 'a time' }],
    () => ({
      matched: [recorded],
    }),
  );
  const comparer = new InputComparer(() => (ignore === undefined ? [] : [ignore.path]));
  const compared = (text: string): string =>
    comparer.compare(recorded, new LiveInput(encodeValue(requestOf(text)), httpRequest)).type;
  expect(compared('{"cart":"98765432109876543210","order":9007199254740993,"at":2}')).toBe('equal');
  expect(compared('{"cart":"98765432109876543210","order":9007199254740992,"at":2}')).toBe('changed');
});
