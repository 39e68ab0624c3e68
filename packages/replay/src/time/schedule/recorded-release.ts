import type { Release } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import { comesFromSocket } from './comes-from-socket.ts';
import type { Handing } from './handing.ts';
import { inTurn } from './in-turn.ts';
import { isSynchronous } from './is-synchronous.ts';
import type { ScheduleEntry } from './schedule-entry.ts';

const never = new Promise<undefined>(() => undefined);
const done = Promise.resolve(undefined);

/** The ways in which a schedule hands on what was recorded. */
export interface ReleaseWays {
  readonly timeline: RecordedTimeline;
  /** Whether the recorded order alone says when it comes: neither its pace nor anything live does. */
  isOrderAlone(): boolean;
  /** What is given to the agent next. */
  firstWaiting(): ScheduleEntry | undefined;
  /** Something was given to the agent without having waited. */
  gave(timeUs: number): void;
  /** All of a call has been given to the agent but its end, which is next. */
  givenButEnd(recorded: Crossing): void;
  /** A synchronous call has given the agent its outcome. */
  settled(recorded: Crossing): void;
  wait(timeUs: number, handing: Handing): Promise<undefined>;
}

/** The release of one served crossing; `onFirst` is told when the agent is given the first part of its outcome. */
export function recordedRelease(recorded: Crossing, ways: ReleaseWays, onFirst: () => void): Release {
  const settledUs = ways.timeline.settledUs(recorded);
  const startUs = ways.timeline.startUs(recorded);
  let isFirst = true;
  const tell = (): void => {
    if (isFirst) onFirst();
    isFirst = false;
  };
  // A synchronous call has its outcome before it returns: there is nothing to order.
  if (isSynchronous(recorded.call)) {
    const settle = (): Promise<undefined> => {
      ways.settled(recorded);
      tell();
      return done;
    };
    return { at: settle, settle };
  }
  // An outcome takes its number when the agent has it, a round of reactions from here: a timer that is set until then was set before it.
  const gave = (timeUs: number) => (): void => {
    ways.gave(timeUs);
    tell();
  };
  const isFromSocket = comesFromSocket(recorded);
  const give = (timeUs: number, microtasks: number | undefined, now: () => void, isWithPrevious: boolean) => {
    const part = { recorded, timeUs, microtasks };
    const given = ways.isOrderAlone() ? inTurn(part, ways.firstWaiting(), now) : undefined;
    return given ?? ways.wait(timeUs, { recorded, tell, isFromSocket, isWithPrevious });
  };
  let hasPart = false;
  return {
    at: (offsetUs, microtasks) => {
      hasPart = true;
      const timeUs = Math.min(startUs + offsetUs, settledUs);
      return give(timeUs, microtasks, gave(timeUs), false);
    },
    settle: () => {
      if (!Number.isFinite(settledUs)) return never;
      if (hasPart) ways.givenButEnd(recorded);
      return give(settledUs, recorded.settledMicrotasks, gave(settledUs), recorded.isSettledWithPrevious === true);
    },
  };
}
