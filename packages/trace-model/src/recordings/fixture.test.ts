import type { Span, TracesData } from '@reenact/otlp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFixture, writeFixture } from './fixture.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

function span(index: number, text: string): Span {
  return {
    traceId,
    spanId: (index + 1).toString(16).padStart(16, '0'),
    name: `span ${index}`,
    kind: 1,
    startTimeUnixNano: String(1_800_000_000_000_000_000n + BigInt(index)),
    endTimeUnixNano: String(1_800_000_000_000_000_900n + BigInt(index)),
    attributes: [
      { key: 'text', value: { stringValue: text } },
      { key: 'big', value: { intValue: '9223372036854775807' } },
      { key: 'ratio', value: { doubleValue: 0.1 } },
    ],
  };
}

function recording(texts: readonly string[]): TracesData {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'trading' } }] };
  return {
    resourceSpans: [
      { resource, scopeSpans: [{ scope: { name: 'test' }, spans: texts.map((text, index) => span(index, text)) }] },
    ],
  };
}

function spansOf(data: TracesData): Span[] {
  return data.resourceSpans.flatMap((group) => group.scopeSpans.flatMap(({ spans }) => spans));
}

describe('a fixture', () => {
  it('brings every span back as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 8 }), (texts) => {
        const data = recording(texts);
        expect(spansOf(readFixture(writeFixture(data)))).toEqual(spansOf(data));
      }),
    );
  });

  it('does not depend on the order in which spans arrived', () => {
    const data = recording(['a', 'b', 'c']);
    const shuffled: TracesData = {
      resourceSpans: data.resourceSpans.map((group) => ({
        ...group,
        scopeSpans: group.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.toReversed() })),
      })),
    };
    expect(writeFixture(shuffled)).toBe(writeFixture(data));
  });

  it('is the same text when it is read and written again', () => {
    const text = writeFixture(recording(['a', 'b']));
    expect(writeFixture(readFixture(text))).toBe(text);
  });

  it('has one line of OTLP/JSON a span', () => {
    const lines = writeFixture(recording(['a', 'b']))
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(JSON.parse(line).resourceSpans[0].scopeSpans[0].spans).toHaveLength(1);
  });
});

describe('a damaged fixture', () => {
  const text = writeFixture(recording(['sell $1,000 worth', 'b', 'c']));
  const lines = text.trimEnd().split('\n');

  it.each([
    ['a changed value', text.replace('$1,000 worth', '1,000 shares')],
    ['a missing line', [lines[0], lines[2]].join('\n')],
    ['a missing first line', lines.slice(1).join('\n')],
    ['a line twice', [...lines, lines[1]].join('\n')],
    ['an added attribute', text.replace('"key":"ratio"', '"key":"ratioX"')],
    ['a cut last line', text.slice(0, -40)],
    ['text that is not JSON', `${text}oops\n`],
    ['a bad span id', text.replace('"0000000000000002"', '"zz"')],
    ['no content', ''],
  ])('is refused for %s', (_name, changed) => {
    expect(() => readFixture(changed, 'ticket.otlp.jsonl')).toThrowError(
      expect.objectContaining({ code: 'fixture-damaged' }),
    );
  });

  it('names the file and line', () => {
    expect(() => readFixture(`${lines[0]}\n{"resourceSpans":`, 'ticket.otlp.jsonl')).toThrowError(
      expect.objectContaining({ where: 'ticket.otlp.jsonl:2' }),
    );
  });

  it('of a newer format says so', () => {
    const newer = text.replaceAll(
      '"key":"reenact.fixture.version","value":{"intValue":"1"}',
      '"key":"reenact.fixture.version","value":{"intValue":"2"}',
    );
    expect(() => readFixture(newer)).toThrowError(expect.objectContaining({ code: 'unsupported' }));
  });
});

describe('an OTLP/JSON lines file of another tool', () => {
  it('is read too, several spans a line', () => {
    const line = JSON.stringify(recording(['a', 'b']));
    expect(spansOf(readFixture(`${line}\n`))).toHaveLength(2);
  });
});
