import { connect } from 'node:net';
import { createCollectorClient } from '@reenact/collector-client';
import { exportBatch, tracesEndpoint, trapLog } from '@reenact/instrumentation';
import { isReenactError, urlPlace } from '@reenact/trace-model';
import { headersOf } from '../collecting/otlp-headers.ts';
import { CONNECT_MS_MAX, EXPORT_MS_MAX } from '../limits.ts';
import { collectorTls } from '../reading/collector-tls.ts';
import { countLeftInSpool } from '../reading/left-in-spool.ts';
import { openExporter } from '../recording/open-exporter.ts';

function answers(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const { host, port = 80 } = urlPlace(url);
    const socket = connect(port, host);
    socket.setTimeout(CONNECT_MS_MAX, () => socket.destroy());
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => undefined);
    socket.once('close', () => resolve(false));
  });
}

/** Why no span would be taken where they are sent, told by a request with none in it; undefined where one would be. */
async function refusalOf(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const url = tracesEndpoint(environment);
  const exporter = openExporter({ url, headers: headersOf(environment), timeoutMillis: EXPORT_MS_MAX });
  try {
    const outcome = await exportBatch(exporter, []);
    // That a request holds nothing is no fault of the place.
    return outcome.type === 'failed' ? outcome.detail : undefined;
  } finally {
    await exporter.shutdown();
  }
}

/**
 * What a collector's client makes of the same place, in words: that it is the port of OTLP/gRPC, or speaks no TLS. Undefined where it is no
 * such thing. It asks without a token: what answers may be anybody's.
 */
async function misunderstandingAt(endpoint: URL, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    // With the authorities that the exporter trusts: a denied token would be told as distrust otherwise.
    const tls = collectorTls(endpoint.origin, environment);
    await createCollectorClient({ url: endpoint.origin, tls }).listRuns({ limit: 1 });
    return undefined;
  } catch (thrown) {
    const isTold = isReenactError(thrown) && ['bad-request', 'collector-unreachable'].includes(thrown.code);
    return isTold ? `${thrown.message} ${thrown.next ?? ''}`.trim() : undefined;
  }
}

/** Finds the trap `spool-waits`: whether processes of this machine left recordings on the disk for the collector that spans are sent to. */
export async function reportSpool(environment: NodeJS.ProcessEnv): Promise<void> {
  const count = await countLeftInSpool(tracesEndpoint(environment), environment);
  if (count > 0) trapLog.report('spool-waits', count === 1 ? 'of a process' : `of ${count} processes`);
}

/** Finds the trap `collector-away`: whether recorded spans have somewhere to go, as the OTEL_EXPORTER_OTLP_* variables say. */
export async function reportReceiver(environment: NodeJS.ProcessEnv): Promise<void> {
  const text = tracesEndpoint(environment);
  const endpoint = URL.parse(text);
  if (endpoint === null || !/^https?:$/.test(endpoint.protocol)) {
    const given = text.replace(/\/v1\/traces$/, '');
    trapLog.report('collector-away', `"${given}" is no address: write it with its scheme, as http://127.0.0.1:4318`);
    return;
  }
  if (!(await answers(endpoint))) {
    trapLog.report('collector-away', `nothing answers at ${endpoint.origin}`);
    return;
  }
  const refusal = await refusalOf(environment);
  if (refusal === undefined) return;
  const why = (await misunderstandingAt(endpoint, environment)) ?? refusal;
  trapLog.report('collector-away', `${endpoint.origin} takes nothing: ${why.replaceAll(/\s+/g, ' ').trim()}`);
}
