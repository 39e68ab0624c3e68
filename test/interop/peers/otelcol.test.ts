import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listRuns } from '../../e2e/small-stage.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';
import { type Jaeger, startJaeger } from './jaeger-peer.ts';
import { peerPath, peerVersion } from './peer.ts';
import { eventually, freePort, type PeerFolder, peerFolder, type RunningPeer, startPeer } from './running-peer.ts';

const program = peerPath('otelcol');
const jaegerProgram = peerPath('jaeger');
const generator = peerPath('telemetrygen');
const agentFolder = new URL('../../scenarios/small/agent', import.meta.url).pathname;

/** An OpenTelemetry Collector that sends everything to several places, through queues on disk. */
async function startFanOut(
  folder: PeerFolder,
  targets: Readonly<Record<string, string>>,
): Promise<{ peer: RunningPeer; otlpUrl: string }> {
  if (program === undefined) throw new Error('the peer was not built');
  const queueFolder = join(folder.path, 'queue');
  mkdirSync(queueFolder, { recursive: true });
  const endpoint = `127.0.0.1:${await freePort()}`;
  const exporters = Object.fromEntries(
    Object.entries(targets).map(([name, url]) => [
      `otlphttp/${name}`,
      {
        endpoint: url,
        sending_queue: { enabled: true, storage: 'file_storage/queue' },
        retry_on_failure: { enabled: true, initial_interval: '100ms', max_interval: '500ms' },
      },
    ]),
  );
  const peer = await startPeer(
    program,
    folder,
    {
      extensions: { 'file_storage/queue': { directory: queueFolder, fsync: true } },
      receivers: { otlp: { protocols: { http: { endpoint } } } },
      exporters,
      service: {
        extensions: ['file_storage/queue'],
        pipelines: { traces: { receivers: ['otlp'], exporters: Object.keys(exporters) } },
        telemetry: { metrics: { level: 'none' } },
      },
    },
    `http://${endpoint}/`,
  );
  return { peer, otlpUrl: `http://${endpoint}` };
}

let folder: PeerFolder;
let stage: Stage;
beforeAll(async () => {
  folder = peerFolder();
  stage = await setStage({ agentFolder, environment: () => ({ OTEL_SERVICE_NAME: 'small' }) });
});
afterAll(async () => {
  await stage.stop();
  folder.remove();
});

/** The run a fan-out delivered, once it is whole. */
function delivered(
  known: ReadonlySet<string>,
  peer: RunningPeer,
): ReturnType<typeof eventually<Awaited<ReturnType<typeof listRuns>>[number]>> {
  return eventually(
    async () =>
      (await listRuns(stage)).find(
        ({ traceId, replayability }) => !known.has(traceId) && replayability.verdict === 'full',
      ),
    () => peer.printed(),
  );
}

describe.skipIf(program === undefined)(`a real OpenTelemetry Collector (${peerVersion('otelcol')})`, () => {
  it('hands a recording on so that it replays', async () => {
    const { peer, otlpUrl } = await startFanOut(folder, { reenact: stage.collectorUrl });
    try {
      const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl };
      expect((await stage.node(['--import', 'reenact/register', 'parallel.ts'], environment)).exitCode).toBe(0);
      const run = await delivered(new Set(), peer);
      expect((await stage.reenact(['replay', run.rootSpanId, '--', 'node', 'parallel.ts'])).exitCode).toBe(0);
    } finally {
      await peer.stop();
    }
  });

  it.skipIf(jaegerProgram === undefined)('sends the same trace to a real Jaeger beside us', async () => {
    const jaegerFolder = peerFolder();
    const jaeger: Jaeger = await startJaeger(jaegerProgram ?? '', jaegerFolder);
    const { peer, otlpUrl } = await startFanOut(folder, { reenact: stage.collectorUrl, jaeger: jaeger.otlpUrl });
    try {
      const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
      await stage.node(['--import', 'reenact/register', 'parallel.ts'], { OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl });
      const run = await delivered(known, peer);
      expect(await jaeger.trace(run.traceId, run.spanCount)).toHaveLength(run.spanCount);
    } finally {
      await peer.stop();
      await jaeger.stop();
      jaegerFolder.remove();
    }
  });
});

describe.skipIf(generator === undefined)(
  `telemetrygen (${peerVersion('telemetrygen')}), which is OpenTelemetry's Go SDK`,
  () => {
    it.each([
      ['HTTP', '--otlp-http'],
      ['gRPC', ''],
    ])('delivers over %s, and nothing is missing or doubled', async (protocol, flag) => {
      const endpoint = protocol === 'HTTP' ? stage.collectorUrl : stage.grpcUrl;
      const service = `generated-${protocol}`;
      const parameters = ['traces', '--otlp-insecure', '--otlp-endpoint', new URL(endpoint).host];
      const load = ['--traces', '200', '--workers', '2', '--rate', '0', '--child-spans', '3', '--service', service];
      const child = spawn(generator ?? '', [...parameters, ...load, ...(flag === '' ? [] : [flag])], {
        stdio: 'ignore',
      });
      expect(await once(child, 'close')).toEqual([0, null]);
      const { stdout } = await stage.reenact(['runs', '--json', '--service', service, '--limit', '500']);
      const { runs } = JSON.parse(stdout) as { runs: { spanCount: number; traceId: string }[] };
      // 200 traces by each of two workers.
      expect(new Set(runs.map(({ traceId }) => traceId)).size).toBe(400);
      expect(new Set(runs.map(({ spanCount }) => spanCount))).toEqual(new Set([4]));
    });
  },
);
