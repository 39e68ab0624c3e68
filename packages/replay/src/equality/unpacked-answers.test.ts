import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildRecording } from '@reenact/recordings/testing';
import { type Crossing, encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { compareOutcome } from './outcome-comparison.ts';

const pack = { br: brotliCompressSync, gzip: (text: string) => gzipSync(text, { level: 9 }) };

function answer(text: string, coding: keyof typeof pack = 'br', compress = pack[coding]): object {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'content-encoding': coding },
    body: { base64: compress(text).toString('base64') },
  };
}

function requestWith(output: object): Crossing {
  const [crossing] = buildRecording({ label: 'agent:POST /ask', output }).crossings;
  if (crossing === undefined) throw new TypeError('one crossing was built');
  return { ...crossing, canonicalPolicy: 'http-request/1' };
}

function differences(recorded: Crossing, live: object): unknown {
  const comparison = compareOutcome(recorded, { type: 'returned', value: encodeValue(live) }, []);
  return comparison.type === 'changed' ? comparison.difference.entries.map(({ path }) => path) : comparison.type;
}

describe('compressed answers of a server', () => {
  it.each(['br', 'gzip'] as const)('say in what they differ: %s', (coding) => {
    const recorded = requestWith(answer('{"visit":7,"text":"same"}', coding));
    expect(differences(recorded, answer('{"visit":1,"text":"same"}', coding))).toEqual(['$.body.json.visit']);
    expect(differences(requestWith(answer('one', coding)), answer('two', coding))).toEqual(['$.body.text']);
  });

  it('are equal where another release of zlib compressed the same to other bytes', () => {
    const recorded = requestWith(answer('{"visit":7}', 'gzip', (text: string) => gzipSync(text, { level: 9 })));
    expect(
      differences(
        recorded,
        answer('{"visit":7}', 'gzip', (text: string) => gzipSync(text, { level: 0 })),
      ),
    ).toBe('equal');
  });

  it('differ in numbers that JSON cannot hold, and in how they are compressed', () => {
    const recorded = requestWith(answer('{"id":12345678901234567890}'));
    expect(differences(recorded, answer('{"id":12345678901234567891}'))).toEqual(['$.body.text › $.id']);
    expect(differences(requestWith(answer('{}')), answer('{}', 'gzip'))).toEqual(['$.headers["content-encoding"]']);
  });

  it('are compared as they were sent where they cannot be unpacked, and where a tool gave them', () => {
    const torn = (text: string) => Buffer.from(`no ${text}`);
    const recorded = requestWith(answer('a', 'br', torn));
    expect(differences(recorded, answer('b', 'br', torn))).toEqual(['$.body.base64']);
    const ofTool = { ...requestWith(answer('{"a":1}')), kind: 'tool' } as const;
    expect(differences(ofTool, answer('{"a":2}'))).toEqual(['$.body.base64']);
  });
});

describe('an answer that stayed text for the digits of an id in it', () => {
  const head = { status: 200, headers: { 'content-type': 'application/json' } };
  const text = '{"traceId":"73b6f2d74644199735689201beb1d59b","n":1}';
  const json = JSON.parse(text) as { readonly n: number };

  it('is compared as JSON with one that did not, whichever of the two it is', () => {
    expect(differences(requestWith({ ...head, body: { text } }), { ...head, body: { json } })).toBe('equal');
    expect(differences(requestWith({ ...head, body: { json } }), { ...head, body: { text } })).toBe('equal');
    const other = { ...head, body: { json: { ...json, n: 2 } } };
    expect(differences(requestWith({ ...head, body: { text } }), other)).toEqual(['$.body.json.n']);
  });

  it('differs where a number of it is rounded by reading it', () => {
    const long = '{"id":1234500000000000000001}';
    const rounded = { ...head, body: { json: { id: 1.2345e21 } } };
    expect(differences(requestWith({ ...head, body: { text: long } }), rounded)).not.toBe('equal');
  });

  it('differs from what is no JSON, or of another kind', () => {
    const recorded = requestWith({ ...head, body: { text: 'gone' } });
    expect(differences(recorded, { ...head, body: { json } })).not.toBe('equal');
    expect(differences(requestWith({ ...head, body: { text } }), { ...head, body: { base64: 'AAAA' } })).not.toBe(
      'equal',
    );
  });
});
