import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayEvent } from '../events/replay-event.ts';

const partBytes = 1 << 20;

/** Stands before the event in what is written of another run of the process than the replayed one. */
const besideMark = Buffer.from('"run":"');

/** Whose events are counted: of the replayed run and what stands in no run, or of the other runs of its process, too. */
export type CountedRuns = 'replayed' | 'all';

/** Counts events of one type that the processes of a replay have written so far, reading each byte once. */
export class ReportCounter {
  private readonly directory: string;
  private readonly mark: Buffer;
  private readonly runs: CountedRuns;
  private readonly read = new Map<string, number>();
  private found = 0;

  /** `directory` is the replay's. */
  constructor(directory: string, type: ReplayEvent['type'], runs: CountedRuns) {
    this.directory = directory;
    this.runs = runs;
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
        for (let at = lines.indexOf(this.mark); at !== -1; at = lines.indexOf(this.mark, at + 1))
          if (this.runs === 'all' || !isBeside(lines, at)) this.found += 1;
        this.read.set(name, from + end);
      }
    } finally {
      closeSync(descriptor);
    }
  }
}

/** What says whose event it is stands before it in its line. */
function isBeside(lines: Buffer, at: number): boolean {
  return lines.subarray(lines.lastIndexOf(10, at) + 1, at).includes(besideMark);
}
