import { AsyncResource } from 'node:async_hooks';
import {
  asReservedWork,
  type OutsideWork,
  type PatchSet,
  patchOutsideWork,
  pristine,
  reserveWork,
  type TimerRecord,
} from '@reenact/instrumentation';
import { REAL_WORK_MS_MAX } from '../../limits.ts';
import type { ActiveTimes, TimeHere } from '../active-times.ts';
import type { RecordedEvent } from '../recorded/recorded-events.ts';
import type { ArmedTimer } from '../recorded/timer-place.ts';
import type { RunTime } from '../run-time.ts';

/** Work that begins when its turn has come to end, so that it ends where it was recorded to. */
class HeldWork implements OutsideWork {
  private readonly time: RunTime;
  private readonly recorded: RecordedEvent;
  /** What the recording of a replay that is sent on keeps of it, from where it was asked for. */
  private readonly kept: TimerRecord | undefined;
  private start: (() => void) | undefined;
  private armed: ArmedTimer | undefined;
  private told: (() => void) | undefined;

  constructor(time: RunTime, recorded: RecordedEvent, kept: TimerRecord | undefined) {
    this.time = time;
    this.recorded = recorded;
    this.kept = kept;
  }

  get ordinal(): number {
    return this.recorded.ordinal;
  }

  begin(start: () => void): void {
    const resource = new AsyncResource('Work');
    this.start = () => resource.runInAsyncScope(() => asReservedWork(this.kept, start));
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

/** What further parts of a compressor's work are kept as: they are told apart by the place of its first, which is another in each recording. */
class KeptNames {
  private readonly byTime = new WeakMap<RunTime, Map<string, string>>();

  of({ time, position }: TimeHere, name: string): string {
    return this.byTime.get(time)?.get(`${position?.cursor} ${name}`) ?? name;
  }

  keep({ time, position }: TimeHere, name: string, recorded: RecordedEvent, kept: TimerRecord): void {
    if (!/^zlib\.\w+$/.test(name)) return;
    const names = this.byTime.get(time) ?? new Map<string, string>();
    this.byTime.set(time, names);
    names.set(`${position?.cursor} ${name} ${recorded.ordinal}`, `${name} ${kept.ordinal}`);
  }
}

/** Makes work outside JavaScript end, inside replays, where it was recorded to in the order of events (docs/adr/0047). */
export function patchWork(patches: PatchSet, times: ActiveTimes): void {
  const names = new KeptNames();
  patchOutsideWork(patches, (name) => {
    const here = times.here();
    const recorded = here?.time.recordedWork(here.position, name);
    if (here === undefined || recorded === undefined) return undefined;
    const kept = reserveWork(names.of(here, name));
    if (kept !== undefined) names.keep(here, name, recorded, kept);
    return new HeldWork(here.time, recorded, kept);
  });
}
