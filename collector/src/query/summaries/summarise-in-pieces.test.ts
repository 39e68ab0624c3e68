import { readdirSync, readFileSync } from 'node:fs';
import { type LogsData, type Span, type TracesData, toMap } from '@reenact/otlp';
import { readFixture } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import { FACET_CHARACTERS_MAX } from '../../store/limits.ts';
import { readKeptTexts } from '../../store/search/searchable-texts.ts';
import type { SpanReference, StoredGroup, StoredSpan, SummarisedRun } from '../../store/store.ts';
import { assembleWithLogs } from '../traces/assemble-trace.ts';
import { decodeTrace } from '../traces/decode-trace.ts';
import { summariseRun } from './run-summary.ts';
import { summariseInPieces, type TraceInPieces } from './summarise-in-pieces.ts';

const OWN = new URL('../../../../test/fixtures/runs/v1/', import.meta.url);
const FOREIGN = new URL('../../../../packages/dialects/src/otel-genai/testdata/', import.meta.url);
const VOCABULARIES = ['openinference', 'openllmetry', 'ai-sdk'];
const NO_LOGS: LogsData = { resourceLogs: [] };

interface Example {
  readonly traces: TracesData;
  readonly logs: LogsData;
}

const own = readdirSync(OWN).map((name): readonly [string, Example] => [
  name,
  { traces: onlyOneTrace(readFixture(readFileSync(new URL(name, OWN), 'utf8'))), logs: NO_LOGS },
]);
const foreign = readdirSync(FOREIGN).map((name): readonly [string, Example] => {
  const { traces, logs = NO_LOGS } = JSON.parse(readFileSync(new URL(name, FOREIGN), 'utf8')) as Partial<Example>;
  return [name, { traces: traces ?? { resourceSpans: [] }, logs }];
});

const translated = VOCABULARIES.flatMap((vocabulary) => {
  const folder = new URL(`../../../../packages/dialects/src/${vocabulary}/testdata/`, import.meta.url);
  return readdirSync(folder).map((name): readonly [string, Example] => [
    name,
    { traces: readFixture(readFileSync(new URL(name, folder), 'utf8')), logs: NO_LOGS },
  ]);
});

/** A store holds one trace under one id: what a fixture has beside it of the same process is another. */
function onlyOneTrace(data: TracesData): TracesData {
  const ids = data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  const own = ids.at(-1)?.traceId;
  const resourceSpans = data.resourceSpans.map((group) => ({
    ...group,
    scopeSpans: group.scopeSpans.map((scope) => ({
      ...scope,
      spans: scope.spans.filter(({ traceId }) => traceId === own),
    })),
  }));
  return { resourceSpans };
}

function groupOf(content: object | undefined, schemaUrl = ''): StoredGroup {
  const bytes = content === undefined ? new Uint8Array(0) : Buffer.from(JSON.stringify(content));
  return { id: Buffer.from(bytes).toString('hex') + schemaUrl, format: 'json', bytes, schemaUrl };
}

/** As a store gives them: in start order. */
function stored({ resourceSpans }: TracesData): StoredSpan[] {
  const spans = resourceSpans.flatMap(({ resource, scopeSpans, schemaUrl }) =>
    scopeSpans.flatMap(({ scope, spans: found, schemaUrl: ofScope }) =>
      found.map((span) => ({ span, resource: groupOf(resource, schemaUrl), scope: groupOf(scope, ofScope) })),
    ),
  );
  spans.sort((left, right) => Number(BigInt(left.span.startTimeUnixNano) - BigInt(right.span.startTimeUnixNano)));
  return spans.map(({ span, ...groups }) => ({
    format: 'json',
    bytes: Buffer.from(JSON.stringify(span)),
    ...groups,
    spanId: span.spanId,
    versions: 1,
  }));
}

function whole(spans: readonly StoredSpan[], logs: LogsData): Promise<SummarisedRun> {
  return assembleWithLogs(decodeTrace(spans), async () => logs).then((trace) =>
    summariseRun(trace, { conflictingSpans: 0, keepsText: true }),
  );
}

