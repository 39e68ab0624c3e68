import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReenactError } from '@reenact/trace-model';
import { type RunSummary, type RunTree, runTreeSchema } from '@reenact/trace-model/collector-api';
import { afterEach, expect, it } from 'vitest';
import { createAuthorizer } from '../access/authorizer.ts';
import { createLog } from '../logging/log.ts';
import { RepeatedLog } from '../logging/repeated-log.ts';
import type { Store, StoredGroup, StoredSpan } from '../store/store.ts';
import { FollowPlaces } from './follow-place.ts';
import { TREE_NODES_PER_PIECE, TREE_OUTLINES_MAX } from './limits.ts';
import { PriceTable } from './price-table.ts';
import { answerQuestion } from './router.ts';
import { createRunTreeAnswerer } from './run-tree.ts';
import { unreadableRun } from './summaries/run-summary.ts';
import type { Summariser } from './summaries/summariser.ts';
import { RecentDeletions } from './tail/recent-deletions.ts';
import { ContentReferences } from './traces/content-references.ts';
import { StoredTraces } from './traces/stored-traces.ts';

const TRACE_ID = 'a'.repeat(32);
const group: StoredGroup = { id: 'one', format: 'json', bytes: Buffer.from('{}'), schemaUrl: '' };
const spanIdOf = (number: number) => (number + 1).toString(16).padStart(16, '0');

let server: Server | undefined;
afterEach(() => server?.close());

/** So long that spans are too large before they are too many. */
const NAME = 'x'.repeat(1_000);

/** Every second one is a crossing. */
function spanOf(number: number): StoredSpan {
  const spanId = spanIdOf(number);
  const attributes = number % 2 === 0 ? [{ key: 'reenact.schema', value: { stringValue: '1' } }] : [];
  const span = { traceId: TRACE_ID, spanId, name: NAME, startTimeUnixNano: `${number + 1}`, attributes };
  const bytes = Buffer.from(JSON.stringify(span));
  return { format: 'json', bytes, resource: group, scope: group, spanId, versions: 1 };
}

/** The tree of a run of so many spans, made by a collector that may hold this part of the usual. */
async function treeOf(spanCount: number, memoryShare: number): Promise<RunTree> {
  const references = Array.from({ length: spanCount }, (_, id) => ({ id }));
  const run: RunSummary = unreadableRun(TRACE_ID, spanIdOf(0), spanCount, new ReenactError('internal', 'none')).summary;
  const store = {
    threadAccess: { memoryShare },
    lastSummary: async () => 0,
    newestStale: async () => [],
    listRuns: async () => ({ runs: [run] }),
    listSpans: async () => references,
    readSpans: async (asked: readonly { id: number }[]) => asked.slice(0, 500).map(({ id }) => spanOf(id)),
  } as unknown as Store;
  const traces = new StoredTraces(store, new ContentReferences(undefined));
  const summariser = { catchUp: async () => 0 } as unknown as Summariser;
  const places = new FollowPlaces(store, new RecentDeletions(1));
  const answerer = createRunTreeAnswerer({ store, traces, summariser, places, prices: new PriceTable(undefined) });
  const questions = new Map([['/api/v1/runs/', answerer]]);
  const log = createLog('error', () => undefined);
  const options = { authorizer: createAuthorizer([]), questions, log, unanswered: new RepeatedLog() };
  server = createServer((request, response) => {
    void answerQuestion(options, new URL(request.url ?? '/', 'http://localhost'), request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return runTreeSchema.parse(await (await fetch(`http://127.0.0.1:${port}/api/v1/runs/${TRACE_ID}`)).json());
}

it('is made of the first outlines where even those are too many, and says how many it is without', async () => {
  const kept = TREE_NODES_PER_PIECE * 5;
  const tree = await treeOf(kept + 7, kept / TREE_OUTLINES_MAX);
  expect(tree).toMatchObject({ isOutline: true, leftOutSpans: 7 });
  const ids = [...tree.crossings, ...tree.otherSpans].map(({ spanId }) => spanId);
  expect([tree.crossings.length, ids.length]).toEqual([kept / 2, kept]);
  expect(ids.toSorted()).toEqual(Array.from({ length: kept }, (_, number) => spanIdOf(number)));
});
