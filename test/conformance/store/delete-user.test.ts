import { runStoreRequest } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, sendLogs } from '../query/run-corpus.ts';
import { makeSpan, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';

const LONG_ID = `${'u'.repeat(1_500)}-1`;
const OTHER_LONG_ID = `${'u'.repeat(1_500)}-2`;
const USERS_OF_ONE_RUN = 2_050;

const testbed = new Testbed();
let httpUrl: string;
let dataDirectory: string;

/** In order as texts, too. */
const userOf = (number: number) => `user-${String(number).padStart(4, '0')}`;

const spanOf = (trace: number, span: number, user: string) =>
  makeSpan({
    traceId: traceIdOf(trace),
    spanId: spanIdOf(span),
    ...(span === trace ? {} : { parentSpanId: spanIdOf(trace) }),
    attributes: textAttributes({ 'user.id': user }),
  });

beforeAll(async () => {
  ({ httpUrl, dataDirectory } = await testbed.start());
  await send(httpUrl, [spanOf(1, 1, LONG_ID)]);
  await send(httpUrl, [spanOf(2, 2, OTHER_LONG_ID)]);
  const users = Array.from({ length: USERS_OF_ONE_RUN }, (_, index) => spanOf(3, index + 3, userOf(index)));
  await send(httpUrl, users);
});
afterAll(() => testbed.dispose());

const deletionOf = (user: string) => runStoreRequest(dataDirectory, { type: 'delete-user', tenant: 'default', user });

describe('the deletion of a user whom log records alone name', () => {
  const attributes = textAttributes({ 'user.id': 'ada' });

  it('takes the run that they belong to, and those that no span has come for', async () => {
    await send(httpUrl, [makeSpan({ traceId: traceIdOf(11), spanId: spanIdOf(11) })]);
    await send(httpUrl, [makeSpan({ traceId: traceIdOf(13), spanId: spanIdOf(13) })]);
    const others = textAttributes({ 'user.id': 'ada-2' });
    await sendLogs(httpUrl, [
      { traceId: traceIdOf(11), timeUnixNano: '1763700000000000001', attributes },
      { traceId: traceIdOf(12), timeUnixNano: '1763700000000000002', attributes },
      { traceId: traceIdOf(13), timeUnixNano: '1763700000000000003', attributes: others },
    ]);
    await runStoreRequest(dataDirectory, { type: 'settle' });
    expect(await deletionOf('ada')).toEqual({ deletedItems: 3 });
    expect(await deletionOf('ada')).toEqual({ deletedItems: 0 });
    const logs = async (number: number) => (await fetch(`${httpUrl}/api/v1/logs/${traceIdOf(number)}`)).json();
    expect(JSON.stringify([await logs(11), await logs(12)])).not.toContain('ada');
    expect(JSON.stringify(await logs(13))).toContain('ada-2');
    expect(await deletionOf('ada-2')).toEqual({ deletedItems: 2 });
  });

  it('takes the records of no run that name the user, and leaves the others of their day', async () => {
    const recordOf = (user: string, number: number) => ({
      timeUnixNano: `17637000000000001${number}`,
      body: { stringValue: `said to ${user}` },
      attributes: textAttributes({ 'user.id': user }),
    });
    await sendLogs(httpUrl, [recordOf('eve', 10), recordOf('mallory', 11)]);
    await runStoreRequest(dataDirectory, { type: 'settle' });
    await sendLogs(httpUrl, [recordOf('eve', 12), recordOf('mallory', 13)]);
    expect(await deletionOf('eve')).toEqual({ deletedItems: 2 });
    expect(await deletionOf('eve')).toEqual({ deletedItems: 0 });
    expect(await deletionOf('mallory')).toEqual({ deletedItems: 2 });
  });
});

describe('the deletion of a user', () => {
  it('finds an id that is longer than an index takes, and no other that begins like it', async () => {
    expect(await deletionOf(LONG_ID)).toEqual({ deletedItems: 1 });
    const { runs } = await createCollectorClient({ url: httpUrl }).listRuns();
    expect(runs.map(({ traceId }) => traceId).sort()).toEqual([traceIdOf(2), traceIdOf(3)]);
    expect(await deletionOf(OTHER_LONG_ID)).toEqual({ deletedItems: 1 });
  });

  it('finds the last of more users than runs are found by of anything else', async () => {
    expect(await deletionOf(userOf(USERS_OF_ONE_RUN - 1))).toEqual({ deletedItems: USERS_OF_ONE_RUN });
  });
});
