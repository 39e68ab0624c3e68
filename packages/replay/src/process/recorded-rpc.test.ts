import { buildRecording } from '@reenact/recordings/testing';
import { type Crossing, isInboundRpc, payloadOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { recordedRpcOf } from './recorded-rpc.ts';

function rootWith(input: object, others: Partial<Crossing> = {}): Crossing {
  const [root] = buildRecording({ label: 'agent:a.B/C', input: [], output: null }).roots;
  if (root === undefined) throw new TypeError('the recording has no root');
  return { ...root, canonicalPolicy: 'rpc-request/1', input: payloadOf('json', JSON.stringify(input)), ...others };
}

const streamed = { canonicalPolicy: 'rpc-stream/1' };

describe('a recorded inbound call', () => {
  it('is told from functions and from calls that were made', () => {
    expect(isInboundRpc(rootWith({}))).toBe(true);
    expect(isInboundRpc(rootWith({}, streamed))).toBe(true);
    expect(isInboundRpc(rootWith({}, { kind: 'rpc' }))).toBe(false);
    expect(isInboundRpc(rootWith({}, { canonicalPolicy: 'http-request/1' }))).toBe(false);
  });

  it('is made again byte for byte, without what was redacted', () => {
    const messages = [{ text: 'é' }, { base64: '/wA=' }, { text: '' }];
    const metadata = [
      ['x-tag', 'one'],
      ['x-tag', 'two'],
      ['authorization', '[redacted]'],
      ['proof-bin', 'AP8='],
    ];
    expect(recordedRpcOf(rootWith({ method: '/a.B/C', messages, metadata }, streamed))).toEqual({
      method: '/a.B/C',
      messages: [Buffer.from('é'), Buffer.from([255, 0]), Buffer.alloc(0)],
      metadata: [
        ['x-tag', 'one'],
        ['x-tag', 'two'],
        ['proof-bin', 'AP8='],
      ],
      withheld: ['authorization'],
    });
  });

  it.each([
    ['was not recorded', {}, {}, /was not recorded/],
    ['is too long', { messages: [{ bytes: 99_000_000, sha256: 'abc' }] }, streamed, /99000000 bytes were too long/],
    ['was never ended', {}, streamed, /never ended its messages/],
    ['has no readable message', { messages: [] }, {}, /is no object/],
    [
      'has an unreadable message',
      { messages: [] },
      { ...streamed, lossy: ['/input/messages unreadable'] },
      /no object/,
    ],
  ])('that %s is a cold case', (name, input, others, message) => {
    const given = name === 'was not recorded' ? input : { method: '/a.B/C', ...input };
    expect(() => recordedRpcOf(rootWith(given, others))).toThrow(message);
    expect(() => recordedRpcOf(rootWith(given, others))).toThrow(expect.objectContaining({ code: 'cold-case' }));
  });
});