/** Pieces of one span. */
function inPieces(spans: readonly StoredSpan[], members: Partial<TraceInPieces> = {}): Promise<SummarisedRun> {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  return summariseInPieces({
    references: spans.map(({ spanId }, id): SpanReference => ({ id, spanId, versions: 1 })),
    spanCount: spans.length,
    conflictingSpans: 0,
    spanBytesMax: Number.POSITIVE_INFINITY,
    keepsText: true,
    readPiece: ([first]) => [byId.get(first?.spanId ?? '') as StoredSpan],
    decode: async (read) => decodeTrace(read),
    readLogs: async () => NO_LOGS,
    ...members,
  });
}

/** Without an order: a piece of text is kept once, where it is met first. */
function shown({ texts, observations, ...run }: SummarisedRun) {
  const words = texts === undefined ? [] : readKeptTexts(texts.kept).flatMap(({ text }) => text.split('\n'));
  return {
    ...run,
    words: words.sort(),
    observed: observations.map((one) => JSON.stringify({ ...one, startNs: String(one.startNs) })).sort(),
  };
}

function withAttribute(
  data: TracesData,
  key: string,
  stringValue: string,
  wanted: (span: Span) => boolean,
): TracesData {
  const resourceSpans = data.resourceSpans.map((group) => ({
    ...group,
    scopeSpans: group.scopeSpans.map((scope) => ({
      ...scope,
      spans: scope.spans.map((span) =>
        wanted(span) ? { ...span, attributes: [...(span.attributes ?? []), { key, value: { stringValue } }] } : span,
      ),
    })),
  }));
  return { resourceSpans };
}

function example(wanted: string): Example {
  const [, found] = [...own, ...foreign, ...translated].find(([name]) => name === wanted) ?? [];
  return found as Example;
}

const trading = () => example('trading.otlp.jsonl').traces;

describe('a summary that is made in pieces', () => {
  it.each([...own, ...foreign, ...translated])(
    'says of %s what one of the whole run says',
    async (_, { traces, logs }) => {
      const spans = stored(traces);
      expect(spans.length).toBeGreaterThan(0);
      const pieces = await inPieces(spans, { readLogs: async () => logs });
      expect(shown(pieces)).toEqual(shown(await whole(spans, logs)));
    },
  );

  it('finds a run by what is no longer than the index takes, and by nothing that is cut', async () => {
    const long = 'u'.repeat(FACET_CHARACTERS_MAX + 5);
    const { facets } = await inPieces(stored(withAttribute(trading(), 'session.id', long, () => true)));
    expect(facets.session).toBeUndefined();
  });

  it('knows a user by all of an id that is longer than that', async () => {
    const spans = stored(withAttribute(trading(), 'user.id', 'u'.repeat(FACET_CHARACTERS_MAX + 5), () => true));
    const { facets } = await inPieces(spans);
    expect(facets.user).toEqual([expect.stringMatching(/^sha256:/)]);
    expect((await whole(spans, NO_LOGS)).facets.user).toEqual(facets.user);
  });

  it('names spans beyond those it looks at', async () => {
    const spans = stored(trading());
    const first = spans.slice(0, 5);
    const { summary, facets } = await inPieces(first, { spanCount: spans.length });
    expect(summary).toMatchObject({ spanCount: spans.length, replayability: { verdict: 'partial' } });
    expect(summary.replayability.missing.at(-1)).toEqual({
      cause: 'unread',
      detail: `the last ${spans.length - 5} of ${spans.length} spans`,
    });
    expect(facets.missing).toContain('unread');
  });

  it('names a span that is too large to be looked at, and holds nothing against what was said in it', async () => {
    const isWanted = ({ attributes = [] }: Span) => toMap(attributes).get('reenact.name') === 'place_order';
    const spans = stored(withAttribute(trading(), 'reenact.large', 'x'.repeat(200_000), isWanted));
    const before = await whole(spans, NO_LOGS);
    const { summary, facets, observations } = await inPieces(spans, { spanBytesMax: 100_000 });
    expect(facets).toEqual({ ...before.facets, missing: ['unread'] });
    const [missing, ...others] = summary.replayability.missing;
    expect(others).toEqual([]);
    expect(missing).toMatchObject({ cause: 'unread', where: expect.stringContaining('tool:place_order') });
    expect(observations.length).toBe(before.observations.length - 1);
  });

  it('names log records that are too many to be held', async () => {
    const { traces } = example('log-events.json');
    const { summary } = await inPieces(stored(traces), { readLogs: async () => undefined });
    expect(summary.replayability.missing).toContainEqual({ cause: 'unread', detail: 'its log records' });
    expect(summary.replayability.verdict).toBe('cold');
  });
});
