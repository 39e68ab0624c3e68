import { createHash } from 'node:crypto';
import { type CollectorConfigInput, type RunningCollector, runStoreRequest } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Testbed, traceIdOf, wrapSpans } from '../testbed.ts';
import { crossingSpan } from './run-corpus.ts';

const token = (name: string) => `token-of-${name}-with-many-characters`;
type Token = NonNullable<CollectorConfigInput['tokens']>[number];
const described = (name: string, tenant: string, scopes: Token['scopes']): Token => ({
  name,
  sha256: createHash('sha256').update(token(name)).digest('hex'),
  scopes,
  tenant,
});
const tokens = ['shop', 'bank'].flatMap((tenant) => [
  described(`${tenant}-app`, tenant, ['ingest', 'replay']),
  described(`${tenant}-people`, tenant, ['read']),
]);

const testbed = new Testbed();
let collector: RunningCollector;
beforeAll(async () => {
  collector = await testbed.start({ tokens });
});
afterAll(() => testbed.dispose());

async function send(tenant: string, number: number): Promise<void> {
  const body = Buffer.from(encodeTracesProtobuf(wrapSpans([crossingSpan({ trace: number, span: number })])));
  const headers = { 'content-type': 'application/x-protobuf', authorization: `Bearer ${token(`${tenant}-app`)}` };
  expect((await fetch(`${collector.httpUrl}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
}

/** What the people of a tenant are told from now on, until `signal`. */
function follow(tenant: string, signal: AbortSignal): string[] {
  const client = createCollectorClient({ url: collector.httpUrl, token: token(`${tenant}-people`) });
  const told: string[] = [];
  void (async () => {
    for await (const { event, data } of client.followRuns({}, { signal, lastEventId: '0', leaving: true })) {
      const ids = 'traceIds' in data ? data.traceIds : 'traceId' in data ? [data.traceId] : [];
      told.push([event, ...ids.map((id) => Number.parseInt(id.slice(1), 16))].join(' '));
    }
  })();
  return told;
}

describe('a tail of a collector with tokens', () => {
  it.each([
    ['nobody', undefined, 401],
    ['a stranger', 'a-token-of-nobody-with-many-characters', 401],
    ['who may send and replay', token('shop-app'), 403],
  ])('is not for %s', async (_, shown, status) => {
    const headers = shown === undefined ? {} : { authorization: `Bearer ${shown}` };
    const answer = await fetch(`${collector.httpUrl}/api/v1/tail`, { headers });
    await answer.body?.cancel();
    expect(answer.status).toBe(status);
  });

  it("tells each tenant of its own runs alone, and of the other's not that they are deleted", async () => {
    const ending = new AbortController();
    const [shop, bank] = [follow('shop', ending.signal), follow('bank', ending.signal)];
    // Both hold a run with the same id.
    for (const [tenant, number] of [
      ['bank', 1],
      ['shop', 1],
      ['bank', 2],
    ] as const)
      await send(tenant, number);
    await eventually('what was sent', async () => shop.includes('run 1') && bank.includes('run 2'));
    await runStoreRequest(collector.dataDirectory, { type: 'delete-trace', tenant: 'bank', id: traceIdOf(1) });
    await eventually('the deletion', async () => bank.includes('deleted 1'));
    await send('shop', 3);
    await eventually('what came behind it', async () => shop.includes('run 3'));
    ending.abort();
    // A place that says nothing of deletions is told so first; a run may be told more than once.
    expect(new Set(shop)).toEqual(new Set(['forgotten', 'run 1', 'run 3']));
    expect(new Set(bank)).toEqual(new Set(['forgotten', 'run 1', 'run 2', 'deleted 1']));
  });
});
