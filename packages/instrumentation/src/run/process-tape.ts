import type {
  ClockFunction,
  LateDraws,
  RandomFunction,
  ReadingFunction,
  RecordedTickOrigin,
  TickFunction,
} from '@reenact/trace-model';
import { LATE_DRAWN_CHARACTERS_MAX, LATE_DRAWS_MAX } from '../limits.ts';
import { type DrawSource, DrawTape } from './draw-tape.ts';

const limits = { draws: LATE_DRAWS_MAX, ticks: LATE_DRAWS_MAX, characters: LATE_DRAWN_CHARACTERS_MAX };

/** What code draws that nothing encloses; from the first run of the process on it knows what of it came since the latest run began. */
export class ProcessTape extends DrawTape {
  private since: DrawTape | undefined;
  private ordinal = 0;

  override addTime(name: ClockFunction, timeMs: number, skewMs?: number): void {
    super.addTime(name, timeMs, skewMs);
    this.since?.addTime(name, timeMs, skewMs);
  }

  override addTick(name: TickFunction, nano: number, origin?: RecordedTickOrigin): void {
    super.addTick(name, nano, origin);
    this.since?.addTick(name, nano, origin);
  }

  override addReading(name: ReadingFunction, json: string | undefined): void {
    super.addReading(name, json);
    this.since?.addReading(name, json);
  }

  override reserve(name: RandomFunction): (value: number | string) => void {
    const fills = [super.reserve(name), this.since?.reserve(name)];
    return (value) => {
      for (const fill of fills) fill?.(value);
    };
  }

  /** What is not kept here any more is not kept of what comes later either: it would stand in the place of what is missing. */
  override lose(name: DrawSource, why: string): void {
    super.lose(name, why);
    this.since?.lose(name, why);
  }

  /** The first run of the process has begun. */
  begin(): void {
    this.since ??= new DrawTape(limits);
    this.loseIn(this.since);
  }

  /** What was drawn since the latest run began that took it; undefined where that is nothing, or not all of it was kept. */
  takeSince(): LateDraws | undefined {
    const drawn = this.isFullOf('draws') || this.isFullOf('ticks') ? undefined : this.since?.drawnYet();
    if (drawn === undefined) return undefined;
    this.since?.restart();
    this.ordinal += 1;
    return { ...drawn, ordinal: this.ordinal - 1 };
  }
}
