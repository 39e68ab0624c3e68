import nodeCrypto from 'node:crypto';
import { gate } from '../admission/current-gate.ts';
import { asOwnWork, isOwnWork } from '../host/own-work.ts';
import { disguised, PatchSet } from '../patching/patch-set.ts';
import { drawRecording } from '../run/draw-recording.ts';
import { lateTapes } from '../run/late-draws.ts';
import { ProcessTape } from '../run/process-tape.ts';
import { recordSignals } from '../signals/record-signals.ts';
import { bytesWithin } from './bytes-within.ts';
import { cryptoOwners } from './crypto-owners.ts';
import { isDriverId, isTracerId } from './driver-ids.ts';
import { isKeptAlready } from './kept-bytes.ts';
import { recordBytes, recordContext, recordNow, recordTime, recordValue } from './record-draw.ts';
import { watchAnswers } from './watch-answers.ts';
import { watchChildren } from './watch-children.ts';
import { type ContextClock, watchContexts } from './watch-contexts.ts';
import { watchImmediates } from './watch-immediates.ts';
import { watchKeys } from './watch-keys.ts';
import { watchReadings } from './watch-readings.ts';
import { leaveOutSpans } from './watch-spans.ts';
import { watchTicks } from './watch-ticks.ts';
import { watchTimers } from './watch-timers.ts';
import { watchWork } from './watch-work.ts';

/** How draws are recorded. */
export interface DrawRecordingOptions {
  /** Read for REENACT_RECORD_DRAWS (0: off) and REENACT_RECORD_RANDOM_BYTES (1: bytes too). Default: `process.env`. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Keep what code draws that nothing encloses, for the run that the register hook may open around the process. */
  readonly process?: boolean | undefined;
}

type Callback = (error: Error | null, bytes: unknown) => void;

/** Calls the original; what it draws in turn is its own affair. */
function drawn<Value>(proceed: () => unknown): Value {
  return asOwnWork(proceed) as Value;
}

function watchClock(patches: PatchSet): void {
  const real = globalThis.Date;
  patches.replace<() => number>(real, 'now', (now) => {
    const watched = (): number => {
      const timeMs = now();
      recordNow(watched, timeMs);
      return timeMs;
    };
    return disguised(watched, now);
  });
  patches.replace<DateConstructor>(globalThis, 'Date', (original) => {
    const watched = new Proxy(original, {
      construct(target, parameters, made) {
        const date = Reflect.construct(target, parameters, made) as Date;
        if (parameters.length === 0) recordTime('Date', real.prototype.getTime.call(date));
        return date;
      },
      apply(target) {
        const date = new target();
        recordTime('Date', date.getTime());
        return date.toString();
      },
    });
    return watched;
  });
  // `date.constructor === Date` stays true.
  patches.replace(real.prototype, 'constructor', () => globalThis.Date);
}

function watchNumbers(patches: PatchSet): void {
  patches.replace<() => number>(Math, 'random', (random) => {
    const watched = (): number => {
      const value = random();
      recordValue('Math.random', value);
      return value;
    };
    return disguised(watched, random);
  });
  patches.wrap(nodeCrypto, 'randomInt', ({ parameters, proceed }) => {
    const callback = parameters.at(-1);
    if (typeof callback !== 'function') {
      const value = drawn<number>(proceed);
      recordValue('crypto.randomInt', value);
      return value;
    }
    return proceed([
      ...parameters.slice(0, -1),
      (error: Error | null, value: number) => {
        if (error === null || error === undefined) recordValue('crypto.randomInt', value);
        callback(error, value);
      },
    ]);
  });
}

function watchIds(patches: PatchSet): void {
  for (const owner of cryptoOwners()) {
    patches.wrap(owner, 'randomUUID', ({ proceed }) => {
      const value = drawn<string>(proceed);
      recordValue('crypto.randomUUID', value);
      return value;
    });
  }
}

