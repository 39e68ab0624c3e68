import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createCollectorClient } from '@reenact/collector-client';
import type { Span } from '@reenact/otlp';
import { isReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, spansOf, Testbed, traceIdOf } from '../testbed.ts';
import { FULL, VERSION_CASES } from './version-cases.ts';

const program = fileURLToPath(new URL('../../../packages/reenact/bin/reenact.mjs', import.meta.url));

/** The collector as it is installed: the built program in a process of its own. */
class BuiltServer {
  httpUrl = '';
  private readonly directory: string;
  private child: ChildProcess | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  async start(): Promise<void> {
    const flags = ['collect', '--data', this.directory, '--http-port', '0', '--grpc-port', '0', '--json'];
    const child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    this.httpUrl = (JSON.parse(line) as { httpUrl: string }).httpUrl;
  }

  async stop(): Promise<void> {
    if (this.child === undefined) return;
    const ended = once(this.child, 'close');
    this.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    this.child = undefined;
  }
}

const testbed = new Testbed();
let server: BuiltServer;

beforeEach(async () => {
  server = new BuiltServer(await testbed.directory());
  await server.start();
});
afterEach(async () => {
  await server.stop();
  await testbed.dispose();
});

const client = () => createCollectorClient({ url: server.httpUrl });

async function send(...spans: Span[]): Promise<void> {
  for (const span of spans) expect((await postSpans(server.httpUrl, [span])).status).toBe(200);
}

/** The first answer that does not say that it lacks runs: a question waits for their summaries, but not on and on. */
function whole<Answer extends { readonly unsummarisedRuns?: number | undefined }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const asked = async (): Promise<Answer | undefined> => {
    try {
      const answer = await ask();
      return answer.unsummarisedRuns === undefined ? answer : undefined;
    } catch (thrown) {
      if (isReenactError(thrown) && thrown.retryable) return undefined;
      throw thrown;
    }
  };
  return eventually('an answer that lacks no run', asked, 60_000);
}

describe('store contract: the built server, by what its API shows', () => {
  it('reads the best of several versions, before and after a restart', async () => {
    const expected = VERSION_CASES.map(([, versions, best], index) => ({
      ...versions[best],
      traceId: traceIdOf(index + 1),
      spanId: spanIdOf(index + 1),
    }));
    for (const [index, [, versions]] of VERSION_CASES.entries()) {
      await send(...versions.map((span) => ({ ...span, traceId: traceIdOf(index + 1), spanId: spanIdOf(index + 1) })));
    }
    const read = () => Promise.all(expected.map(async ({ spanId }) => spansOf(await client().getRecording(spanId))));
    expect(await read()).toEqual(expected.map((span) => [span]));
    await server.stop();
    await server.start();
    expect(await read()).toEqual(expected.map((span) => [span]));
  });

  it('takes a retry for what it is, and flags two full versions that disagree', async () => {
    const span = makeSpan({ attributes: FULL });
    await send(span, span, span);
    expect(await client().stats()).toMatchObject({
      received: { deduplicated: 2, stored: 1 },
      store: { spans: 1, traces: 1 },
    });
    await send({ ...span, name: 'other' });
    expect(spansOf(await client().getRecording(span.spanId))).toEqual([span]);
    const [run] = (await whole(() => client().listRuns())).runs;
    expect(run).toMatchObject({ spanCount: 1, conflictingSpans: 1 });
  });

  it('shows what arrives late at once, and lists newest first, page by page', async () => {
    const starts = [3, 1, 5, 2, 4];
    await send(
      ...starts.map((number) =>
        makeSpan({
          traceId: traceIdOf(number),
          spanId: spanIdOf(number),
          startTimeUnixNano: `176370000${number}000000000`,
        }),
      ),
    );
    const first = await whole(() => client().listRuns({ limit: 3 }));
    const second = await client().listRuns({
      limit: 3,
      ...(first.nextCursor === undefined ? {} : { cursor: first.nextCursor }),
    });
    const numbers = [...first.runs, ...second.runs].map(({ traceId }) => Number.parseInt(traceId.slice(1), 16));
    expect(numbers).toEqual([5, 4, 3, 2, 1]);
    expect(second.nextCursor).toBeUndefined();
    await send(makeSpan({ traceId: traceIdOf(1), spanId: spanIdOf(9), parentSpanId: spanIdOf(1) }));
    const { run } = await whole(() => client().getRun(spanIdOf(9)));
    expect(run).toMatchObject({ traceId: traceIdOf(1), spanCount: 2 });
  });
});
