import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unreadableRun } from '../query/summaries/run-summary.ts';
import { openStore } from './open-store.ts';
import { toSearchableTexts } from './search/searchable-texts.ts';
import type { Store } from './store.ts';
import { verifyStore } from './verify/verify-store.ts';

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-tenant-'));
  store = await openStore(directory);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const COUNT = 600;

async function append(tenant: string): Promise<void> {
  const spans = Array.from({ length: COUNT }, (_, index) => ({
    traceId: `${tenant.length}${index.toString(16).padStart(31, '0')}`,
    spanId: index.toString(16).padStart(16, '1'),
    name: `${tenant} said`,
    startTimeUnixNano: '1763700000000000001',
    endTimeUnixNano: '1763700001000000002',
  }));
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  await store.appendSpans(tenant, walked.spans, []);
}

/** Gives each run a user, a text, and a crossing of which another run has made something else. */
async function summarise(): Promise<void> {
  for (;;) {
    const stale = await store.staleTraces(100);
    if (stale.length === 0) return;
    const summaries = stale.map((trace) => {
      const { summary } = unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter here'));
      const place = Number.parseInt(trace.traceId.slice(1), 16);
      const who = `${trace.tenant} user ${place}`;
      const texts = toSearchableTexts([{ spanId: '', part: 'input', text: `${trace.tenant}word number${place}` }]);
      const observation = {
        spanId: '1'.repeat(16),
        kind: 'tool',
        name: who,
        service: who,
        input: Buffer.alloc(16, place % 50),
        outcome: Buffer.from(trace.traceId, 'hex'),
        startNs: 1n,
        circumstances: {},
      };
      return { trace, run: { summary, facets: { user: [who], name: [who] }, observations: [observation], texts } };
    });
    await store.writeSummaries(summaries);
  }
}

/** The files of the directory that hold a text as it is. Of a deletion, the chain keeps whose it was and of which ids. */
function filesWith(text: string): string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => !path.endsWith('.chain') && readFileSync(path).includes(text));
}

it('a tenant that is deleted is named nowhere any more, also not between what is left of the index', async () => {
  for (const tenant of ['quagga', 'okapi']) await append(tenant);
  await summarise();
  await store.settle();
  expect((await store.listDrift('quagga', {}, 9)).drifts).not.toEqual([]);
  expect(await store.eraseTenant('quagga')).toBe(COUNT);
  expect(filesWith('quagga')).toEqual([]);
  expect((await store.listDrift('okapi', {}, 9)).drifts).not.toEqual([]);
  expect((await store.listRuns('okapi', { text: 'number7' }, 9)).runs).toHaveLength(1);
  await store.close();
  expect(filesWith('quagga')).toEqual([]);
  expect(verifyStore(directory).problems).toEqual([]);
});

it('a deletion that was broken off is finished by the same call on the next start', async () => {
  for (const tenant of ['quagga', 'okapi']) await append(tenant);
  await summarise();
  await store.settle();
  const stop = new AbortController();
  const deletion = store.eraseTenant('quagga', stop.signal);
  stop.abort();
  await expect(deletion).rejects.toMatchObject({ code: 'store-failed', retryable: true });
  await store.close();
  store = await openStore(directory);
  await store.eraseTenant('quagga');
  expect(filesWith('quagga')).toEqual([]);
  await store.close();
  expect(verifyStore(directory)).toMatchObject({ problems: [], items: COUNT });
});
