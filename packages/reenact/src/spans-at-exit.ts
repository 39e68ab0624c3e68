import * as childProcess from 'node:child_process';
import * as files from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { decodeTracesJson } from '@reenact/otlp';
import { writeFixture } from '@reenact/trace-model';
import { POST_AT_EXIT_MS_MAX } from './limits.ts';
import type { ProcessRun } from './process-run.ts';

/** What of a recording processor is needed when the process ends. */
export interface SpanSource {
  undelivered(): ReadableSpan[];
  pending(): ReadableSpan[];
  forceFlush(): Promise<void>;
}

// Taken out of the module records, which the guard of a replay rewrites.
const { spawnSync } = { ...childProcess };
const { mkdtempSync, rmSync, writeFileSync } = { ...files };

const posterPath = fileURLToPath(new URL('./post-spans.js', import.meta.url));

function asFixture(spans: ReadableSpan[]): string | undefined {
  const bytes = JsonTraceSerializer.serializeRequest(spans);
  const decoded = bytes === undefined ? undefined : decodeTracesJson(Buffer.from(bytes).toString('utf8'));
  return decoded?.ok === true && decoded.data.resourceSpans.length > 0 ? writeFixture(decoded.data) : undefined;
}

/** Posts a file of spans from a process of its own, because nothing asynchronous happens any more in this one. */
function post(path: string, environment: NodeJS.ProcessEnv): boolean {
  const { status } = spawnSync(process.execPath, [posterPath, path], {
    env: { ...environment, NODE_OPTIONS: '', REENACT_DISABLED: '1' },
    stdio: 'ignore',
    timeout: POST_AT_EXIT_MS_MAX,
  });
  return status === 0;
}

function rescue(spans: ReadableSpan[], environment: NodeJS.ProcessEnv): void {
  const fixture = asFixture(spans);
  if (fixture === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'reenact-undelivered-'));
  const path = join(folder, 'spans.otlp.jsonl');
  writeFileSync(path, fixture, { mode: 0o600 });
  if (post(path, environment)) {
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  process.stderr.write(
    `reenact: ${spans.length} recorded spans could not be delivered when this process ended. They are kept in ${path}\n`,
  );
}

/**
 * Sees to it that a process does not take its last spans with it (docs/adr/0008): flushes when the event loop runs empty, and
 * hands over what is left when the process is really going. `environment`: the OTEL_EXPORTER_OTLP_* variables that say where to.
 * Never throws into the host.
 */
export function deliverAtExit(source: SpanSource, run: ProcessRun, environment: NodeJS.ProcessEnv = process.env): void {
  let hasFlushed = false;
  process.on('beforeExit', (code) => {
    run.end(code);
    if (hasFlushed) return;
    hasFlushed = true;
    void source.forceFlush();
  });
  process.once('exit', (code) => {
    try {
      run.end(code);
      const left = [...source.undelivered(), ...source.pending()];
      if (left.length > 0) rescue(left, environment);
    } catch (error) {
      process.stderr.write(`reenact: the last recorded spans could not be kept: ${String(error)}\n`);
    }
  });
}
