import type { Release } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import { comesFromSocket } from './comes-from-socket.ts';
import type { Handing } from './handing.ts';
import { inTurn } from './in-turn.ts';
import { isSynchronous } from './is-synchronous.ts';
import type { ScheduleEntry } from './schedule-entry.ts';

const never = new Promise<void>(() => undefined);
const done = Promise.resolve();

/** The ways in which a schedule hands on what was recorded. */
export interface ReleaseWays {
  readonly timeline: RecordedTimeline;
  /** Whether the recorded order alone says when it comes: neither its pace nor anything live does. */
  isOrderAlone(): boolean;
  /** What is given to the agent next. */
  firstWaiting(): ScheduleEntry | undefined;
  /** A part was given to the agent without having waited. */
  gave(timeUs: number): void;
  /** An outcome was given to the agent without having waited. */
  settled(recorded: Crossing): void;
  wait(timeUs: number, handing: Handing): Promise<void>;
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
  const settleNow = (): void => {
    ways.settled(recorded);
    tell();
  };
  // A synchronous call has its outcome before it returns: there is nothing to order.
  if (isSynchronous(recorded.call)) {
    const settle = (): Promise<void> => {
      settleNow();
      return done;
    };
    return { at: settle, settle };
  }
  const isFromSocket = comesFromSocket(recorded);
  const give = (timeUs: number, microtasks: number | undefined, now: () => void, isWithPrevious: boolean) => {
    const part = { recorded, timeUs, microtasks };
    const given = ways.isOrderAlone() ? inTurn(part, ways.firstWaiting(), now) : undefined;
    return given ?? ways.wait(timeUs, { recorded, tell, isFromSocket, isWithPrevious });
  };
  return {
    at: (offsetUs, microtasks) => {
      const timeUs = Math.min(startUs + offsetUs, settledUs);
      const now = (): void => {
        ways.gave(timeUs);
        tell();
      };
      return give(timeUs, microtasks, now, false);
    },
    settle: () => {
      if (!Number.isFinite(settledUs)) return never;
      return give(settledUs, recorded.settledMicrotasks, settleNow, recorded.isSettledWithPrevious === true);
    },
  };
}
