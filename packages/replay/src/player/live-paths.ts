import { type Crossing, crossingLabel, type Recording } from '@reenact/trace-model';
import { EMPTY_CURSOR, type LookUp } from './look-up.ts';

/** Gives paths to live calls that no recorded crossing stands for, counting on from the recorded ones. */
export class LivePaths {
  private readonly recording: Recording;
  private readonly lookUp: LookUp;
  private readonly unmatchedCounts = new Map<string, number>();
  private furtherRuns = 0;
  private readonly pathOfCursor = new Map<string, string>();

  constructor(recording: Recording, lookUp: LookUp) {
    this.recording = recording;
    this.lookUp = lookUp;
  }

  /** A position below a live call that was not recorded: nothing is found there. */
  emptyCursor(path: string): string {
    const cursor = `${EMPTY_CURSOR}-${this.pathOfCursor.size + 1}`;
    this.pathOfCursor.set(cursor, path);
    return cursor;
  }

  /** The path of the crossing a cursor stands in; above the root it is the root's. */
  of(cursor: string | undefined): string {
    const under = cursor ?? this.lookUp.root.spanId;
    return this.recording.bySpanId.get(under)?.path ?? this.pathOfCursor.get(under) ?? this.lookUp.root.path;
  }

  /** The recorded crossing a cursor stands in; undefined below a live call that was not recorded. */
  enclosing(cursor: string): Crossing | undefined {
    return this.recording.bySpanId.get(cursor);
  }

  /** The path of one more run beside the recorded one. */
  anotherRun(): string {
    this.furtherRuns += 1;
    return `${this.lookUp.root.path}#${this.furtherRuns + 1}`;
  }

  /** The path of a call under a cursor, as it would be if it had been recorded there after all others. */
  unmatched(cursor: string | undefined, boundary: Pick<Crossing, 'kind' | 'name'>): string {
    const under = cursor ?? this.lookUp.root.spanId;
    const label = crossingLabel(boundary);
    const key = `${under}\n${label}`;
    const unmatched = (this.unmatchedCounts.get(key) ?? 0) + 1;
    this.unmatchedCounts.set(key, unmatched);
    const count = this.lookUp.countUnder(under, label) + unmatched;
    const parent = this.recording.bySpanId.get(under)?.path ?? this.pathOfCursor.get(under) ?? '';
    return `${parent === '' ? '' : `${parent}/`}${label}${count === 1 ? '' : `#${count}`}`;
  }
}
