import { inputView, outcomeView, recordedTimeline, subtreeOf } from '@reenact/recordings';
import type { Crossing, Recording } from '@reenact/trace-model';
import { plainTree } from './plain-tree.ts';

/** The values of one run and when each reached the agent. */
export class RunValues {
  readonly root: Crossing;
  private readonly recording: Recording;
  /** In the order in which their outcomes reached the agent. */
  private readonly settled: readonly Crossing[];
  private readonly startUs: (crossing: Crossing) => number;
  private readonly settledUs: (crossing: Crossing) => number;
  private readonly trees = new Map<string, unknown>();

  constructor(recording: Recording, crossing: Crossing) {
    this.recording = recording;
    this.root = this.ancestorsOf(crossing).at(-1) ?? crossing;
    const crossings = subtreeOf(recording, this.root.spanId);
    const timeline = recordedTimeline(this.root, crossings);
    this.startUs = (item) => timeline.startUs(item);
    this.settledUs = (item) => timeline.settledUs(item);
    this.settled = crossings
      .filter(({ outcome }) => outcome.type !== 'pending')
      .sort((left, right) => this.settledUs(left) - this.settledUs(right));
  }

  /** The crossings around one, the nearest first. */
  ancestorsOf(crossing: Crossing): Crossing[] {
    const found: Crossing[] = [];
    const seen = new Set([crossing.spanId]);
    for (let at = crossing.parentSpanId; at !== undefined && !seen.has(at); ) {
      const parent = this.recording.bySpanId.get(at);
      if (parent === undefined) break;
      found.push(parent);
      seen.add(at);
      at = parent.parentSpanId;
    }
    return found;
  }

  private isInside(crossing: Crossing, around: Crossing): boolean {
    return this.ancestorsOf(crossing).some(({ spanId }) => spanId === around.spanId);
  }

  /** Crossings whose outcome the agent had when a crossing started, earliest first. */
  settledBefore(crossing: Crossing): Crossing[] {
    const limitUs = this.startUs(crossing);
    return this.settled.filter(
      (other) =>
        other.spanId !== crossing.spanId && this.settledUs(other) <= limitUs && !this.isInside(other, crossing),
    );
  }

  /** Crossings inside one, by when their outcomes came. */
  settledInside(crossing: Crossing): Crossing[] {
    return this.settled.filter((other) => this.isInside(other, crossing));
  }

  /** The input of a crossing as plain JSON, or undefined where it was not recorded. */
  inputOf(crossing: Crossing): unknown {
    return this.once(`input ${crossing.spanId}`, () => inputView(crossing));
  }

  /** The outcome of a crossing as plain JSON, or undefined where it was not recorded. */
  outcomeOf(crossing: Crossing): unknown {
    return this.once(`outcome ${crossing.spanId}`, () => outcomeView(crossing, { exact: false }).tree);
  }

  private once(key: string, read: () => unknown): unknown {
    if (!this.trees.has(key)) this.trees.set(key, plainTree(read()));
    return this.trees.get(key);
  }
}
