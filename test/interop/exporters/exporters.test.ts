import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { decodeTracesJson, type Span } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReenact } from '../../bench/ingest-servers.ts';
import { startMessage } from '../../conformance/receiver/start-message.ts';
import { eventually, spansOf } from '../../conformance/testbed.ts';
import { javaProgram, javaSdkVersion, missingJava } from '../java/java-program.ts';
import { peerPath, peerVersion } from '../peers/peer.ts';
import { missingPython, pythonEnvironment } from '../python/python-environment.ts';

const BYTES_IN_FLIGHT_MAX = 2_000_000;

/** What all of the programs put on their span, as OTLP/JSON has it. */
const ATTRIBUTES: Readonly<Record<string, object>> = {
  text: { stringValue: 'naïve ☃ 𝄞' },
  large: { stringValue: 'x'.repeat(300_000) },
  big: { intValue: '9007199254740993' },
  ratio: { doubleValue: 0.25 },
  flag: { boolValue: true },
  texts: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: '' }] } },
  numbers: { arrayValue: { values: [{ intValue: '-1' }, { intValue: '9007199254740993' }] } },
  ratios: { arrayValue: { values: [{ doubleValue: 0.5 }, { doubleValue: 1e300 }] } },
  flags: { arrayValue: { values: [{ boolValue: true }, { boolValue: false }] } },
};

let collector: Awaited<ReturnType<typeof startReenact>>;
beforeAll(async () => {
  collector = await startReenact([], { REENACT_COLLECTOR_BYTES_IN_FLIGHT_MAX: String(BYTES_IN_FLIGHT_MAX) });
});
afterAll(() => collector.stop());

/** Runs a program that sends one trace over a protocol and prints the id of one of its spans. */
async function send(command: readonly string[], protocol: string): Promise<string> {
  const [program = '', ...own] = command;
  const address = protocol === 'http' ? new URL(collector.httpUrl).host : collector.grpcAddress;
  const child = spawn(program, [...own, protocol, address], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, complaint] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(`${code}${code === 0 ? '' : complaint}`).toBe('0');
  return printed.trim();
}

async function readTrace(spanId: string): Promise<readonly Span[]> {
  const response = await fetch(`${collector.httpUrl}/api/v1/recordings/${spanId}`);
  expect(response.status).toBe(200);
  const decoded = decodeTracesJson(await response.text());
  if (!decoded.ok) expect.fail(decoded.problem.message);
  return spansOf(decoded.data);
}

function checkTrace(spans: readonly Span[], spanId: string): void {
  const root = spans.find(({ name }) => name === 'root');
  const child = spans.find((span) => span.spanId === spanId);
  expect(spans).toHaveLength(2);
  expect(child).toMatchObject({ name: 'child', parentSpanId: root?.spanId, traceId: root?.traceId });
  expect(root?.kind).toBe(2);
  expect(Object.fromEntries((child?.attributes ?? []).map(({ key, value }) => [key, value]))).toEqual(ATTRIBUTES);
  expect(child?.status).toEqual({ code: 2, message: 'boom' });
  expect(child?.events?.map(({ name }) => name)).toEqual(['checkpoint', 'exception']);
}

async function refusals(): Promise<number> {
  const stats = (await (await fetch(`${collector.httpUrl}/api/v1/stats`)).json()) as {
    received: { refusedRequests: Record<string, number> };
  };
  return stats.received.refusedRequests['store-busy'] ?? 0;
}

/** Sends while another request holds all the room there is, until the exporter has been refused once. */
async function sendWithoutRoom(command: readonly string[], protocol: string): Promise<string> {
  const before = await refusals();
  const blocker = startMessage(`http://${collector.grpcAddress}`, BYTES_IN_FLIGHT_MAX - 1_000);
  const sent = send(command, protocol);
  await eventually('a refusal', async () => (await refusals()) > before, 60_000);
  blocker.end();
  return sent;
}

const goExporter = peerPath('go-exporter');

describe.skipIf(goExporter === undefined)(`the exporters of the SDK for Go (${peerVersion('go-exporter')})`, () => {
  it.each(['http', 'grpc'])('deliver over %s what was recorded, of every type', async (protocol) => {
    const spanId = await send([goExporter ?? ''], protocol);
    checkTrace(await readTrace(spanId), spanId);
  });

  it.each(['http', 'grpc'])('lose nothing over %s to a collector that has no room at first', async (protocol) => {
    const spanId = await sendWithoutRoom([goExporter ?? ''], protocol);
    checkTrace(await readTrace(spanId), spanId);
  });
});

const withoutPython = missingPython();

describe.skipIf(withoutPython !== undefined)(`the exporters of the SDK for Python ${withoutPython ?? ''}`, () => {
  const program = new URL('../python/send_spans.py', import.meta.url).pathname;
  let python = '';
  beforeAll(() => {
    python = pythonEnvironment('requirements-exporters.txt').python;
  });

  it.each(['http', 'grpc'])('deliver over %s what was recorded, of every type', async (protocol) => {
    const spanId = await send([python, program], protocol);
    checkTrace(await readTrace(spanId), spanId);
  });

  it.each(['http', 'grpc'])('lose nothing over %s to a collector that has no room at first', async (protocol) => {
    const spanId = await sendWithoutRoom([python, program], protocol);
    checkTrace(await readTrace(spanId), spanId);
  });
});

const withoutJava = missingJava();

describe.skipIf(withoutJava !== undefined)(
  `the exporters of the SDK for Java ${withoutJava ?? javaSdkVersion()}`,
  () => {
    let program: readonly string[] = [];
    beforeAll(() => {
      program = javaProgram();
    });

    it.each(['http', 'grpc'])('deliver over %s what was recorded, of every type', async (protocol) => {
      const spanId = await send(program, protocol);
      checkTrace(await readTrace(spanId), spanId);
    });

    it.each(['http', 'grpc'])('lose nothing over %s to a collector that has no room at first', async (protocol) => {
      const spanId = await sendWithoutRoom(program, protocol);
      checkTrace(await readTrace(spanId), spanId);
    });
  },
);
