import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkCollectorConfig, startCollector } from '@reenact/collector';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { eventually, makeSpan, postSpans, Testbed } from '../testbed.ts';

interface Point {
  readonly asDouble?: number;
  readonly asInt?: number | string;
  readonly count?: number | string;
  readonly bucketCounts?: readonly (number | string)[];
  readonly explicitBounds?: readonly number[];
  readonly attributes?: readonly { key: string; value: { stringValue?: string } }[];
}

interface Metric {
  readonly name: string;
  readonly sum?: { isMonotonic: boolean; dataPoints: readonly Point[] };
  readonly gauge?: { dataPoints: readonly Point[] };
  readonly histogram?: { dataPoints: readonly Point[] };
}

interface Resource {
  readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
}

const testbed = new Testbed();
const closers: (() => void)[] = [];
afterAll(async () => {
  await testbed.dispose();
  for (const close of closers) close();
});

/** An OTLP/HTTP endpoint that keeps what it is sent, and may leave it unanswered. */
async function startBackend(answers: 'at once' | 'never' = 'at once') {
  const requests: { url: string; headers: IncomingHttpHeaders; metrics: readonly Metric[]; resource: Resource }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceMetrics } = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceMetrics: { resource: Resource; scopeMetrics: { metrics: Metric[] }[] }[];
      };
      const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      const resource = resourceMetrics[0]?.resource ?? { attributes: [] };
      requests.push({ url: request.url ?? '', headers: request.headers, metrics, resource });
      if (answers === 'never') return;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const pointsOf = ({ sum, gauge, histogram }: Metric) => (sum ?? gauge ?? histogram)?.dataPoints ?? [];
const numberOf = ({ asInt, asDouble, count }: Point | undefined = {}) => Number(asInt ?? asDouble ?? count);

describe('the resource of the metrics', () => {
  it('says which collector it is: two that send to one backend count apart', async () => {
    const { url, requests } = await startBackend();
    for (let count = 1; count <= 2; count += 1) {
      const collector = await testbed.start({ metricsExport: { url, intervalMs: 2 ** 30 } });
      await collector.stop();
    }
    const attributeOf = ({ attributes }: Resource, name: string) => attributes.find(({ key }) => key === name)?.value;
    const names = requests.map(({ resource }) => attributeOf(resource, 'service.name')?.stringValue);
    expect(names).toEqual(['reenact-collector', 'reenact-collector']);
    const ids = requests.map(({ resource }) => attributeOf(resource, 'service.instance.id')?.stringValue ?? '');
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
  });
});

describe('the metrics that a collector sends', () => {
  it('are those it shows to Prometheus, once more at the stop', async () => {
    const { url, requests } = await startBackend();
    const metricsExport = { url, headers: { 'x-key': 'k' }, intervalMs: 2 ** 30 };
    const collector = await testbed.start({ metricsExport });
    await postSpans(collector.httpUrl, [makeSpan()]);
    await postSpans(collector.httpUrl, [makeSpan()]);
    const text = await (await fetch(`${collector.httpUrl}/metrics`)).text();
    await collector.stop();
    expect(requests.map(({ url: path, headers }) => [path, headers['x-key']])).toEqual([['/v1/metrics', 'k']]);
    const metrics = requests[0]?.metrics ?? [];
    const shown = [...text.matchAll(/^# TYPE reenact_collector_(\w+) /gm)].map(([, name]) => name);
    const endings = metrics.map(({ name, sum }) => `${name.replace('reenact.collector.', '')}${sum ? '_total' : ''}`);
    expect(endings).toEqual(shown);
    const named = (name: string) => metrics.find((metric) => metric.name === `reenact.collector.${name}`) as Metric;
    expect(named('requests').sum?.isMonotonic).toBe(true);
    expect(numberOf(pointsOf(named('requests'))[0])).toBe(2);
    expect(numberOf(pointsOf(named('deduplicated_items'))[0])).toBe(1);
    expect(pointsOf(named('store_items')).map(numberOf)).toEqual([1, 1, 0]);
    const [latency] = pointsOf(named('acknowledge_seconds'));
    expect(latency?.bucketCounts?.length).toBe((latency?.explicitBounds?.length ?? 0) + 1);
    expect(latency?.bucketCounts?.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(2);
  });

  it('come at the interval', async () => {
    const { url, requests } = await startBackend();
    await testbed.start({ metricsExport: { url, intervalMs: 20 } });
    await eventually('three requests', async () => requests.length >= 3);
  });

  it('go nowhere unless that is asked for, and never to the collector itself', async () => {
    const { httpUrl, stop } = await testbed.start();
    await stop();
    const httpPort = Number(new URL(httpUrl).port);
    const dataDirectory = await testbed.directory();
    const settings = { dataDirectory, httpPort, grpcPort: 0, metricsExport: { url: `http://localhost:${httpPort}` } };
    const refusal = { code: 'bad-config', where: 'metricsExport.url' };
    await expect(startCollector(settings)).rejects.toMatchObject(refusal);
    expect(() => checkCollectorConfig(settings)).toThrow(expect.objectContaining(refusal));
  });

  it('go where the configuration says, with its headers alone, whatever senders are told by the environment', async () => {
    const { url, requests } = await startBackend();
    const other = await startBackend();
    for (const name of ['OTEL_EXPORTER_OTLP', 'OTEL_EXPORTER_OTLP_METRICS']) {
      vi.stubEnv(`${name}_ENDPOINT`, other.url);
      vi.stubEnv(`${name}_HEADERS`, 'authorization=Bearer%20secret,x-key=theirs');
      vi.stubEnv(`${name}_COMPRESSION`, 'gzip');
    }
    try {
      const collector = await testbed.start({ metricsExport: { url, headers: { 'x-key': 'ours' } } });
      await collector.stop();
    } finally {
      vi.unstubAllEnvs();
    }
    expect(other.requests).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).toMatchObject({ 'x-key': 'ours', 'content-type': 'application/json' });
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
    expect(requests[0]?.headers).not.toHaveProperty('content-encoding');
  });
});

describe('metrics of a collector that nobody wants', () => {
  it('hold up a stop for a second where nobody answers, not for as long as an export may take', async () => {
    const { url, requests } = await startBackend('never');
    const collector = await testbed.start({ metricsExport: { url, intervalMs: 2 ** 30 } });
    const started = performance.now();
    await collector.stop();
    const tookMs = performance.now() - started;
    expect(requests).toHaveLength(1);
    expect(tookMs).toBeGreaterThan(900);
    expect(tookMs).toBeLessThan(4_000);
  });

  it('are said once where nobody takes them, and hold up no stop', async () => {
    const lines: string[] = [];
    const { url, requests } = await startBackend();
    closers.pop()?.();
    const dataDirectory = await testbed.directory();
    const settings = { dataDirectory, httpPort: 0, grpcPort: 0, metricsExport: { url, intervalMs: 20 } };
    const collector = await startCollector(settings, { log: (line) => void lines.push(line) });
    await eventually('the line', async () => lines.length > 0);
    const started = performance.now();
    await collector.stop();
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(lines.filter((line) => line.includes('metrics export failed'))).toHaveLength(1);
    expect(requests).toEqual([]);
  });
});
