import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, type RunningCollector, verifyStore } from '@reenact/collector';
import { type SpanSlice, walkTracesProtobuf, writeExportRequest } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingEndpoint, startEndpoint } from '../forward/recording-endpoint.ts';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';

let testbed: Testbed;
let endpoint: RecordingEndpoint;
beforeEach(async () => {
  testbed = new Testbed();
  endpoint = await startEndpoint();
});
afterEach(async () => {
  await testbed.dispose();
  await endpoint.close();
});

function framed(tag: number, ...content: Buffer[]): Buffer {
  const whole = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, whole.length]), whole]);
}

/** Field 31, which OTLP has nowhere. */
function unknown(text: string): Buffer {
  return Buffer.concat([Buffer.from([0xfa, 0x01, text.length]), Buffer.from(text)]);
}

function protobufRequest(ofScope: string): Buffer {
  const span = framed(0x12, framed(0x0a, Buffer.alloc(16, 7)), framed(0x12, Buffer.alloc(8, 8)));
  const resource = framed(0x0a, framed(0x12, span, unknown(ofScope)), unknown('of the group'));
  return Buffer.concat([unknown('of the '), resource, unknown('request')]);
}

const JSON_SPAN = `{"traceId":"${traceIdOf(5)}","spanId":"${spanIdOf(5)}","name":"a"}`;
const JSON_REQUEST = `{"resourceSpans":[{"scopeSpans":[{"spans":[${JSON_SPAN}],"priority":[1]}],"shard":{"of":2}}],"batch":"b"}`;

async function send({ httpUrl }: RunningCollector, body: Buffer | string): Promise<void> {
  const type = typeof body === 'string' ? 'application/json' : 'application/x-protobuf';
  const response = await fetch(`${httpUrl}/v1/traces`, { method: 'POST', headers: { 'content-type': type }, body });
  expect(response.status).toBe(200);
}

function attribute(key: string, value: Buffer | string): object {
  const stringValue = typeof value === 'string' ? value : value.toString('base64');
  return { key: `reenact.raw.${key}`, value: { stringValue } };
}

const ANSWER_PROTOBUF = {
  resourceSpans: [
    {
      resource: {
        attributes: [
          attribute('around', unknown('of the group')),
          attribute('request', Buffer.concat([unknown('of the '), unknown('request')])),
        ],
      },
      scopeSpans: [{ scope: { attributes: [attribute('around', unknown('of the scope'))] } }],
    },
  ],
};
const ANSWER_JSON = {
  resourceSpans: [
    {
      resource: { attributes: [attribute('around', '{"shard":{"of":2}}'), attribute('request', '{"batch":"b"}')] },
      scopeSpans: [{ scope: { attributes: [attribute('around', '{"priority":[1]}')] } }],
    },
  ],
};

async function expectAnswers({ httpUrl }: RunningCollector): Promise<void> {
  const answer = async (spanId: string) => (await fetch(`${httpUrl}/api/v1/recordings/${spanId}`)).json();
  expect(await answer('08'.repeat(8))).toMatchObject(ANSWER_PROTOBUF);
  expect(await answer(spanIdOf(5))).toMatchObject(ANSWER_JSON);
}

describe('fields around resources and scopes that OTLP does not know', () => {
  it('come back out of log, block and an index made again, and the check knows them', async () => {
    const dataDirectory = await testbed.directory();
    const first = await testbed.start({ dataDirectory });
    for (const body of [protobufRequest('of the scope'), JSON_REQUEST]) await send(first, body);
    await expectAnswers(first);
    await first.stop();
    const store = await openStore(dataDirectory);
    await store.settle();
    await store.close();
    for (const rebuildIndex of [false, true])
      expect(verifyStore(dataDirectory, { rebuildIndex })).toMatchObject({ items: 2, blocks: 2, problems: [] });
    await expectAnswers(await testbed.start({ dataDirectory }));
  });

  it('make a version of their own', async () => {
    const collector = await testbed.start();
    for (const text of ['of one', 'of another', 'of one']) await send(collector, protobufRequest(text));
    const { received } = await collector.stats();
    expect(received).toMatchObject({ stored: 2, deduplicated: 1, versions: 1 });
  });

  it('are sent on where they were', async () => {
    const collector = await testbed.start({ forward: [{ name: 'next', url: endpoint.url, content: 'full' }] });
    await send(collector, protobufRequest('of the scope'));
    await eventually('delivered', async () => (await collector.stats()).forward[0]?.delivered === 1);
    const walked = walkTracesProtobuf(endpoint.seen[0]?.body ?? Buffer.alloc(0));
    const [span] = walked.ok ? walked.spans : [];
    const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');
    expect(text(span?.resource.unknown?.group)).toBe(text(unknown('of the group')));
    expect(text(span?.resource.unknown?.request)).toBe(text(Buffer.concat([unknown('of the '), unknown('request')])));
    expect(text(span?.scope.unknown?.group)).toBe(text(unknown('of the scope')));
  });
});

