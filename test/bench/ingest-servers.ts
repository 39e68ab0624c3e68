import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { badgerIn } from '../interop/peers/jaeger-peer.ts';
import { type PeerName, peerPath, peerVersion } from '../interop/peers/peer.ts';
import { freePort, type PeerFolder, peerFolder, startPeer } from '../interop/peers/running-peer.ts';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import type { IngestAddresses } from './ingest-client.ts';

/** A server that takes OTLP and runs. */
export interface IngestServer extends IngestAddresses {
  readonly pid: number;
  stop(): Promise<void>;
}

/** One of the servers that are compared. */
export interface IngestContender {
  readonly name: string;
  /** Its version and how it is configured, in words. */
  readonly configuration: string;
  /** Peer that has to be built for it. */
  readonly peer?: PeerName;
  /** Threads whose work comes after the acknowledgement. */
  readonly backgroundThreads?: readonly string[];
  readonly start: () => Promise<IngestServer>;
}

const program = new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url).pathname;

/** Starts the collector as users do, from what was built. */
export async function startReenact(
  flags: readonly string[] = [],
  variables: NodeJS.ProcessEnv = {},
  nodeFlags: readonly string[] = [],
): Promise<IngestServer & { readonly folder: PeerFolder }> {
  const folder = peerFolder();
  const own = ['collect', '--json', '--http-port', '0', '--grpc-port', '0', '--data', join(folder.path, 'data')];
  const child = spawn(process.execPath, [...nodeFlags, program, ...own, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...bareEnvironment(), ...variables },
  });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'close').then(() => Promise.reject(new Error('the collector ended at once'))),
  ])) as [string];
  const { httpUrl, grpcUrl } = JSON.parse(line) as { httpUrl: string; grpcUrl: string };
  return {
    pid: child.pid ?? 0,
    httpUrl,
    grpcAddress: new URL(grpcUrl).host,
    folder,
    stop: async () => {
      await end(child);
      folder.remove();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

interface PeerPipeline {
  readonly extensions: object;
  readonly serviceExtensions: readonly string[];
  readonly exporters: Readonly<Record<string, object>>;
}

/** Starts a peer whose configuration is that of an OpenTelemetry Collector: OTLP in, these exporters out. */
async function startPipeline(peer: PeerName, describe: (folder: string) => PeerPipeline): Promise<IngestServer> {
  const folder = peerFolder();
  const [http, grpc] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const { extensions, serviceExtensions, exporters } = describe(folder.path);
  const configuration = {
    extensions,
    receivers: {
      otlp: { protocols: { http: { endpoint: http }, grpc: { endpoint: grpc, max_recv_msg_size_mib: 64 } } },
    },
    exporters,
    service: {
      extensions: serviceExtensions,
      pipelines: { traces: { receivers: ['otlp'], exporters: Object.keys(exporters) } },
      telemetry: { metrics: { level: 'none' }, logs: { level: 'warn' } },
    },
  };
  const running = await startPeer(peerPath(peer) ?? '', folder, configuration, `http://${http}/`);
  return {
    pid: running.pid,
    httpUrl: `http://${http}`,
    grpcAddress: grpc,
    stop: async () => {
      await running.stop();
      folder.remove();
    },
  };
}

async function startForgetting(): Promise<IngestServer> {
  const child = fork(new URL('forgetting-process.ts', import.meta.url), { execArgv: ['--conditions=@reenact/source'] });
  const [{ httpPort, grpcPort }] = (await once(child, 'message')) as [{ httpPort: number; grpcPort: number }];
  return {
    pid: child.pid ?? 0,
    httpUrl: `http://127.0.0.1:${httpPort}`,
    grpcAddress: `127.0.0.1:${grpcPort}`,
    stop: () => end(child),
  };
}

/** No collector, but the most that one in Node.js can reach: `node:http` and `@grpc/grpc-js` that read requests and forget them. */
export const FORGETTING: IngestContender = {
  name: 'Node.js that forgets',
  configuration: `${process.version}, node:http and @grpc/grpc-js, reads each request whole and does nothing with it`,
  start: startForgetting,
};

/** Ours, with the settings it has when nothing is said. */
export const REENACT: IngestContender = {
  name: 'Reenact',
  configuration: 'as it comes: on disk before the acknowledgement, indexed',
  backgroundThreads: ['settle-worker', 'summary-worker', 'text-worker'],
  start: () => startReenact(),
};

/** The OpenTelemetry Collector that writes what it gets into a file, in protobuf; it acknowledges from memory. */
export const OTELCOL_FILE: IngestContender = {
  name: 'OpenTelemetry Collector, file exporter',
  configuration: `${peerVersion('otelcol')}, otlp → file (format: proto), no sync`,
  peer: 'otelcol',
  start: () =>
    startPipeline('otelcol', (folder) => ({
      extensions: {},
      serviceExtensions: [],
      exporters: { file: { path: join(folder, 'spans'), format: 'proto' } },
    })),
};

/** The OpenTelemetry Collector that acknowledges when a request is in its queue on disk; what leaves the queue is dropped. */
export const OTELCOL_FSYNC: IngestContender = {
  name: 'OpenTelemetry Collector, queue with fsync',
  configuration: `${peerVersion('otelcol')}, otlp → sending_queue in file_storage (fsync: true) → debug exporter that prints nothing`,
  peer: 'otelcol',
  start: () =>
    startPipeline('otelcol', (folder) => {
      const directory = join(folder, 'queue');
      mkdirSync(directory);
      const queue = { enabled: true, storage: 'file_storage/queue', block_on_overflow: true };
      return {
        extensions: { 'file_storage/queue': { directory, fsync: true } },
        serviceExtensions: ['file_storage/queue'],
        exporters: { debug: { verbosity: 'basic', use_internal_logger: true, sending_queue: queue } },
      };
    }),
};

/** Jaeger v2 that stores in Badger on disk; it acknowledges from memory. */
export const JAEGER_BADGER: IngestContender = {
  name: 'Jaeger v2, Badger',
  configuration: `${peerVersion('jaeger')}, otlp → Badger (ephemeral: false, consistency: false)`,
  peer: 'jaeger',
  start: () =>
    startPipeline('jaeger', (folder) => {
      return {
        extensions: { jaeger_storage: { backends: { kept: badgerIn(folder) } } },
        serviceExtensions: ['jaeger_storage'],
        exporters: { jaeger_storage_exporter: { trace_storage: 'kept' } },
      };
    }),
};
