import type { Log, LogFacts } from './logging/log.ts';
import { type TellingTimes, tellWhileLong } from './logging/tell-while-long.ts';

/** Something that is open until it is closed. */
export interface OpenPart {
  /** What a stop waits for while this is closed. */
  readonly waitsFor: string;
  readonly close: () => Promise<void>;
  /** What of it is open now; the name may be a closer one. */
  readonly tell?: () => LogFacts;
}

/** What has been opened. It is closed in the reverse order, and where that takes long the log says for what it waits. */
export class OpenParts {
  private readonly log: Log;
  private readonly times: TellingTimes;
  private readonly parts: OpenPart[] = [];

  constructor(log: Log, times: TellingTimes = {}) {
    this.log = log;
    this.times = times;
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
    const describe = () => ({ waitsFor: closing?.waitsFor ?? '', ...closing?.tell?.() });
    const stopTelling = tellWhileLong(this.log, describe, this.times);
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
}
