import { SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { leaksIn, PLANTED_SECRETS } from '../../testing/index.ts';
import { redactedSpan } from './redacted-span.ts';

/** A span of the host's own code with a text in every place it has. */
function spanWith(text: string): ReturnType<InMemorySpanExporter['getFinishedSpans']>[number] {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const span = provider.getTracer('host').startSpan(`call ${text}`);
  span.setAttributes({ note: text, list: [text, 'plain'], count: 3, json: JSON.stringify({ inner: [text] }) });
  span.addEvent(`met ${text}`, { text });
  span.recordException(new Error(`failed with ${text}`));
  span.addLink({ context: span.spanContext(), attributes: { text } });
  span.setStatus({ code: SpanStatusCode.ERROR, message: `failed with ${text}` });
  span.end();
  const [ended] = exporter.getFinishedSpans();
  if (ended === undefined) throw new TypeError('no span ended');
  return ended;
}

function seen({ name, attributes, events, links, status }: ReturnType<typeof spanWith>): string {
  return JSON.stringify([name, attributes, events, links, status]);
}

describe('a span of the host', () => {
  it.each(PLANTED_SECRETS)('holds no $kind when it leaves with a recording, and is the same span', (planted) => {
    const span = spanWith(planted.text);
    const before = seen(span);
    const kept = redactedSpan(span);
    expect(leaksIn(seen(kept), [planted])).toEqual([]);
    expect(leaksIn(before, [planted])).not.toEqual([]);
    // What the host's own exporters send is theirs.
    expect(seen(span)).toBe(before);
    expect([kept.spanContext(), kept.startTime, kept.attributes.count]).toEqual([
      span.spanContext(),
      span.startTime,
      3,
    ]);
  });

  it('is the same object where it holds none', () => {
    const span = spanWith('nothing to hide');
    expect(redactedSpan(span)).toBe(span);
  });
});
