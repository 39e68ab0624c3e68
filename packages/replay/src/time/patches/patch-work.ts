import { AsyncResource } from 'node:async_hooks';
import { type OutsideWork, type PatchSet, patchOutsideWork, pristine } from '@reenact/instrumentation';
import { REAL_WORK_MS_MAX } from '../../limits.ts';
import type { ActiveTimes } from '../active-times.ts';
import type { RecordedEvent } from '../recorded/recorded-events.ts';
import type { ArmedTimer } from '../recorded/timer-place.ts';
import type { RunTime } from '../run-time.ts';

/** Work that begins when its turn has come to end, so that it ends where it was recorded to. */
class HeldWork implements OutsideWork {
  private readonly time: RunTime;
  private readonly recorded: RecordedEvent;
  private start: (() => void) | undefined;
  private armed: ArmedTimer | undefined;
  private told: (() => void) | undefined;

  constructor(time: RunTime, recorded: RecordedEvent) {
    this.time = time;
    this.recorded = recorded;
  }

  get ordinal(): number {
    return this.recorded.ordinal;
  }

  begin(start: () => void): void {
    const resource = new AsyncResource('Work');
    this.start = () => resource.runInAsyncScope(start);
    this.armed = this.time.arm({
      delayMs: 0,
      isHolding: true,
      isWork: true,
      recorded: this.recorded,
      fire: (began) => this.fire(began),
      dropped: () => this.startNow(),
    });
  }

  /** What waits for something that is not to come before it is not waited for for ever. */
  private fire(began: () => void): () => void {
    const patience = pristine.setTimeout(() => {
      this.time.gaveUpWork();
      began();
    }, REAL_WORK_MS_MAX);
    this.told = () => {
      pristine.clearTimeout(patience);
      began();
    };
    this.startNow();
    return () => undefined;
  }

  private startNow(): void {
    const { start } = this;
    this.start = undefined;
    try {
      start?.();
    } catch (thrown) {
      // By a callback that was called at once: nobody around here may catch it, or be stopped by it.
      pristine.nextTick(() => {
        throw thrown;
      });
    }
  }

  ended(): void {
    this.told?.();
  }

  left(): void {
    this.startNow();
    this.told?.();
    this.armed?.cancel();
  }
}

/** Makes work outside JavaScript end, inside replays, where it was recorded to in the order of events (docs/adr/0047). */
export function patchWork(patches: PatchSet, times: ActiveTimes): void {
  patchOutsideWork(patches, (name) => {
    const here = times.here();
    const recorded = here?.time.recordedWork(here.position, name);
    return here === undefined || recorded === undefined ? undefined : new HeldWork(here.time, recorded);
  });
}