function watchBytes(patches: PatchSet): void {
  for (const owner of cryptoOwners()) {
    patches.wrap(owner, 'getRandomValues', ({ parameters, proceed }) => {
      const filled = drawn<unknown>(proceed);
      keepBytes(bytesWithin(parameters[0]));
      return filled;
    });
  }
  patches.wrap(nodeCrypto, 'randomFillSync', ({ parameters, proceed }) => {
    const filled = drawn<unknown>(proceed);
    keepBytes(bytesWithin(...(parameters as [unknown])));
    return filled;
  });
  for (const name of ['randomBytes', 'randomFill']) {
    patches.wrap(nodeCrypto, name, ({ parameters, proceed }) => {
      const callback = parameters.at(-1);
      if (typeof callback !== 'function') {
        const filled = drawn<unknown>(proceed);
        keepBytes(bytesWithin(filled));
        return filled;
      }
      if (isKeptAlready(callback)) return proceed();
      const [, offset, size] = parameters.slice(0, -1);
      return proceed([...parameters.slice(0, -1), keepingLater(callback as Callback, offset, size)]);
    });
  }
}

function keepBytes(bytes: Uint8Array | undefined): void {
  if (bytes === undefined || isOwnWork() || isTracerId(keepBytes, bytes.byteLength)) return;
  recordBytes(() => isDriverId(keepBytes, bytes.byteLength))(bytes);
}

function keepingLater(callback: Callback, offset: unknown, size: unknown): Callback {
  const keep = recordBytes();
  return function (this: unknown, error, filled) {
    const bytes = bytesWithin(filled, offset, size);
    if (bytes !== undefined) keep(bytes);
    Reflect.apply(callback, this, [error, filled]);
  };
}

const contextClock: ContextClock = {
  time(name, proceed) {
    const timeMs = proceed();
    recordTime(name, timeMs);
    return timeMs;
  },
  random(proceed) {
    const value = proceed();
    recordValue('Math.random', value);
    return value;
  },
  unwatched: recordContext,
};

/** Whether this process is a replay whose virtual time is in place: a layer above it would take its draws for work of our own. */
function isReplayed(): boolean {
  return drawRecording.installations === 0 && gate.dedicatedPlayer !== undefined;
}

let patches: PatchSet | undefined;
let stopSpans: (() => void) | undefined;
let stopSignals: (() => void) | undefined;
let stopContexts: (() => void) | undefined;
let stopChildren: (() => void) | undefined;

/**
 * Records, from now on, what runs of this process draw from clock and random sources (DESIGN section 6, "random"), and which signals reach its
 * listeners (docs/adr/0043), so that a replay serves it again. Values are never changed, and outside runs everything is called straight through. The register
 * hook calls it; an app that sets up OpenTelemetry itself calls it before its own code is loaded. In a process that is a replay it
 * does nothing: the replay serves what is drawn there. Returns how to undo it: the exact descriptors are restored.
 */
export function installDrawRecording(options: DrawRecordingOptions = {}): () => void {
  const { environment = process.env } = options;
  if (environment.REENACT_RECORD_DRAWS === '0' || isReplayed()) return () => undefined;
  drawRecording.keepsBytes = environment.REENACT_RECORD_RANDOM_BYTES === '1';
  if (options.process === true) drawRecording.processTape ??= new ProcessTape();
  drawRecording.installations += 1;
  if (drawRecording.installations === 1) {
    patches = new PatchSet();
    stopSpans = leaveOutSpans();
    // Below what keeps random bytes, which looks at who calls it.
    watchWork(patches);
    watchAnswers(patches);
    watchClock(patches);
    watchTicks(patches);
    watchNumbers(patches);
    watchIds(patches);
    watchBytes(patches);
    watchKeys(patches);
    watchReadings(patches);
    stopChildren = watchChildren(patches);
    stopContexts = watchContexts(patches, contextClock);
    watchTimers(patches);
    watchImmediates(patches);
    stopSignals = recordSignals(patches);
    patches.publish();
  }
  let isInstalled = true;
  return () => {
    if (!isInstalled) return;
    isInstalled = false;
    drawRecording.installations -= 1;
    if (drawRecording.installations > 0) return;
    drawRecording.processTape = undefined;
    lateTapes.reset();
    stopSpans?.();
    stopSignals?.();
    stopContexts?.();
    stopChildren?.();
    stopContexts = undefined;
    patches?.restore();
    patches = undefined;
  };
}
