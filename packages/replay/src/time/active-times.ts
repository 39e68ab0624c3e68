import { context as contexts } from '@opentelemetry/api';
import {
  isOwnWork,
  isSpanWork,
  isTelemetryContext,
  type Player,
  type Position,
  positionOf,
} from '@reenact/instrumentation';
import type { RunTime } from './run-time.ts';

/** A replayed run's time, and where in the run the code stands that asks. */
export interface TimeHere {
  readonly time: RunTime;
  readonly position: Position | undefined;
}

/** Which run's time the code that runs now lives in. */
export class ActiveTimes {
  private readonly byPlayer = new Map<Player, RunTime>();
  private owner: RunTime | undefined;
  /** How much later than the recorded ones the spans of a replay stand that is sent on, milliseconds. */
  spansLaterMs = 0;

  /** How many replays have their time here. */
  get size(): number {
    return this.byPlayer.size;
  }

  /** Adds a replay; `ownsProcess`: code without a position belongs to it as well. Returns how to remove it. */
  add(player: Player, time: RunTime, ownsProcess: boolean): () => void {
    this.byPlayer.set(player, time);
    if (ownsProcess) this.owner = time;
    return () => {
      this.byPlayer.delete(player);
      if (this.owner === time) this.owner = undefined;
    };
  }

  /** The run that what is done now belongs to, our own work included; undefined where it is part of none. */
  ofContext(): RunTime | undefined {
    const position = positionOf(contexts.active());
    return position === undefined ? this.owner : this.byPlayer.get(position.player);
  }

  /** Undefined where the code that runs now is no part of a replay: time is real there. Never throws. */
  here(): TimeHere | undefined {
    if (isOwnWork()) return undefined;
    const active = contexts.active();
    const position = positionOf(active);
    const time = position === undefined ? this.owner : this.byPlayer.get(position.player);
    // Exporters suppress tracing around what they do; their timers are none of the agent's.
    if (time === undefined || isTelemetryContext(active)) return undefined;
    // As it was recorded: a recording of before holds what spans of the app drew.
    if (time.leavesOutSpans && isSpanWork()) return undefined;
    return { time, position };
  }
}
