import { agent } from '@reenact/instrumentation';
import { instrumentOpenAI } from '@reenact/instrumentation-openai';
import type OpenAI from 'openai';
import { type BenchResult, type BenchSize, medianOf } from './bench-result.ts';
import { MODEL_STREAM_PIECES } from './limits.ts';
import { clientAt, streamedRequest } from './model-client.ts';
import { startRecorderHost } from './recorder-host.ts';
import { startServerProcess } from './server-process.ts';
import { startSink } from './sink.ts';

const GOAL_MS = 2;
const GOAL_SHARE = 0.02;

interface Stream {
  readonly firstByteMs: number;
  readonly chunks: number;
}

async function readStream(openai: OpenAI): Promise<Stream> {
  const startedAt = performance.now();
  const response = await openai.chat.completions.create(streamedRequest).asResponse();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let read = await reader.read();
  const firstByteMs = performance.now() - startedAt;
  let chunks = 0;
  while (!read.done) {
    chunks += 1;
    read = await reader.read();
  }
  return { firstByteMs, chunks };
}

function wholeShare(streams: readonly Stream[]): number {
  return streams.filter(({ chunks }) => chunks >= MODEL_STREAM_PIECES).length / streams.length;
}

/** Streamed answers read raw through a recorded and a plain client in turn: how long the first byte takes, and which chunks come. */
export async function recorderFirstByte({ isSmoke }: BenchSize): Promise<BenchResult> {
  const rounds = isSmoke ? 2 : 200;
  const [server, sink] = await Promise.all([startServerProcess('./model-server-process.ts'), startSink()]);
  const host = startRecorderHost(sink.url);
  const [plain, recorded] = [clientAt(server.origin), instrumentOpenAI(clientAt(server.origin))];
  const [plainStreams, recordedStreams]: [Stream[], Stream[]] = [[], []];
  await agent('reader', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const first = round % 2 === 0;
      if (first) plainStreams.push(await readStream(plain));
      recordedStreams.push(await readStream(recorded));
      if (!first) plainStreams.push(await readStream(plain));
    }
  })();
  await host.flush();
  const exported = host.exportedCount();
  await Promise.all([host.stop(), server.stop(), sink.stop()]);
  if (exported !== rounds + 1) throw new TypeError(`${exported} spans of ${rounds} streams and their run`);
  const firstOf = (streams: readonly Stream[]): number =>
    medianOf(streams.slice(Math.floor(rounds / 3)).map(({ firstByteMs }) => firstByteMs));
  const [bare, own] = [firstOf(plainStreams), firstOf(recordedStreams)];
  const limitMs = Math.max(GOAL_MS, bare * GOAL_SHARE);
  const [bareWhole, ownWhole] = [wholeShare(plainStreams), wholeShare(recordedStreams)];
  return {
    name: 'first-byte',
    what: `${rounds} streamed chat completions through a recorded and a plain client in turn`,
    figures: [
      { name: 'first byte, median', value: own / bare, unit: 'times without recording' },
      {
        name: '  later by',
        value: own - bare,
        unit: 'ms',
        goal: { words: `at most ${GOAL_MS} ms or ${GOAL_SHARE * 100} %`, isMet: own - bare <= limitMs },
      },
      {
        name: 'streams with every chunk by itself',
        value: ownWhole / bareWhole,
        unit: 'times without recording',
        // A busy machine hands two chunks over as one now and then, recorded or not.
        goal: { words: 'as many as without recording', isMet: ownWhole >= bareWhole * 0.98 },
      },
    ],
  };
}
