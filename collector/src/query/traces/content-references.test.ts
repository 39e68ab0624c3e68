import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open as openSystem, realpath } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TracesData } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_INPUT_MESSAGES_REF,
  ATTR_GEN_AI_OUTPUT_MESSAGES_REF,
} from '@reenact/semconv/gen-ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REFERENCES_ASKED_AT_ONCE } from '../limits.ts';
import { ContentReferences } from './content-references.ts';

const TIMEOUT_MS = 2_000;
const SPANS = 20;
const RESTING = 'its host did not answer a short while ago, and is asked again later';

let server: Server;
let origin: string;
let asked: string[] = [];
let isSilent = true;
let nowMs = 0;
let status = 200;
let headers: Record<string, string> = {};
beforeEach(async () => {
  [asked, isSilent, nowMs, status, headers] = [[], true, 0, 200, {}];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (!isSilent) response.writeHead(status, headers).end('"said"');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Spans with two references each, none like another. */
function traceOf(prefix: string): TracesData {
  const refer = (key: string, index: number) => ({
    key,
    value: { stringValue: `${origin}/${prefix}/${index}/${key}` },
  });
  const spans = Array.from({ length: SPANS }, (_, index) => ({
    traceId: '0'.repeat(32),
    spanId: '0'.repeat(16),
    name: 'chat',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
    attributes: [refer(ATTR_GEN_AI_INPUT_MESSAGES_REF, index), refer(ATTR_GEN_AI_OUTPUT_MESSAGES_REF, index)],
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

function contentIn({ resourceSpans }: TracesData): number {
  const attributes = resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.flatMap((span) => span.attributes ?? [])),
  );
  return attributes.filter(({ key }) => key === ATTR_GEN_AI_INPUT_MESSAGES).length;
}

const reasons = new Set<string>();
function open(budgetMs?: number, files = { open: openSystem, realpath }): ContentReferences {
  reasons.clear();
  const settings = { allow: [`${origin}/`], bytesMax: 1_000, timeoutMs: TIMEOUT_MS };
  const onUnfetched = (_place: string, reason: string) => reasons.add(reason);
  return new ContentReferences(settings, {
    onUnfetched,
    nowMs: () => nowMs,
    files,
    ...(budgetMs === undefined ? {} : { budgetMs }),
  });
}

/** How many requests were for content of a trace. */
const askedFor = (prefix: string) => asked.filter((path) => path.startsWith(`/${prefix}/`)).length;

it('leaves a host alone that does not answer, and asks it again later', async () => {
  const references = open();
  expect(contentIn(await references.resolveTraces(traceOf('first')))).toBe(0);
  isSilent = false;
  expect(contentIn(await references.resolveTraces(traceOf('second')))).toBe(0);
  expect([...reasons].sort()).toEqual(['it took longer than timeoutMs', RESTING]);
  nowMs += TIMEOUT_MS;
  expect(contentIn(await references.resolveTraces(traceOf('third')))).toBe(SPANS);
  expect(askedFor('first')).toBeLessThanOrEqual(REFERENCES_ASKED_AT_ONCE);
  expect([askedFor('second'), askedFor('third')]).toEqual([0, 2 * SPANS]);
});

it('leaves a host alone for twice as long each time that it does not answer', async () => {
  server.close();
  const references = open();
  /** Whether it was asked, and not left alone. */
  const isAsked = async (): Promise<boolean> => {
    reasons.clear();
    await references.resolveTraces(traceOf('any'));
    return [...reasons].some((reason) => reason !== RESTING);
  };
  const found: boolean[] = [];
  for (let rest = 0; rest < 8; rest += 1) {
    found.push(await isAsked());
    nowMs += TIMEOUT_MS;
  }
  expect(found).toEqual([true, true, false, true, false, false, false, true]);
});

it('leaves a host alone for as long as it asks for', async () => {
  [isSilent, status, headers] = [false, 503, { 'retry-after': '90' }];
  const references = open();
  expect(contentIn(await references.resolveTraces(traceOf('first')))).toBe(0);
  expect(askedFor('first')).toBeLessThanOrEqual(REFERENCES_ASKED_AT_ONCE);
  [status, headers] = [200, {}];
  nowMs += 89_999;
  expect(contentIn(await references.resolveTraces(traceOf('second')))).toBe(0);
  expect([...reasons].sort()).toEqual(['it was answered with 503', 'its host asked to be left alone for a while']);
  nowMs += 1;
  expect(contentIn(await references.resolveTraces(traceOf('third')))).toBe(SPANS);
  expect(askedFor('second')).toBe(0);
});

it('asks a host at once again that says no time', async () => {
  [isSilent, status] = [false, 503];
  const references = open();
  await references.resolveTraces(traceOf('first'));
  status = 200;
  expect(contentIn(await references.resolveTraces(traceOf('second')))).toBe(SPANS);
});

it('says of which content it may be had later', async () => {
  const passing = async (references: ContentReferences): Promise<boolean> => {
    let isPassing = false;
    await references.resolveTraces(traceOf('any'), () => {
      isPassing = true;
    });
    return isPassing;
  };
  const references = open();
  expect([await passing(references), await passing(references)]).toEqual([true, true]);
  isSilent = false;
  expect(await passing(open(0))).toBe(true);
  expect(await passing(open())).toBe(false);
  status = 404;
  expect(await passing(open())).toBe(false);
  status = 503;
  expect(await passing(open())).toBe(true);
});

it('goes without what is beyond its time', async () => {
  isSilent = false;
  const references = open(0);
  expect(contentIn(await references.resolveTraces(traceOf('first')))).toBe(0);
  expect([...reasons]).toEqual(['there was more to fetch for one summary than it has time for']);
  expect(asked).toEqual([]);
});

let folder: string;
let fifo: string;

function makeFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'reenact-references-'));
  fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  origin = pathToFileURL(folder).href;
  mkdirSync(join(folder, 'any', '0'), { recursive: true });
}

const removeFolder = () => rmSync(folder, { recursive: true });
const put = (said: string) => writeFileSync(join(folder, 'any', '0', ATTR_GEN_AI_INPUT_MESSAGES_REF), said);

describe.skipIf(process.platform === 'win32')('content in a file', () => {
  beforeEach(makeFolder);
  afterEach(removeFolder);

  it('is read, and nothing that is no file or is too large', async () => {
    put('"said"');
    execFileSync('mkfifo', [join(folder, 'any', '0', ATTR_GEN_AI_OUTPUT_MESSAGES_REF)]);
    const references = open();
    expect(contentIn(await references.resolveTraces(traceOf('any')))).toBe(1);
    expect(reasons).toContain('it is no file of that folder');
    put('x'.repeat(1_001));
    expect(contentIn(await open().resolveTraces(traceOf('any')))).toBe(0);
    expect(reasons).toContain('it is larger than bytesMax');
  });

  it('is read although another folder that is allowed is not there', async () => {
    put('"said"');
    const references = new ContentReferences({
      allow: [`${origin}/any/`, `${origin}/gone/`],
      bytesMax: 1_000,
      timeoutMs: TIMEOUT_MS,
    });
    expect(contentIn(await references.resolveTraces(traceOf('any')))).toBe(1);
  });
});

describe.skipIf(process.platform === 'win32')('content in a folder that hangs', () => {
  beforeEach(makeFolder);
  afterEach(removeFolder);

  it('holds no more than one of the threads that read files for the process, wherever it hangs', async () => {
    put('"said"');
    const { promise: hanging, resolve: release } = Promise.withResolvers<void>();
    let begun = 0;
    const realpathOne = async (path: string): Promise<string> => {
      begun += 1;
      await hanging;
      return realpath(path);
    };
    const references = open(undefined, { open: openSystem, realpath: realpathOne as typeof realpath });
    expect(contentIn(await references.resolveTraces(traceOf('any')))).toBe(0);
    expect(begun).toBe(1);
    release();
    nowMs += 10 * TIMEOUT_MS;
    await expect
      .poll(async () => contentIn(await references.resolveTraces(traceOf('any'))), { timeout: 60_000 })
      .toBe(1);
  });

  it('is waited for no longer than another, and its folder left alone until what hangs ends', async () => {
    put('"said"');
    let opened = 0;
    let isHanging = true;
    const openOne: typeof openSystem = (path, flags) => {
      opened += 1;
      // Opened to be read, a pipe waits for a writer: as a file does on a network whose server is gone.
      return isHanging ? openSystem(fifo, 'r') : openSystem(path, flags);
    };
    const references = open(undefined, { open: openOne, realpath });
    expect(contentIn(await references.resolveTraces(traceOf('any')))).toBe(0);
    expect([...reasons]).toEqual(expect.arrayContaining(['it took longer than timeoutMs', RESTING]));
    nowMs += 10 * TIMEOUT_MS;
    isHanging = false;
    expect(contentIn(await references.resolveTraces(traceOf('any')))).toBe(0);
    expect(opened).toBe(1);
    const writer = await openSystem(fifo, 'w');
    await expect
      .poll(async () => contentIn(await references.resolveTraces(traceOf('any'))), { timeout: 60_000 })
      .toBe(1);
    await writer.close();
  });
});
