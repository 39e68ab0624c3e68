import { encodeValue } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaksIn, PLANTED_SECRETS } from '../../testing/index.ts';
import { bodyEdits } from '../places/redact-body.ts';
import { redactedChunks, redactedValue } from '../places/redact-value.ts';
import { Redactor } from '../redactor/redactor.ts';
import { holdsPlaceholder } from '../text/placeholder.ts';
import { editedPieces } from '../text/text-edit.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

function kept(value: unknown): string {
  return redactedValue(redactor, encodeValue(value)).payload.data ?? '';
}

/** Everything that one piece of a stream after the other holds. */
function textOf(events: readonly string[]): string {
  return events.map((event) => (JSON.parse(event) as { delta: string }).delta).join('');
}

describe('a private key', () => {
  it('leaves the JSON that it is in as such where only its first lines are there', () => {
    const [begin, line] = (PLANTED_SECRETS.find(({ kind }) => kind === 'private key')?.text ?? '').split('\n');
    const cut = { out: `${begin}\n${line}` };
    const { content } = JSON.parse(kept({ content: JSON.stringify({ body: JSON.stringify(cut) }) })) as {
      content: string;
    };
    const { body } = JSON.parse(content) as { body: string };
    expect(JSON.parse(body)).toEqual({ out: expect.stringMatching(/^\[redacted:private-key:\w+\]$/) });
  });

  it('is not what stands between its first and its last line where each is in a text of its own', () => {
    const marks = ['BEGIN', 'END'].map((word) => ['-----', word, ' PRIVATE KEY-----'].join(''));
    const found = { matches: marks.map((line) => ({ line, at: 'a.ts' })), next: 2 };
    const { content } = JSON.parse(kept({ content: JSON.stringify(found) })) as { content: string };
    expect(JSON.parse(content)).toMatchObject({ matches: [{ at: 'a.ts' }, { at: 'a.ts' }], next: 2 });
    const code = `isKey = (pem) => pem.startsWith('${marks[0]}') && pem.endsWith('${marks[1]}');`;
    expect(kept({ code })).toContain("') && pem.endsWith('");
  });

  it('has one token, however deep in JSON its lines stand', () => {
    const pem = PLANTED_SECRETS.find(({ kind }) => kind === 'private key')?.text ?? '';
    const once = JSON.stringify({ out: pem });
    const tokens = [pem, once, JSON.stringify({ once }), `1\t${pem}`, JSON.stringify([`1\t${pem}`])].map(
      (text) => /\[redacted:private-key:\w+\]/.exec(kept({ text }))?.[0],
    );
    expect(new Set(tokens)).toEqual(new Set([expect.stringContaining('private-key')]));
  });
});

describe.each(PLANTED_SECRETS)('$kind', ({ kind, secret, text }) => {
  const leaks = (found: string): string[] => leaksIn(found, [{ kind, secret, text }]);

  it('is found wherever a value has it, and the rest of the value stays', () => {
    const error = new Error(`failed: ${text}`, { cause: new TypeError(text) });
    const places = [
      text,
      `before ${text} after`,
      { inner: [`before ${text} after`] },
      { arguments: JSON.stringify({ note: `before ${text}` }) },
      new Map([['note', `before ${text}`]]),
      { arguments: JSON.stringify({ note: `before\n${text}\nafter` }) },
      { content: JSON.stringify({ arguments: JSON.stringify({ note: `before\t${text}\r\nafter` }) }) },
      `printed ${JSON.stringify({ note: `before\n${text}\nafter` })}`,
      { [text]: 1, [`before ${text}`]: { after: true } },
      Buffer.from(`before ${text} after`),
      error,
    ];
    for (const place of places) {
      const data = kept(place);
      expect(leaks(data)).toEqual([]);
      expect(() => JSON.parse(data) as unknown).not.toThrow();
    }
    const { message } = (JSON.parse(kept(error)) as { record: { message: string } }).record;
    expect([message.startsWith('failed: '), holdsPlaceholder(message)]).toEqual([true, true]);
  });

  it('is found in a stream, wherever one event ends and the next begins', () => {
    const whole = `the word is ${text}`;
    for (let cut = 1; cut < whole.length; cut += 1) {
      const events = [whole.slice(0, cut), whole.slice(cut)].map((delta) => JSON.stringify({ id: 'x', delta }));
      const body = events.map((event) => `data: ${event}\n\n`).join('');
      const redacted = editedPieces([body], bodyEdits(redactor, body, 'text/event-stream')).join('');
      const kept = [...redacted.matchAll(/^data: (.*)$/gm)].map(([, event]) => event ?? '');
      expect(leaks(redacted)).toEqual([]);
      expect(leaks(textOf(kept))).toEqual([]);
      expect(textOf(kept).startsWith('the word is ')).toBe(true);
      const chunks = events.map((data, offsetUs) => ({ offsetUs, value: encodeValue(JSON.parse(data)) }));
      expect(leaks(textOf(redactedChunks(redactor, chunks).map(({ value }) => value.payload.data ?? '')))).toEqual([]);
    }
  });

  it('is found when a stream brings it one character at a time', () => {
    const events = [...`see ${text}`].map((delta, index) => JSON.stringify({ index: 0, sequence: index, delta }));
    const chunks = events.map((data, offsetUs) => ({ offsetUs, value: encodeValue(JSON.parse(data)) }));
    const redacted = redactedChunks(redactor, chunks).map(({ value }) => value.payload.data ?? '');
    expect(leaks(textOf(redacted))).toEqual([]);
    expect(holdsPlaceholder(textOf(redacted))).toBe(true);
  });

  it('becomes the same token each time, and a token stays as it is', () => {
    const once = kept({ note: `a ${text}` });
    expect(kept({ note: `a ${text}` })).toBe(once);
    expect(kept(JSON.parse(once))).toBe(once);
  });
});

