import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeTracesJsonBytes } from './decode-traces-bytes.ts';
import { decodeTracesJson } from './json-codec.ts';

const RUNS = new URL('../../../test/fixtures/runs/v1/', import.meta.url);

const lines = readdirSync(RUNS).flatMap((name) =>
  readFileSync(new URL(name, RUNS), 'utf8')
    .split('\n')
    .filter((line) => line !== ''),
);

/** Groups of several scopes, with and without heads. */
function together(): string {
  const groups = lines.map((line) => (JSON.parse(line) as { resourceSpans: { scopeSpans: object[] }[] }).resourceSpans);
  const [first, ...others] = groups.flat();
  const scopes = [...(first?.scopeSpans ?? []), ...others.flatMap(({ scopeSpans }) => scopeSpans)];
  const bare = { scopeSpans: [{ ...others[0]?.scopeSpans[0], scope: undefined, schemaUrl: 'https://scope.example' }] };
  return JSON.stringify({ resourceSpans: [{ ...first, scopeSpans: scopes, schemaUrl: 'https://a.example' }, bare] });
}

describe('spans that are read out of bytes', () => {
  it('are what they are out of text', () => {
    for (const text of [...lines, together(), '{"resourceSpans":[]}', '{}'])
      expect(decodeTracesJsonBytes(Buffer.from(text))).toEqual(decodeTracesJson(text));
  });

  it('are none where the text is no document of spans', () => {
    for (const text of ['', '[]', '{"resourceSpans":[{]}', '<html>', '{"resourceSpans":[{"scopeSpans":7}]}'])
      expect(decodeTracesJsonBytes(Buffer.from(text))).toMatchObject({ ok: false });
  });

  it('leave out one that is wrong, and say why', () => {
    const [line = ''] = lines;
    const broken = line.replace(/"spanId":"[0-9a-f]{16}"/, '"spanId":"short"');
    expect(decodeTracesJsonBytes(Buffer.from(broken))).toMatchObject({ ok: true, rejected: { count: 1 } });
  });
});
