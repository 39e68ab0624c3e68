import { describe, expect, it } from 'vitest';
import { PLANTED_SECRETS } from '../../testing/planted-secrets.ts';
import { Redactor } from '../redactor/redactor.ts';
import { redactedBodyChunks } from './redact-chunks.ts';

const redactor = new Redactor({
  options: {},
  key: () => ({ bytes: Buffer.from('a test key'), id: 'test', source: 'environment' }),
});

/** What stands in the data lines of the events that are left of these. */
function streamed(pieces: readonly string[]): string {
  const chunks = pieces.map((piece, index): [number, string] => [index, `data: ${piece}\n\n`]);
  const body = { chunks, isWhole: true, contentType: 'text/event-stream', coding: '' };
  const { changed } = redactedBodyChunks(redactor, body);
  const text = (changed ?? chunks).map(([, data]) => String(data)).join('');
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join('');
}

describe('pieces of a text that streams as it is', () => {
  const secrets = PLANTED_SECRETS.filter(({ text }) => !text.includes('\n') && /\d{2}/.test(text));

  it.each(secrets)('belong together where one is digits alone: $kind', ({ secret, text }) => {
    const digits = /\d{2,}/.exec(text);
    const [from, to] = [digits?.index ?? 0, (digits?.index ?? 0) + (digits?.[0].length ?? 0)];
    const pieces = ['say ', text.slice(0, from), text.slice(from, to), text.slice(to)];
    expect(streamed(pieces.filter((piece) => piece !== ''))).not.toContain(secret);
  });

  it('are numbers where all of them are', () => {
    const counted = ['4111', '1111', '1111', '1111'];
    expect(streamed(counted)).toBe(counted.join(''));
  });
});
