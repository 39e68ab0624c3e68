import { runStoreRequest } from '@reenact/collector';
import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findBrowser } from './find-browser.ts';
import { suiteBrowser } from './suite-browser.ts';
import { openWatched } from './watched-page.ts';

const program = findBrowser();

/** The agent of a run, as it goes on and as it has ended. */
const pendingAgent = crossingSpan({
  trace: 1,
  span: 1,
  kind: 'agent',
  name: 'clerk',
  attributes: { 'reenact.outcome': 'pending' },
  members: { endTimeUnixNano: '0' },
});
const endedAgent = crossingSpan({ trace: 1, span: 1, kind: 'agent', name: 'clerk' });

const stepOf = (at: number) => crossingSpan({ trace: 1, span: at + 1, parent: 1, name: `step_${at}`, atSecond: at });

describe.skipIf(program === undefined)('the page of the collector, of runs that go on and go', () => {
  const testbed = new Testbed();
  const browser = suiteBrowser(program);

  afterAll(() => testbed.dispose());

  it('shows what comes of a run that it shows, and leaves what is looked at as it is', async () => {
    const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    await send(httpUrl, [pendingAgent, stepOf(1)]);
    const { page, complaints } = await openWatched(browser(), httpUrl);
    await page.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    const panel = page.locator('.panel');
    await panel.getByRole('heading', { name: 'agent clerk' }).waitFor();
    await panel.getByText('pending').first().waitFor();
    const rows = page.getByRole('treeitem');
    expect(await rows.count()).toBe(2);
    await send(httpUrl, [stepOf(2)]);
    await rows.filter({ hasText: 'step_2' }).waitFor();
    await send(httpUrl, [endedAgent]);
    await panel.getByText('returned').first().waitFor();
    expect(await rows.count()).toBe(3);
    await panel.getByRole('heading', { name: 'agent clerk' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('lets go of a run that is deleted: in the list without a word, in its own page with one', async () => {
    const { httpUrl, dataDirectory } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    await send(httpUrl, [endedAgent, stepOf(1)]);
    await send(httpUrl, [crossingSpan({ trace: 2, span: 9, name: 'other' })]);
    const { page: list } = await openWatched(browser(), httpUrl);
    const { page: run } = await openWatched(browser(), httpUrl);
    await list.goto(`${httpUrl}/`);
    await list.getByText('live', { exact: true }).waitFor();
    for (const name of ['agent:clerk', 'tool:other']) await list.getByRole('link', { name }).waitFor();
    await run.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await run.locator('.panel').getByRole('heading', { name: 'agent clerk' }).waitFor();
    await runStoreRequest(dataDirectory, { type: 'delete-trace', tenant: 'default', id: traceIdOf(1) });
    await list.getByRole('link', { name: 'agent:clerk' }).waitFor({ state: 'detached' });
    expect(await list.locator('tr[data-run]').count()).toBe(1);
    await run.getByText('This run has been deleted.').waitFor();
    await list.context().close();
    await run.context().close();
  });

  it('lets go of a run that was deleted while the collector was away', async () => {
    const collector = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    const { httpUrl, dataDirectory } = collector;
    await send(httpUrl, [endedAgent, stepOf(1)]);
    await send(httpUrl, [crossingSpan({ trace: 2, span: 9, name: 'other' })]);
    const { page: list } = await openWatched(browser(), httpUrl);
    const { page: run } = await openWatched(browser(), httpUrl);
    await list.goto(`${httpUrl}/`);
    await list.getByText('live', { exact: true }).waitFor();
    await list.getByRole('link', { name: 'agent:clerk' }).waitFor();
    await run.goto(`${httpUrl}/#/runs/${traceIdOf(1)}`);
    await run.locator('.panel').getByRole('heading', { name: 'agent clerk' }).waitFor();
    await collector.stop();
    for (const page of [list, run]) await page.getByText('no connection, trying again').waitFor();
    await runStoreRequest(dataDirectory, { type: 'delete-trace', tenant: 'default', id: traceIdOf(1) });
    await testbed.start({ dataDirectory, httpPort: Number(new URL(httpUrl).port) }, { pageDirectory: PAGE_DIRECTORY });
    await list.getByRole('link', { name: 'agent:clerk' }).waitFor({ state: 'detached' });
    await list.getByRole('link', { name: 'tool:other' }).waitFor();
    await run.getByText('This run has been deleted.').waitFor();
    await list.context().close();
    await run.context().close();
  });
});
