import { readFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { request as requestEncrypted } from 'node:https';
import type { CollectorConfig } from '@reenact/collector';
import { ReenactError } from '@reenact/trace-model';
import { HEALTH_MS_MAX } from '../limits.ts';
import { collectorTls } from '../reading/collector-tls.ts';

/** What a collector says of its health. */
export interface HealthAnswer {
  readonly url: string;
  readonly isReady: boolean;
  readonly body: string;
}

/** An address that listens for every other is asked on this machine. */
function askedHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** What is shown to a collector that wants a certificate: that of the variables, else its own, which is mostly of the same authority. */
function shownTo({ tls }: CollectorConfig, url: string, environment: NodeJS.ProcessEnv) {
  if (tls?.clientCaFile === undefined) return {};
  const { certificate, key } = collectorTls(url, environment) ?? {};
  if (certificate !== undefined && key !== undefined) return { cert: certificate, key };
  return { cert: readFileSync(tls.certificateFile), key: readFileSync(tls.keyFile) };
}

/** Nothing secret is sent, and it is the own machine that is asked: its certificate is made out to the name that others use. */
function open(url: string, config: CollectorConfig, environment: NodeJS.ProcessEnv): ClientRequest {
  if (config.tls === undefined) return request(url);
  return requestEncrypted(url, { rejectUnauthorized: false, ...shownTo(config, url, environment) });
}

async function answerOf(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const tooLate = () => asked.destroy(new Error(`no answer within ${HEALTH_MS_MAX} ms`));
    const timer = setTimeout(tooLate, HEALTH_MS_MAX).unref();
    asked.once('close', () => clearTimeout(timer));
    asked.once('response', resolve);
    asked.once('error', reject);
    asked.end();
  });
}

async function bodyFrom(
  url: string,
  config: CollectorConfig,
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const answer = await answerOf(open(url, config, environment));
    let body = '';
    for await (const piece of answer.setEncoding('utf8')) body += String(piece);
    return { status: answer.statusCode ?? 0, body };
  } catch (cause) {
    throw new ReenactError('collector-unreachable', 'The collector of this configuration does not answer.', {
      where: url,
      next: 'Start it with `reenact collect`, or ask with the configuration that it was started with. Where it wants certificates, name one with OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY.',
      cause,
    });
  }
}

/** Whether a collector has said this, and no other program that has the port: many answer 200 to everything. */
function isOfCollector(status: number, body: string): boolean {
  try {
    const { status: said, code } = { status: undefined, code: undefined, ...(JSON.parse(body) as object) };
    return status === 200 ? said === 'ready' : typeof code === 'string';
  } catch {
    return false;
  }
}

/** Asks the collector that a configuration starts. Throws ReenactError `collector-unreachable`, `collector-refused` where another program answers, and `bad-config` where its port is not known. */
export async function askHealth(
  config: CollectorConfig,
  isForIngest: boolean,
  environment: NodeJS.ProcessEnv,
): Promise<HealthAnswer> {
  const { tls, host, httpPort } = config;
  if (httpPort === 0) {
    throw new ReenactError('bad-config', 'The collector picks its port at the start, so nobody knows which it is.', {
      where: 'httpPort',
      next: 'Give httpPort a number.',
    });
  }
  const url = `${tls === undefined ? 'http' : 'https'}://${askedHost(host)}:${httpPort}/health/ready${isForIngest ? '?for=ingest' : ''}`;
  const { status, body } = await bodyFrom(url, config, environment);
  if (isOfCollector(status, body)) return { url, isReady: status === 200, body };
  throw new ReenactError(
    'collector-refused',
    `What listens there answered HTTP ${status} with what no collector says.`,
    {
      where: url,
      next: `Find out what has port ${httpPort}: the collector of this configuration is not running, or has another port.`,
    },
  );
}
