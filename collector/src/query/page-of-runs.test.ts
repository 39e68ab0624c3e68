import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { FollowPlaces } from './follow-place.ts';
import { type AnsweredPage, pageOfRuns } from './page-of-runs.ts';
import { unreadableRun } from './summaries/run-summary.ts';
import { Summariser } from './summaries/summariser.ts';
import { RecentDeletions } from './tail/recent-deletions.ts';

const TENANT = 'default';
const WAIT_MS = 60_000;
/** Why a run cannot be read, which is not the matter here. */
const unread = new ReenactError('internal', 'No matter.');

let directory: string;
let store: Store;
let summariser: Summariser;
let failing: Error | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-pages-'));
  store = await openStore(directory);
  failing = new Error('no space left');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const summarise = async (traces: readonly (readonly [tenant: string, traceId: string])[]) => {
    if (failing !== undefined) throw failing;
    return traces.map(([, traceId]) => ({ run: unreadableRun(traceId, '', 1, unread), bytes: 1 }));
  };
  summariser = new Summariser(store, { waitMs: WAIT_MS, maker: { summarise, stop: async () => undefined } });
});
afterEach(async () => {
  vi.useRealTimers();
  await summariser.stop();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

async function append(trace: number, span = 1): Promise<void> {
  const traceId = `a${trace.toString(16).padStart(31, '0')}`;
  const spanId = `b${span.toString(16).padStart(15, '0')}`;
  const times = { startTimeUnixNano: `${trace}`, endTimeUnixNano: `${trace}` };
  const made = { traceId, spanId, name: 'run', kind: 1, ...times, attributes: [], events: [], links: [] };
  const resourceSpans = [{ resource: { attributes: [] }, scopeSpans: [{ spans: [made] }] }];
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans }));
  if (!walked.ok) expect.fail(walked.problem.message);
  await store.appendSpans(TENANT, walked.spans, []);
}

function ask(complete: boolean): Promise<AnsweredPage> {
  const places = new FollowPlaces(store, new RecentDeletions(1));
  return pageOfRuns({ store, summariser, places }, TENANT, { complete }, 10);
}

/** Whether a page has come once everything that does not wait for time has had ample turns. */
async function hasCome(page: Promise<AnsweredPage>): Promise<boolean> {
  let isThere = false;
  void page.then(() => {
    isThere = true;
  });
  for (let turns = 0; turns < 200; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return isThere;
}

describe('a complete page', () => {
  it('comes empty only once summaries were waited for, also where they fail at once', async () => {
    await append(1);
    const page = ask(true);
    expect(await hasCome(page)).toBe(false);
    vi.advanceTimersByTime(WAIT_MS);
    expect(await page).toMatchObject({ runs: [], next: expect.any(String), unsummarised: 1 });
    expect(await ask(false)).toMatchObject({ runs: [], unsummarised: 1, followFrom: expect.stringMatching(/^1\./) });
    expect(await ask(false)).not.toHaveProperty('next');
  });

  it('has what was summarised while an empty one waited', async () => {
    await append(1);
    const page = ask(true);
    expect(await hasCome(page)).toBe(false);
    failing = undefined;
    expect(await summariser.catchUp(TENANT)).toBe(0);
    vi.advanceTimersByTime(WAIT_MS);
    expect(await page).toMatchObject({ runs: [{ spanCount: 1 }], unsummarised: 0 });
    expect((await page).next).toBeUndefined();
  });

  it('waits no longer for summaries that nobody makes any more', async () => {
    await append(1);
    const page = ask(true);
    expect(await hasCome(page)).toBe(false);
    await summariser.stop();
    expect(await page).toMatchObject({ runs: [], unsummarised: 1 });
  });

  it('is not held up by a run that goes on whenever it is summarised', async () => {
    failing = undefined;
    await append(1);
    const listRuns = store.listRuns.bind(store);
    let spans = 1;
    vi.spyOn(store, 'listRuns').mockImplementation(async (...given) => {
      await append(1, ++spans);
      return listRuns(...given);
    });
    const page = await ask(true);
    expect(page).toMatchObject({ runs: [{ spanCount: 1 }], unsummarised: 0 });
    expect(page.next).toBeUndefined();
  });
});
