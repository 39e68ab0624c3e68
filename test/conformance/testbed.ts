import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CollectorConfigInput,
  type CollectorOptions,
  type RunningCollector,
  startCollector,
} from '@reenact/collector';
import { encodeTracesProtobuf, type Span, type TracesData } from '@reenact/otlp';

/** Questions get their whole answer in tests, on a busy machine too; below the time after which a client gives up. */
const SUMMARY_WAIT_MS = 25_000;

/** Collectors and directories of one test, all gone after `dispose`. */
export class Testbed {
  private readonly directories: string[] = [];
  private readonly collectors: RunningCollector[] = [];

  async directory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'reenact-conformance-'));
    this.directories.push(directory);
    return directory;
  }

  /** A collector on free ports, in a directory of its own unless one is named. */
  async start(config: CollectorConfigInput = {}, options?: CollectorOptions): Promise<RunningCollector> {
    const dataDirectory = config.dataDirectory ?? (await this.directory());
    const limits = { summaryWaitMs: SUMMARY_WAIT_MS, ...config.limits };
    const collector = await startCollector({ httpPort: 0, grpcPort: 0, ...config, limits, dataDirectory }, options);
    this.collectors.push(collector);
    return collector;
  }

  async dispose(): Promise<void> {
    for (const collector of this.collectors.splice(0)) await collector.stop();
    for (const directory of this.directories.splice(0)) await rm(directory, { recursive: true, force: true });
  }
}

/** A trace id made of one number. */
export function traceIdOf(number: number): string {
  return `a${number.toString(16).padStart(31, '0')}`;
}

/** A span id made of one number. */
export function spanIdOf(number: number): string {
  return `b${number.toString(16).padStart(15, '0')}`;
}

/** An ended root span; members given replace the usual ones. */
export function makeSpan(members: Partial<Span> = {}): Span {
  return {
    traceId: traceIdOf(1),
    spanId: spanIdOf(1),
    name: 'work',
    kind: 1,
    startTimeUnixNano: '1763700000000000001',
    endTimeUnixNano: '1763700001000000002',
    ...members,
  };
}

/** One resource, one scope, these spans. */
export function wrapSpans(spans: readonly Span[], service = 'shop'): TracesData {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'test' }, spans: [...spans] }] }] };
}

/** String attributes from a record. */
export function textAttributes(values: Readonly<Record<string, string>>): NonNullable<Span['attributes']> {
  return Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }));
}

/** Sends spans as OTLP/HTTP protobuf. */
export function postSpans(
  httpUrl: string,
  spans: readonly Span[],
  service?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${httpUrl}/v1/traces`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-protobuf' },
    body: Buffer.from(encodeTracesProtobuf(wrapSpans(spans, service))),
  });
}

/** Every span of a document. */
export function spansOf(data: TracesData): Span[] {
  return data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** Polls until `check` gives something; fails after the time with what was waited for. */
export async function eventually<Value>(
  what: string,
  check: () => Promise<Value | undefined | false>,
  timeoutMs = 60_000,
): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
}
