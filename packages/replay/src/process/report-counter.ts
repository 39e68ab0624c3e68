import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayEvent } from '../events/replay-event.ts';

const partBytes = 1 << 20;

/** Counts events of one type that the processes of a replay have written so far, reading each byte once. */
export class ReportCounter {
  private readonly directory: string;
  private readonly mark: Buffer;
  private readonly read = new Map<string, number>();
  private found = 0;

  /** `directory` is the replay's. */
  constructor(directory: string, type: ReplayEvent['type']) {
    this.directory = directory;
    this.mark = Buffer.from(`"type":"${type}"`);
  }

  /** All of them until now. Throws where the directory cannot be read. */
  count(): number {
    for (const name of readdirSync(this.directory)) if (name.startsWith('report-')) this.countIn(name);
    return this.found;
  }

  private countIn(name: string): void {
    const descriptor = openSync(join(this.directory, name), 'r');
    try {
      const part = Buffer.alloc(partBytes);
      for (;;) {
        const from = this.read.get(name) ?? 0;
        const bytes = part.subarray(0, readSync(descriptor, part, 0, partBytes, from));
        // What stands in the last line may still be written.
        const lastLine = bytes.lastIndexOf(10) + 1;
        // A line that fills the part is read on in the next: the type stands at its start.
        const end = lastLine === 0 && bytes.length === partBytes ? partBytes : lastLine;
        if (end === 0) return;
        const lines = bytes.subarray(0, end);
        for (let at = lines.indexOf(this.mark); at !== -1; at = lines.indexOf(this.mark, at + 1)) this.found += 1;
        this.read.set(name, from + end);
      }
    } finally {
      closeSync(descriptor);
    }
  }
}
