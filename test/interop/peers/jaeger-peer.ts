import { join } from 'node:path';
import { eventually, freePort, type PeerFolder, type RunningPeer, startPeer } from './running-peer.ts';

/** One span as Jaeger's query API gives it. */
export interface JaegerSpan {
  readonly traceID: string;
  readonly spanID: string;
  readonly operationName: string;
  readonly tags: readonly { readonly key: string; readonly value: unknown }[];
}

/** Where a Jaeger keeps its traces: one of its backends, as its configuration names it. */
export type JaegerBackend = { readonly memory: object } | { readonly badger: object };

/** Badger, with the settings it has when nothing is said but that it keeps what it has, in a folder. */
export function badgerIn(folder: string): JaegerBackend {
  const directories = { keys: join(folder, 'keys'), values: join(folder, 'values') };
  return { badger: { directories, ephemeral: false, consistency: false } };
}

/** A Jaeger v2. */
export interface Jaeger extends RunningPeer {
  /** Its OTLP/HTTP endpoint, without a path. */
  readonly otlpUrl: string;
  /** Address of its OTLP/gRPC endpoint, `host:port`. */
  readonly otlpGrpc: string;
  /** The spans of a trace, once there are that many. */
  trace(traceId: string, spans: number): Promise<readonly JaegerSpan[]>;
}

/** Starts one, which keeps traces in memory unless another backend is given. */
export async function startJaeger(
  program: string,
  folder: PeerFolder,
  backend: JaegerBackend = { memory: { max_traces: 10_000 } },
): Promise<Jaeger> {
  const [otlp, otlpGrpc, query, queryGrpc] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const at = (port: number): string => `127.0.0.1:${port}`;
  const configuration = {
    service: {
      extensions: ['jaeger_storage', 'jaeger_query'],
      pipelines: { traces: { receivers: ['otlp'], exporters: ['jaeger_storage_exporter'] } },
      telemetry: { metrics: { level: 'none' } },
    },
    extensions: {
      jaeger_storage: { backends: { kept: backend } },
      jaeger_query: { storage: { traces: 'kept' }, http: { endpoint: at(query) }, grpc: { endpoint: at(queryGrpc) } },
    },
    receivers: { otlp: { protocols: { http: { endpoint: at(otlp) }, grpc: { endpoint: at(otlpGrpc) } } } },
    exporters: { jaeger_storage_exporter: { trace_storage: 'kept' } },
  };
  const peer = await startPeer(program, folder, configuration, `http://${at(query)}/api/services`);
  const trace: Jaeger['trace'] = (traceId, spans) =>
    eventually(
      async () => {
        const response = await fetch(`http://${at(query)}/api/traces/${traceId}`);
        const body = (await response.json()) as { data?: { spans: JaegerSpan[] }[] };
        const found = body.data?.[0]?.spans ?? [];
        return found.length >= spans ? found : undefined;
      },
      () => peer.printed(),
    );
  return { ...peer, otlpUrl: `http://${at(otlp)}`, otlpGrpc: at(otlpGrpc), trace };
}
