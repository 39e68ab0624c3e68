import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { queueRoom } from '../export/queue-room.ts';
import type { RecordingProcessorOptions } from '../index.ts';
import { deliverSpoolFolder, RecordingProcessor } from '../index.ts';

/** A collector that can be away. Keeps what it took. */
export class FlakyExporter implements SpanExporter {
  isAway = false;
  readonly taken: ReadableSpan[] = [];

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    if (!this.isAway) this.taken.push(...spans);
    done(this.isAway ? { code: ExportResultCode.FAILED, error: new Error('away') } : { code: ExportResultCode.SUCCESS });
  }

  async shutdown(): Promise<void> {}

  /** Names of the boundaries taken, in order. */
  get names(): string[] {
    return this.taken.map(({ attributes, name }) => String(attributes['reenact.name'] ?? name));
  }
}

/** A recording processor with a spool in a folder of its own. */
export class SpooledHost {
  readonly directory = mkdtempSync(join(tmpdir(), 'reenact-spool-'));
  readonly exporter = new FlakyExporter();
  readonly processor: RecordingProcessor;

  constructor({ spool, ...options }: RecordingProcessorOptions = {}) {
    const places = { directory: this.directory, destination: 'http://127.0.0.1:1/v1/traces' };
    this.processor = new RecordingProcessor(this.exporter, {
      retryDelayMs: 600_000,
      ...options,
      spool: { ...places, ...(spool === true ? {} : spool) },
    });
  }

  /** What another process finds if this one dies now. */
  async leftovers(): Promise<FlakyExporter> {
    const exporter = new FlakyExporter();
    const folder = this.processor.spoolState()?.directory;
    if (folder !== undefined) await deliverSpoolFolder(folder, exporter);
    return exporter;
  }

  async stop(): Promise<void> {
    await this.processor.shutdown();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A heap so small that no more spilled spans have a place in it than these. */
const HEAP_MIB = 1;
export const SPILLED = queueRoom(HEAP_MIB * 1024 * 1024, true).spilledSpansMax;

/** A host of such a heap. */
export function smallHost(options: RecordingProcessorOptions = {}): SpooledHost {
  const flags = process.execArgv;
  process.execArgv = [...flags, `--max-old-space-size=${HEAP_MIB}`];
  const made = new SpooledHost({ queueSpansMax: 1, ...options });
  process.execArgv = flags;
  return made;
}
