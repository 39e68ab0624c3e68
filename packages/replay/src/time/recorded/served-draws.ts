import type {
  ClockFunction,
  DrawFunction,
  RandomFunction,
  ReadingFunction,
  RecordedDraws,
  RecordedTickOrigin,
  Recording,
  TickFunction,
} from '@reenact/trace-model';
import { continuedDraws } from './continued-draws.ts';
import { SeededRandom } from './seeded-random.ts';

interface Reel {
  /** Of the next draw: the index of its pair or value, and how often this time was read already. */
  index: number;
  repeats: number;
  /** Time of the latest clock read, milliseconds; of a clock that only runs forward, nanoseconds. */
  time: number;
}

type BytesFunction = 'crypto.randomBytes' | 'driver.id';
type ValueFunction = Exclude<RandomFunction, BytesFunction>;

/** What a machine says the same of itself whenever it is asked. */
const lasting: ReadonlySet<ReadingFunction> = new Set([
  'os.availableParallelism',
  'os.cpus',
  'os.hostname',
  'os.networkInterfaces',
  'os.totalmem',
  'process.constrainedMemory',
]);

/** Gives what was drawn when the run was recorded: per nearest crossing, function and order. */
export class ServedDraws {
  private readonly recording: Recording;
  private readonly reels = new Map<string, Reel>();
  private drawn: Set<string> | undefined;
  private readonly seeded = new Map<string, SeededRandom>();

  private readonly ofProcess: RecordedDraws | undefined;
  private readonly recordings: readonly Recording[];
  private readonly continued = new Map<string, RecordedDraws | undefined>();

  /**
   * `ofProcess`: what was drawn before the first run of the process, which is served where no crossing is. `beside`: recordings of the same
   * process that may carry what was drawn late in this one.
   */
  constructor(recording: Recording, ofProcess?: RecordedDraws, beside: readonly Recording[] = []) {
    this.recording = recording;
    this.ofProcess = ofProcess;
    this.recordings = [recording, ...recording.runsBeside, ...beside];
  }

  /** The next recorded clock read inside this crossing, milliseconds since 1970; undefined once there are no more. */
  time(spanId: string | undefined, name: ClockFunction): number | undefined {
    const times = this.drawsOf(spanId)?.[name];
    if (times === undefined) return undefined;
    const reel = this.reel(spanId, name);
    const [sinceMs, count] = [times[reel.index], times[reel.index + 1]];
    if (sinceMs === undefined || count === undefined) return undefined;
    if (reel.repeats === 0) reel.time += sinceMs;
    reel.repeats += 1;
    if (reel.repeats >= count) {
      reel.index += 2;
      reel.repeats = 0;
    }
    return reel.time;
  }

  /** The next recorded read of this clock inside this crossing, nanoseconds since its zero; undefined once there are no more. */
  tick(spanId: string | undefined, name: TickFunction): number | undefined {
    const ticks = this.drawsOf(spanId)?.[name];
    if (ticks === undefined) return undefined;
    const reel = this.reel(spanId, name);
    const sinceNano = ticks[reel.index];
    if (sinceNano === undefined) return undefined;
    reel.index += 1;
    reel.time += sinceNano;
    return reel.time;
  }

  /** Where those clocks had their zero in the process that this crossing was recorded in; undefined where it read none. */
  tickOrigin(spanId: string | undefined): RecordedTickOrigin | undefined {
    return this.drawsOf(spanId)?.ticks;
  }

  /** Milliseconds to take from a recorded clock read to get a time as the spans have it. */
  skewMs(spanId: string | undefined): number {
    return this.drawsOf(spanId)?.skewMs ?? 0;
  }

  /** The next recorded value inside this crossing; undefined once there are no more. */
  value(spanId: string | undefined, name: ValueFunction): number | string | undefined {
    const reel = this.reel(spanId, name);
    const value = this.drawsOf(spanId)?.[name]?.[reel.index];
    reel.index += 1;
    return value;
  }

  /** The next recorded bytes inside this crossing; undefined where there are none of this length. */
  bytes(spanId: string | undefined, count: number, name: BytesFunction = 'crypto.randomBytes'): Uint8Array | undefined {
    const reel = this.reel(spanId, name);
    const text = this.drawsOf(spanId)?.[name]?.[reel.index];
    reel.index += 1;
    const bytes = text === undefined ? undefined : Buffer.from(text, 'base64');
    return bytes?.byteLength === count ? bytes : undefined;
  }

  /** The next JSON of what this function said inside this crossing; once there is no more, and the machine says the same always, what it said first. */
  reading(spanId: string | undefined, name: ReadingFunction): string | undefined {
    const reel = this.reel(spanId, name);
    const text = this.drawsOf(spanId)?.[name]?.[reel.index];
    reel.index += 1;
    return text ?? (lasting.has(name) ? this.first(name) : undefined);
  }

  private first(name: ReadingFunction): string | undefined {
    const known = [undefined, ...this.recording.bySpanId.keys()];
    return known.map((spanId) => this.drawsOf(spanId)?.[name]?.[0]).find((text) => text !== undefined);
  }

  /** Whether values of this function were recorded anywhere. */
  hasAny(name: RandomFunction): boolean {
    this.drawn ??= new Set(
      [this.ofProcess, ...Array.from(this.recording.bySpanId.keys(), (spanId) => this.drawsOf(spanId))].flatMap(
        (draws) => Object.keys(draws ?? {}),
      ),
    );
    return this.drawn.has(name);
  }

  /** The source of what was not recorded: the same in every replay of this recording. */
  seededFor(spanId: string | undefined, name: RandomFunction): SeededRandom {
    const key = `${spanId ?? ''}:${name}`;
    let source = this.seeded.get(key);
    if (source === undefined) {
      source = new SeededRandom(`${this.recording.traceId}:${key}`);
      this.seeded.set(key, source);
    }
    return source;
  }

  private drawsOf(spanId: string | undefined): RecordedDraws | undefined {
    if (spanId === undefined) return this.ofProcess;
    if (this.continued.has(spanId)) return this.continued.get(spanId);
    const crossing = this.recording.bySpanId.get(spanId);
    const { recordings } = this;
    const continued = crossing && continuedDraws(spanId, { own: crossing.draws, lossy: crossing.lossy, recordings });
    this.continued.set(spanId, continued);
    return continued;
  }

  private reel(spanId: string | undefined, name: DrawFunction): Reel {
    const key = `${spanId ?? ''}:${name}`;
    let reel = this.reels.get(key);
    if (reel === undefined) {
      reel = { index: 0, repeats: 0, time: 0 };
      this.reels.set(key, reel);
    }
    return reel;
  }
}
