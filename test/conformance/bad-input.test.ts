import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { tool } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { describe, expect, it } from 'vitest';
import { type BothRuns, recordThenReplay } from './instrumentation/record-then-replay.ts';

const nobody = { address: '', contacts: 0, stop: async () => undefined };

function throwing(): never {
  throw new TypeError('a trap of the host');
}

function cycle(): { self?: unknown; readonly list: unknown[] } {
  const list: unknown[] = [];
  const value: ReturnType<typeof cycle> = { list };
  value.self = value;
  list.push(value, list);
  return value;
}

function nested(depth: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const sizeBytes = 50 * 1024 * 1024;
const digestOf = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Hands values into a boundary and the last of them out of it; gives what the agent saw, in words that can be compared. */
async function both(values: readonly unknown[], see: (value: unknown) => unknown): Promise<BothRuns> {
  const pass = tool('pass', async (...given: unknown[]) => {
    for (const one of given) see(one);
    return values.at(-1);
  });
  return recordThenReplay(nobody, async () => see(await pass(...values.slice(0, -1))));
}

function lossyOf({ recording }: BothRuns): readonly string[] {
  return recording.crossings.find(({ name }) => name === 'pass')?.lossy ?? [];
}

type See = (value: unknown) => unknown;

function seen<Value>(see: (value: Value) => unknown): See {
  return see as See;
}

const codePoints = (text: string): unknown => [...text].map((one) => one.codePointAt(0));
const sizeAndDigest = (data: string | Uint8Array): unknown => [data.length, digestOf(data)];

const exact: readonly (readonly [string, unknown, See])[] = [
  ['a cycle', cycle(), seen(({ self, list }: ReturnType<typeof cycle>) => [list[0] === self, list[1] === list])],
  ['a lone surrogate', { text: 'a\ud800b\udc00' }, seen(({ text }: { text: string }) => codePoints(text))],
  ['bytes that are no UTF-8', Buffer.from([0xff, 0xc3, 0x28, 0, 0x80]), seen((value: Buffer) => value.toString('hex'))],
  ['a text with a NUL and a BOM', '\ufeffa\u0000b', seen(codePoints)],
];
const large: typeof exact = [
  ['50 MB of text', 'x€'.repeat(sizeBytes / 4), seen(sizeAndDigest)],
  ['50 MB of bytes', Buffer.alloc(sizeBytes, 'a\u00ff\0'), seen(sizeAndDigest)],
];

async function expectKept(values: readonly unknown[], see: See): Promise<void> {
  const runs = await both(values, see);
  expect(runs.report.value).toEqual(runs.recorded);
  expect([lossyOf(runs), runs.report.exitCode]).toEqual([[], 0]);
}

describe('what is kept as it is', () => {
  it.each(exact)('%s, given and returned', (_, value, see) => expectKept([value, value], see));
  it.each(large)('%s, returned', (_, value, see) => expectKept([value], see), 180_000);
});

const trap = { get: throwing, ownKeys: throwing, getPrototypeOf: throwing };
const lossy: readonly (readonly [string, unknown, exitCode: number])[] = [
  ['a function', { call: throwing }, 0],
  ['a toJSON that throws', { toJSON: throwing }, 0],
  ['a local symbol', { mark: Symbol('mark') }, 2],
  ['a WeakMap', { map: new WeakMap() }, 2],
  ['a live socket', { socket: new Socket() }, 2],
  ['a promise in a value', { later: Promise.resolve(1) }, 2],
  ['a getter that throws', Object.defineProperty({ a: 1 }, 'b', { get: throwing, enumerable: true }), 2],
  ['a proxy whose traps throw', { proxy: new Proxy({}, trap) }, 2],
  ['a revoked proxy', { proxy: revoked() }, 2],
  ['100,000 levels', { nested: nested(100_000) }, 2],
];

describe('what cannot be kept is marked lossy, and the host has it', () => {
  it.each(lossy)('%s', async (_, value, exitCode) => {
    const received: unknown[] = [];
    const runs = await both([value, value], (one) => {
      received.push(one);
      return typeof one;
    });
    // As it was recorded, the very same value went in and came out.
    expect(received.slice(0, 2).every((one) => one === value)).toBe(true);
    expect(lossyOf(runs).some((mark) => mark.startsWith('/input/0/'))).toBe(true);
    expect(lossyOf(runs).some((mark) => mark.startsWith('/output/'))).toBe(true);
    expect([runs.recorded, runs.report.exitCode]).toEqual(['object', exitCode]);
  });
});

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';
const answers: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  'a body shorter than its length': [`${head}content-length: 100\r\n\r\n`, 'only this'],
  'a chunk that never ends': [`${head}transfer-encoding: chunked\r\n\r\n`, '5\r\nhello\r\n64\r\nhalf a'],
  'a socket closed before any answer': [],
  'a status line that is none': ['HELLO\r\n\r\n'],
};

async function started(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** What a host sees of an answer: all it could read, and how that ended. */
async function readAll(url: string): Promise<unknown> {
  const seen: string[] = [];
  try {
    const response = await fetch(url);
    seen.push(String(response.status));
    for await (const chunk of response.body ?? []) seen.push(Buffer.from(chunk as Uint8Array).toString('latin1'));
    seen.push('end');
  } catch (thrown) {
    const { name, message, cause } = thrown as Error & { cause?: { code?: string; message?: string } };
    seen.push(`${name}: ${message} (${cause?.code}: ${cause?.message})`);
  }
  return seen;
}

/** What a host sees of a server that answers with these bytes and closes the socket; recorded, and replayed. */
async function answeredWith(parts: readonly (string | Buffer)[]): Promise<BothRuns & { readonly contacts: number }> {
  let contacts = 0;
  const server = createServer((socket) => {
    contacts += 1;
    socket
      .on('error', () => undefined)
      .once('data', () => socket.end(Buffer.concat(parts.map((part) => Buffer.from(part)))));
  });
  const url = await started(server);
  const http = new HttpInstrumentation({ inbound: false });
  http.enable();
  try {
    return { ...(await recordThenReplay(nobody, () => readAll(url))), contacts };
  } finally {
    http.disable();
    server.close();
  }
}

describe('a socket that is closed where it should not be', () => {
  it.each(Object.entries(answers))('%s', async (_, parts) => {
    const { recorded, report, contacts } = await answeredWith(parts);
    expect((recorded as string[]).at(-1)).toMatch(/^TypeError: (terminated|fetch failed)/);
    expect([report.value, report.exitCode, contacts]).toEqual([recorded, 0, 1]);
  });

  it('but where it should be, bytes that are no UTF-8 come again as they were', async () => {
    const bytes = Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xf0, 0x9f]);
    const { recorded, report, contacts } = await answeredWith([`${head}content-length: 6\r\n\r\n`, bytes]);
    expect(recorded).toEqual(['200', bytes.toString('latin1'), 'end']);
    expect([report.value, report.exitCode, contacts]).toEqual([recorded, 0, 1]);
  });
});
