import type { ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';
import { describeError, toReenactError } from '@reenact/trace-model';

/**
 * An exporter that is made when the process has started, or when it is first needed if that is earlier: the program's first line does
 * not wait for the modules it takes. Once `open` has failed, every export fails with what it threw; the spans stay with the caller.
 */
export class LateExporter implements SpanExporter {
  private readonly open: () => SpanExporter;
  private opened: SpanExporter | undefined;
  private readonly soon: NodeJS.Immediate;

  constructor(open: () => SpanExporter) {
    this.open = open;
    this.soon = setImmediate(() => this.warmUp());
    // A process that has nothing else to do has nothing to export either.
    this.soon.unref();
  }

  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    this.exporter().export(spans, resultCallback);
  }

  async forceFlush(): Promise<void> {
    await this.opened?.forceFlush?.();
  }

  async shutdown(): Promise<void> {
    clearImmediate(this.soon);
    await this.opened?.shutdown();
  }

  private exporter(): SpanExporter {
    clearImmediate(this.soon);
    this.opened ??= this.open();
    return this.opened;
  }

  private warmUp(): void {
    try {
      this.exporter();
    } catch (thrown) {
      const error = toReenactError(thrown);
      process.stderr.write(
        `reenact: recorded spans stay on this machine, because nothing can send them: ${describeError(error)}\n`,
      );
    }
  }
}