describe('what is no secret', () => {
  it.each([
    ['prose', { note: 'The password is wrong, and the bearer of bad news pays the token price: 12.' }],
    ['usage', { usage: { prompt_tokens: 5, completion_tokens: 7, max_tokens: 10 } }],
    ['ids of a protocol', { id: 'chatcmpl-Ab3dEf6hIj9kLm2nOp5q', tool_call_id: 'call_Ab3dEf6hIj9kLm2nOp5qRs8t' }],
    ['a reasoning signature', { type: 'thinking', signature: `sk-${'Ab3dEf6hIj9kLm2nOp5q'.repeat(3)}` }],
    ['log-probs', { logprobs: [{ token: 'Hello', logprob: -0.1, bytes: [72] }] }],
    [
      'a schema',
      { properties: { password: { type: 'string', description: 'The password.' } }, required: ['password'] },
    ],
    ['trace ids', { traceId: '5ed4efd42cf2727f3624c0c6e55956c4', spanId: 'decf48407e2db003' }],
    ['times', { at: 1732195200000000000n, ms: 1732195200000, text: '1732195200000000000' }],
    ['pages', { next_token: 'Ab3dEf6hIj9kLm2nOp5q', nextPageToken: 'Ab3dEf6hIj9kLm2nOp5q' }],
    ['pages of AWS', { NextContinuationToken: 'Ab3dEf6hIj9kLm2nOp5q', nextForwardToken: 'Ab3dEf6hIj9kLm2nOp5q' }],
    ['kebab case', { task: 'task-management-for-teams-2024', risk: 'risk-assessment-of-everything-there-is' }],
  ])('%s stays as it is', (_, value) => {
    const encoded = encodeValue(value);
    expect(redactedValue(redactor, encoded).payload.data).toBe(encoded.payload.data);
  });

  it('any JSON stays the same JSON where nothing in it is secret', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        // One of some thousand numbers of sixteen digits is that of a payment card.
        fc.pre(!/\d{13}/.test(JSON.stringify(value)));
        const encoded = encodeValue(value);
        const redacted = redactedValue(redactor, encoded);
        expect(redacted.redacted ?? []).toEqual([]);
        expect(redacted.payload.data).toBe(encoded.payload.data);
      }),
    );
  });
});

describe('a text made to be slow', () => {
  const seeds = ['eyJ', 'sk-', '://', 'a:', 'key=', '"password":"', '\\"token\\":\\"', '-----BEGIN PRIVATE KEY-----'];
  const more = [
    '4 1',
    'SG.',
    'AKIA',
    'Bearer ',
    '[redacted:',
    'x@',
    '=',
    '?key=',
    'cookie:',
    '\\',
    '%',
    'data: {"a":"',
  ];
  it.each([...seeds, ...more])('of nothing but %j takes no longer than its length allows', (seed) => {
    const text = seed.repeat(Math.ceil(200_000 / seed.length));
    const before = process.cpuUsage();
    redactedValue(redactor, encodeValue({ text }));
    bodyEdits(redactor, text, 'text/event-stream');
    // Ten times what it takes; quadratic time would be minutes.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(4_000);
  });
});