/** A request of spans, each a trace of its own, with this beside its resource. */
function requestOf(numbers: readonly number[], ofRequest?: Buffer): readonly SpanSlice[] {
  const spans = numbers.map((number) =>
    framed(0x12, framed(0x0a, Buffer.alloc(16, number)), framed(0x12, Buffer.alloc(8, number)), ENDED),
  );
  const content = Buffer.concat(spans);
  const resource = sized(0x0a, sized(0x12, content));
  const walked = walkTracesProtobuf(ofRequest === undefined ? resource : Buffer.concat([resource, ofRequest]));
  return walked.ok ? walked.spans : [];
}

/** Two bytes of length, which nothing here needs more than. */
function sized(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, (content.length & 0x7f) | 0x80, content.length >>> 7]), content]);
}

/** An end, and that all is there: a version that is whole. */
const ENDED = Buffer.concat([
  Buffer.from([0x39, 1, 0, 0, 0, 0, 0, 0, 0, 0x41, 2, 0, 0, 0, 0, 0, 0, 0]),
  ...['reenact.schema', 'reenact.input'].map((key) =>
    framed(0x4a, framed(0x0a, Buffer.from(key)), framed(0x12, framed(0x0a, Buffer.from('1')))),
  ),
]);

describe('fields of a request that OTLP does not know', () => {
  it('are sent on with their item alone, however many are sent at a time', async () => {
    const [sender, receiver] = [await openStore(await testbed.directory()), await openStore(await testbed.directory())];
    await sender.appendSpans('t', requestOf([1]), ['x']);
    await sender.appendSpans('t', requestOf([2, 3], unknown('of the second')), ['x']);
    await sender.appendSpans('t', requestOf([4]), ['x']);
    const sizes: number[] = [];
    for (const itemsMax of [1, 10, 10, 10]) {
      const batch = await sender.peekQueue('x', itemsMax, 1e7);
      if (batch === undefined) break;
      sizes.push(batch.entries.length);
      const items = batch.entries.flatMap(({ item }) => (item === undefined ? [] : [item]));
      const walked = walkTracesProtobuf(writeExportRequest(items));
      // As a destination whose answer was lost sees it.
      for (let again = 0; again < 2; again += 1) await receiver.appendSpans('t', walked.ok ? walked.spans : [], []);
      await sender.settleQueue(batch.entries.map(({ queueId }) => queueId));
    }
    expect(sizes).toEqual([1, 1, 2]);
    for (const number of [1, 2, 3, 4]) {
      const [span] = await receiver.readTrace('t', Buffer.alloc(16, number).toString('hex'));
      expect(span).toMatchObject({ versions: 1, isConflicting: false });
      const ofRequest = Buffer.from(span?.resource.unknown?.request ?? []);
      expect(ofRequest).toEqual(number === 2 ? unknown('of the second') : Buffer.alloc(0));
    }
    await Promise.all([sender.close(), receiver.close()]);
  });

  it('are not stored with each trace', async () => {
    const dataDirectory = await testbed.directory();
    const store = await openStore(dataDirectory);
    const ofRequest = Buffer.concat([Buffer.from([0xfa, 0x01, 0x80, 0x80, 0x06]), randomBytes(0x18000)]);
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
    expect(await store.appendSpans('t', requestOf(numbers, ofRequest), [])).toMatchObject({ stored: 40 });
    await store.settle();
    await store.close();
    const packs = join(dataDirectory, 'packs');
    const bytes = readdirSync(packs).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0);
    expect(bytes).toBeGreaterThan(ofRequest.length);
    expect(bytes).toBeLessThan(2 * ofRequest.length);
  });
});

describe('a data directory of format version 2', () => {
  it('is read as it is, checked, and one of this version once the first of these fields came', {
    timeout: 60_000,
  }, async () => {
    const dataDirectory = await testbed.directory();
    const before = await testbed.start({ dataDirectory });
    await postSpans(before.httpUrl, [makeSpan()]);
    await before.stop();
    // Without unknown fields, files of version 3 are those of version 2.
    const change = (sql: string) => {
      const database = new DatabaseSync(join(dataDirectory, 'recordings.sqlite'));
      const rows = database.prepare(sql).all();
      database.close();
      return rows;
    };
    change('UPDATE format_version SET version = 2');
    expect(verifyStore(dataDirectory)).toMatchObject({ items: 1, problems: [] });
    expect(change('SELECT max(version) AS version FROM format_version')).toEqual([{ version: 2 }]);
    const collector = await testbed.start({ dataDirectory });
    const answer = await fetch(`${collector.httpUrl}/api/v1/recordings/${spanIdOf(1)}`);
    expect(await answer.json()).toMatchObject({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'work' }] }] }] });
    await postSpans(collector.httpUrl, [makeSpan({ spanId: spanIdOf(2) })]);
    await collector.stop();
    expect(change('SELECT max(version) AS version FROM format_version')).toEqual([{ version: 2 }]);
    for (const again of ['raised', 'raised already']) {
      const store = await openStore(dataDirectory);
      await store.appendSpans('t', requestOf([1], unknown(again)), []);
      await store.close();
      expect(change('SELECT version FROM format_version')).toEqual([{ version: 2 }, { version: 3 }]);
    }
  });
});
