import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayEvent } from '../events/replay-event.ts';

const partBytes = 1 << 20;

/** Stands before the event, with the id of its root behind it, in what is written of another run of the process than the replayed one. */
const besideMark = Buffer.from('"run":"');
const spanIdLength = 16;
/** Under which the events of the replayed run and of no run are counted. */
const replayed = '';

/** Whose events are counted: of the replayed run and what stands in no run, of the other runs of its process, too, or of one of those alone. */
export type CountedRuns = 'replayed' | 'all' | { readonly rootSpanId: string };

/** Counts events of one type that the processes of a replay have written so far, reading each byte once. */
export class ReportCounter {
  private readonly directory: string;
  private readonly mark: Buffer;
  private readonly read = new Map<string, number>();
  private readonly found = new Map<string, number>();
  private readonly isCounted: ((line: string) => boolean) | undefined;

  /** `directory` is the replay's. `isCounted`: asked of each event of that type, as it is written; default: all are. */
  constructor(directory: string, type: ReplayEvent['type'], isCounted?: (line: string) => boolean) {
    this.directory = directory;
    this.isCounted = isCounted;
    this.mark = Buffer.from(`"type":"${type}"`);
  }

  /** Those of these runs until now. Throws where the directory cannot be read. */
  count(runs: CountedRuns): number {
    for (const name of readdirSync(this.directory)) if (name.startsWith('report-')) this.countIn(name);
    if (runs === 'all') return [...this.found.values()].reduce((sum, count) => sum + count, 0);
    return this.found.get(runs === 'replayed' ? replayed : runs.rootSpanId) ?? 0;
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
          this.countOne(lines, at);
        this.read.set(name, from + end);
      }
    } finally {
      closeSync(descriptor);
    }
  }

  /** What says whose event it is stands before it in its line. */
  private countOne(lines: Buffer, at: number): void {
    const from = lines.lastIndexOf(10, at) + 1;
    const end = lines.indexOf(10, at);
    if (this.isCounted?.(lines.toString('utf8', from, end === -1 ? lines.length : end)) === false) return;
    const before = lines.subarray(from, at);
    const mark = before.indexOf(besideMark);
    const run = mark === -1 ? replayed : before.toString('latin1', mark + besideMark.length).slice(0, spanIdLength);
    this.found.set(run, (this.found.get(run) ?? 0) + 1);
  }
}
