import { buildRecording } from '@reenact/recordings/testing';
import { type Crossing, isInboundRequest, payloadOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { recordedRequestOf } from './recorded-request.ts';
import { withheldNotes } from './send-recorded-request.ts';

function rootWith(input: object, canonicalPolicy = 'http-request/1'): Crossing {
  const [root] = buildRecording({ label: 'agent:POST /ask', input: [], output: null }).roots;
  if (root === undefined) throw new TypeError('the recording has no root');
  return { ...root, canonicalPolicy, input: payloadOf('json', JSON.stringify(input)) };
}

describe('a recorded inbound request', () => {
  it('is told from a function by the rule its input is compared by', () => {
    expect(isInboundRequest(rootWith({}))).toBe(true);
    expect(isInboundRequest(rootWith({}, 'arguments/1'))).toBe(false);
  });

  it('is sent again byte for byte, without what was redacted, its host apart from its headers', () => {
    const request = recordedRequestOf(
      rootWith({
        method: 'POST',
        url: '/ask?a=1&api_key=[redacted]',
        contentType: 'application/json',
        headers: [
          ['Host', 'agent.example'],
          ['Content-Type', 'application/json'],
          ['Authorization', '[redacted]'],
          ['X-Tag', 'one'],
          ['X-Tag', 'two'],
        ],
        body: { text: '{ "spaced" : 1 }' },
      }),
    );
    expect(request).toEqual({
      method: 'POST',
      target: '/ask?a=1&api_key=[redacted]',
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Tag', 'one'],
        ['X-Tag', 'two'],
      ],
      host: 'agent.example',
      body: Buffer.from('{ "spaced" : 1 }'),
      httpVersion: '1.1',
      takesPushes: false,
      withheld: ['authorization', 'query parameter api_key'],
      withheldHeaders: [['Authorization', '[redacted]']],
      cookies: [],
      isBodyRedacted: false,
    });
  });

  it('carries bytes that are no text, and the boundary under which a form was kept', () => {
    const { headers, body } = recordedRequestOf(
      rootWith({
        method: 'PUT',
        url: '/',
        contentType: 'multipart/form-data',
        headers: [['content-type', 'multipart/form-data; boundary=xyz']],
        body: { base64: '/wA=' },
      }),
    );
    expect(headers).toEqual([['content-type', 'multipart/form-data; boundary=boundary']]);
    expect([...body]).toEqual([255, 0]);
  });

  it.each([
    ['was not recorded', { method: 'GET' }, /was not recorded/],
    [
      'is too long',
      { method: 'PUT', url: '/', body: { bytes: 99_000_000, sha256: 'abc' } },
      /99000000 bytes was too long/,
    ],
  ])('that %s is a cold case', (_name, input, message) => {
    expect(() => recordedRequestOf(rootWith(input))).toThrow(message);
    expect(() => recordedRequestOf(rootWith(input))).toThrow(expect.objectContaining({ code: 'cold-case' }));
  });
});

describe('a recorded request of HTTP/2, which names its host in no header', () => {
  it.each([
    ['agent.example', 8080, 'agent.example:8080'],
    ['agent.example', 443, 'agent.example'],
    ['::1', 8443, '[::1]:8443'],
    ['::1', 443, '[::1]'],
    // As older versions recorded it.
    ['[::1]', 8443, '[::1]:8443'],
  ])('to %s and port %i asks for %s', (address, port, host) => {
    const root = rootWith({ method: 'GET', url: '/' });
    const attributes = new Map<string, string | number>([
      ['server.address', address],
      ['server.port', port],
    ]);
    expect(recordedRequestOf({ ...root, attributes }).host).toBe(host);
  });
});

describe('a recorded request with a secret in its body', () => {
  it('is told of where its body holds tokens in place of secrets', () => {
    const body = { text: 'text=sell&token=[redacted:named-value:ad9da2a986aa3ce7]' };
    const root = { ...rootWith({ method: 'POST', url: '/', body }), redacted: ['/input/body/text'] };
    expect(withheldNotes(recordedRequestOf(root), {})).toEqual([expect.stringMatching(/tokens in its body/)]);
    expect(withheldNotes(recordedRequestOf({ ...root, redacted: ['/output/body/text'] }), {})).toEqual([]);
  });

  it('is said to be sent with a token in its address, which no header mends', () => {
    const root = rootWith({ method: 'GET', url: '/socket.io/?EIO=4&sid=[redacted:0123456789abcdef]' });
    const notes = withheldNotes(recordedRequestOf(root), {});
    expect(notes).toEqual([expect.stringMatching(/with a token in place of its recorded query parameter sid/)]);
    expect(notes.join()).not.toContain('--header');
  });
});
