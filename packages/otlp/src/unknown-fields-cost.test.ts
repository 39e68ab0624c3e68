import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { walkTracesProtobuf } from './export-request-walker.ts';

const BODY_BYTES = 6_000_000;
/** With the body and what is kept of it, less than the eight bytes for each that the collector counts on (`MEMORY_PER_REQUEST_BYTE`). */
const HEAP_MEGABYTES = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 8 };

const SPAN = `{"traceId":"${'07'.repeat(16)}","spanId":"${'08'.repeat(8)}"}`;
const SCOPE = `{"spans":[${SPAN}]}`;
const RESOURCE = `{"scopeSpans":[${SCOPE}]}`;

/** Repeats this between two texts. */
function filled(before: string, part: string, after: string): Buffer {
  const bytes = Math.floor(BODY_BYTES / part.length) * part.length;
  return Buffer.concat([Buffer.from(before), Buffer.alloc(bytes, part), Buffer.from(after)]);
}

/** Walks a body in a thread of its own with that much memory: how many spans are in it, and how much of the request is unknown. */
async function walkInLittle(body: Buffer): Promise<unknown> {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.walker).then(({ walkTracesJson }) => {
      const walked = walkTracesJson(Buffer.from(workerData.body.buffer));
      parentPort.postMessage({ problem: walked.problem, spans: walked.spans?.length, unknown: walked.spans?.[0]?.resource.unknown?.request.length ?? 0 });
    });`;
  const walker = new URL('./json-request-walker.ts', import.meta.url).href;
  const copy = new Uint8Array(body);
  const workerData = { walker, body: copy };
  const worker = new Worker(source, {
    eval: true,
    workerData,
    transferList: [copy.buffer],
    resourceLimits: HEAP_MEGABYTES,
  });
  try {
    return await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  } finally {
    await worker.terminate();
  }
}

describe('JSON that is all unknown members or empty groups', () => {
  it.each([
    ['members with others between them', filled(`{"resourceSpans":[${RESOURCE}]`, ',"":1,"resourceSpans":[]', '}'), 4],
    ['scopes that are empty', filled(`{"resourceSpans":[{"scopeSpans":[${SCOPE}`, ',{}', ']}]}'), 0],
    [
      'scopes that have nothing but a member',
      filled(`{"resourceSpans":[{"scopeSpans":[${SCOPE}`, ',{"":1}', ']}]}'),
      0,
    ],
    ['resources that are empty', filled(`{"resourceSpans":[${RESOURCE}`, ',{"":1,"scopeSpans":[{}]}', ']}'), 0],
  ])('takes little memory for each byte: %s', async (_, body, unknownBytes) => {
    const unknown = unknownBytes === 0 ? 0 : Math.floor(BODY_BYTES / 24) * (unknownBytes + 1) + 1;
    expect(await walkInLittle(body)).toEqual({ problem: undefined, spans: 1, unknown });
  });
});

describe('protobuf that is all small unknown fields', () => {
  it.each([
    ['one behind the other', [0x78, 1]],
    ['with pieces of the scope between them', [0x78, 1, 0x0a, 3, 0xf8, 1, 1]],
  ])('is not copied field by field: %s', (_, piece) => {
    const pieces = 50_000;
    const junk = Buffer.alloc(piece.length * pieces, Buffer.from(piece));
    const span = [0x12, 28, 0x0a, 16, ...Buffer.alloc(16, 7), 0x12, 8, ...Buffer.alloc(8, 8)];
    const body = nested([0x0a, 0x12], Buffer.concat([Buffer.from(span), junk]));
    const spies = [
      Uint8Array.prototype,
      Buffer.prototype,
      Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array,
    ].flatMap((prototype) =>
      (['subarray', 'set'] as const)
        .filter((name) => Object.hasOwn(prototype, name))
        .map((name) => vi.spyOn(prototype, name)),
    );
    const walked = walkTracesProtobuf(body);
    const copies = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    for (const spy of spies) spy.mockRestore();
    const [slice] = walked.ok ? walked.spans : [];
    expect(slice?.scope.unknown?.group.length).toBe(2 * pieces);
    expect(slice?.scope.bytes.length).toBe(piece.length === 2 ? 0 : 3 * pieces);
    expect(spies.length).toBeGreaterThan(1);
    expect(copies).toBeLessThan(50);
  });
});

function nested(tags: readonly number[], content: Buffer): Buffer {
  return tags.reduceRight((inside, tag) => {
    const length: number[] = [];
    for (let rest = inside.length; ; rest >>>= 7) {
      length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
      if (rest <= 0x7f) break;
    }
    return Buffer.concat([Buffer.from([tag, ...length]), inside]);
  }, content);
}
