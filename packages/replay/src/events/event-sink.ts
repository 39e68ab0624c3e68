import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { pristine } from '@reenact/instrumentation';
import type { ReplayEvent, StampedEvent } from './replay-event.ts';
import { reportClockUs } from './report-clock.ts';

// Taken out of the module record, which the guard rewrites for as long as a replay runs.
const files = { closeSync, existsSync, openSync, writeSync };

/** Takes what a player reports. Synchronous, so that a report is complete whatever the process does next. */
export interface EventSink {
  write(event: ReplayEvent): void;
}

/** This process, or this worker thread of it: each has a recording and a report of its own. */
export function ownProcessId(): string {
  return threadId === 0 ? String(pristine.processId) : `${pristine.processId}-${threadId}`;
}

/** Name of the file one process reports to, inside the replay's directory. */
export function reportFileName(processId: string): string {
  return `report-${processId}.ndjson`;
}

/** Whether a process takes part in the replay of this directory. */
export function isReporting(directory: string, processId: number): boolean {
  return files.existsSync(join(directory, reportFileName(String(processId))));
}

/** Keeps events in memory, for a replay inside the same process. */
export class MemorySink implements EventSink {
  readonly events: StampedEvent[] = [];
  private readonly processId = ownProcessId();

  write(event: ReplayEvent): void {
    this.events.push({ processId: this.processId, atUs: reportClockUs(), event });
  }
}

/**
 * Appends each event to the report file of this process at once, so that what was found survives `process.exit`, an
 * uncaught exception and SIGKILL. `open` throws where the directory is gone; `write` never throws.
 */
export class FileSink implements EventSink {
  /** Told of each event once it is written, also of other runs than the replayed one. */
  readonly listeners = new Set<(stamped: StampedEvent) => void>();
  private readonly descriptor: number;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  static open(directory: string): FileSink {
    return new FileSink(files.openSync(join(directory, reportFileName(ownProcessId())), 'a', 0o600));
  }

  write(event: ReplayEvent): void {
    this.append({ processId: ownProcessId(), atUs: reportClockUs(), event });
  }

  /** Takes what is reported of another run than the replayed one; `rootSpanId`: that of its root. */
  ofRun(rootSpanId: string): EventSink {
    return {
      write: (event) => this.append({ processId: ownProcessId(), run: rootSpanId, atUs: reportClockUs(), event }),
    };
  }

  private append(stamped: StampedEvent): void {
    const bytes = Buffer.from(`${JSON.stringify(stamped)}\n`, 'utf8');
    try {
      let written = 0;
      while (written < bytes.byteLength) written += files.writeSync(this.descriptor, bytes, written);
    } catch {
      // The driver is gone and took the directory along: nobody is left to read the report.
    }
    for (const listener of this.listeners) listener(stamped);
  }

  close(): void {
    files.closeSync(this.descriptor);
  }
}
