// Run by itself when a process has ended with spans left: posts each line of a fixture file as the OTEL_EXPORTER_OTLP_*
// variables say. Exit code 0 means that all were taken.
import { readFileSync } from 'node:fs';
import { tlsFetch } from '@reenact/collector-client';
import { tracesEndpoint } from '@reenact/instrumentation';
import { headersOf } from '../collecting/otlp-headers.ts';
import { collectorTls } from '../reading/collector-tls.ts';

/** Posts one OTLP/JSON body; false where it was not taken whole. */
async function postSpans(body: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const url = tracesEndpoint(environment);
  const tls = collectorTls(url, environment);
  const post = tls === undefined ? fetch : tlsFetch(tls);
  const response = await post(url, {
    method: 'POST',
    headers: { ...headersOf(environment), 'content-type': 'application/json' },
    body,
  });
  if (!response.ok) return false;
  const answer = (await response.json().catch(() => ({}))) as { partialSuccess?: { rejectedSpans?: string | number } };
  return Number(answer.partialSuccess?.rejectedSpans ?? 0) === 0;
}

async function postFile(path: string): Promise<boolean> {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const groups = lines.flatMap((line) => (JSON.parse(line) as { resourceSpans: unknown[] }).resourceSpans);
  return postSpans(JSON.stringify({ resourceSpans: groups }), process.env);
}

const [, , path] = process.argv;
if (path !== undefined) process.exitCode = (await postFile(path).catch(() => false)) ? 0 : 1;
