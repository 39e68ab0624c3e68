import type { Log, LogFacts } from './log.ts';

/** How long a stop may take before the log says what it waits for, and how often after that. */
const QUIET_MS = 2_000;
const TELL_EVERY_MS = 10_000;

/** Something that is open until it is closed. */
export interface OpenPart {
  /** What a stop waits for while this is closed. */
  readonly waitsFor: string;
  readonly close: () => Promise<void>;
  /** What of it is open now; the name may be a closer one. */
  readonly tell?: () => LogFacts;
}

/** How long a stop is silent. */
export interface TellingTimes {
  readonly quietMs?: number;
  readonly tellEveryMs?: number;
}

/** What has been opened. It is closed in the reverse order, and where that takes long the log says for what it waits. */
export class OpenParts {
  private readonly log: Log;
  private readonly times: Required<TellingTimes>;
  private readonly parts: OpenPart[] = [];

  constructor(log: Log, { quietMs = QUIET_MS, tellEveryMs = TELL_EVERY_MS }: TellingTimes = {}) {
    this.log = log;
    this.times = { quietMs, tellEveryMs };
  }

  add(part: OpenPart): void {
    this.parts.push(part);
  }

  /** What cannot be closed keeps nothing else open; the first failure is thrown once everything was tried. */
  async close(): Promise<void> {
    if (this.parts.length === 0) return;
    this.log.info('stopping');
    const failures: unknown[] = [];
    let closing: OpenPart | undefined;
    const stopTelling = this.tellWhileLong(() => closing);
    for (closing = this.parts.pop(); closing !== undefined; closing = this.parts.pop()) {
      try {
        await closing.close();
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    stopTelling();
    if (failures.length > 0) throw failures[0];
  }

  /** Gives what ends it. */
  private tellWhileLong(closing: () => OpenPart | undefined): () => void {
    const startedAt = performance.now();
    const { quietMs, tellEveryMs } = this.times;
    const tell = (): void => {
      const { waitsFor = '', tell: open } = closing() ?? {};
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const next = 'What was acknowledged is on the disk: a process that is ended now loses none of it.';
      this.log.warn('stop takes long', { seconds, waitsFor, ...open?.(), next });
      timer = setTimeout(tell, tellEveryMs).unref();
    };
    let timer = setTimeout(tell, quietMs).unref();
    return () => clearTimeout(timer);
  }
}
