import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeTracesJson } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthorizer } from '../access/authorizer.ts';
import { createLog } from '../logging/log.ts';
import { RepeatedLog } from '../logging/repeated-log.ts';
import type { Store, StoredGroup, StoredSpan } from '../store/store.ts';
import { RECORDING_PIECE_BYTES, RECORDING_PIECE_SPANS } from './limits.ts';
import { createRecordingsAnswerer } from './recordings.ts';
import { answerQuestion } from './router.ts';
import { ContentReferences } from './traces/content-references.ts';
import { StoredTraces } from './traces/stored-traces.ts';

const TRACE_ID = 'a'.repeat(32);
const group: StoredGroup = { id: 'one', format: 'json', bytes: Buffer.from('{}'), schemaUrl: '' };
const spanIdOf = (number: number) => (number + 1).toString(16).padStart(16, '0');
const idsUpTo = (count: number) => Array.from({ length: count }, (_, number) => spanIdOf(number));

let server: Server | undefined;
let lines: string[] = [];
let spansRead = 0;

afterEach(() => {
  lines = [];
  spansRead = 0;
  server?.closeAllConnections();
  server?.close();
});

function spanOf(number: number, name = 'call'): StoredSpan {
  const spanId = spanIdOf(number);
  const span = { traceId: TRACE_ID, spanId, name, startTimeUnixNano: '1', endTimeUnixNano: '2' };
  const bytes = Buffer.from(JSON.stringify(span));
  return { format: 'json', bytes, resource: group, scope: group, spanId, versions: 1 };
}

/** Serves a trace of these spans and gives its address. */
async function serve(spans: readonly StoredSpan[]): Promise<string> {
  const references = spans.map((_, id) => ({ id }));
  const readSpans: Store['readSpans'] = async (asked, bytesMin) => {
    const taken: StoredSpan[] = [];
    for (const { id } of asked) {
      const bytes = taken.reduce((sum, span) => sum + span.bytes.length, 0);
      if (bytes >= bytesMin) break;
      taken.push(...spans.slice(id, id + 1));
    }
    spansRead += taken.length;
    return taken;
  };
  const store = { listSpans: async () => references, readSpans } as unknown as Store;
  const traces = new StoredTraces(store, new ContentReferences(undefined));
  const questions = new Map([['/api/v1/recordings/', createRecordingsAnswerer(store, traces)]]);
  const log = createLog('error', (line) => lines.push(line));
  const options = { authorizer: createAuthorizer([]), questions, log, unanswered: new RepeatedLog() };
  server = createServer((request, response) => {
    void answerQuestion(options, new URL(request.url ?? '/', 'http://localhost'), request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/recordings/${TRACE_ID}`;
}

function idsIn(document: string): string[] {
  const decoded = decodeTracesJson(document);
  if (!decoded.ok) return [decoded.problem.message];
  return decoded.data.resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(({ spanId }) => spanId)),
  );
}

describe('a recording that is large', () => {
  it.each([
    ['many spans', RECORDING_PIECE_SPANS * 2 + 7, 'call'],
    ['large spans', 9, 'x'.repeat(RECORDING_PIECE_BYTES / 3)],
  ])('of %s comes in pieces that are one document', async (_, count, name) => {
    const answer = await fetch(await serve(idsUpTo(count).map((_id, number) => spanOf(number, name))));
    expect(answer.headers.get('content-length')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(idsIn(await answer.text())).toEqual(idsUpTo(count));
  });

  it('that fits one piece is sent with its length', async () => {
    const url = await serve(idsUpTo(RECORDING_PIECE_SPANS).map((_, number) => spanOf(number)));
    const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
    const text = await answer.text();
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(idsIn(text)).toEqual(idsUpTo(RECORDING_PIECE_SPANS));
  });

  it('breaks off where a piece cannot be made: nobody takes the first of it for the whole', async () => {
    const damaged = { ...spanOf(RECORDING_PIECE_SPANS), bytes: Buffer.from('{') };
    const whole = idsUpTo(RECORDING_PIECE_SPANS).map((_, number) => spanOf(number));
    const answer = await fetch(await serve([...whole, damaged]));
    await expect(answer.text()).rejects.toThrow();
    // Its reader got no reason; whoever runs the collector does.
    await expect.poll(() => lines.join(), { timeout: 20_000 }).toMatch(/question not answered.*recordings/);
  });

  it('is read from the store and sent no faster than its reader reads, and a reader that leaves is no failure', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const spans = idsUpTo(60).map((_, number) => spanOf(number, 'x'.repeat(RECORDING_PIECE_BYTES / 2)));
    const url = await serve(spans);
    const left = await fetch(url);
    // What the sockets hold is far below the 120 MB of all.
    expect(spansRead).toBeLessThan(30);
    const whole = await fetch(url);
    await left.body?.cancel();
    expect(idsIn(await whole.text())).toEqual(idsUpTo(60));
    process.off('warning', onWarning);
    expect([warnings, lines]).toEqual([[], []]);
  });

  it('is asked after without being read', async () => {
    const url = await serve(idsUpTo(RECORDING_PIECE_SPANS + 1).map((_, number) => spanOf(number)));
    const answer = await fetch(url, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    // One part tells that there are more: two large ones would be held before any is sent.
    expect(spansRead).toBe(RECORDING_PIECE_SPANS);
  });
});
