import { createHash, timingSafeEqual } from 'node:crypto';
import type { Participant } from '@reenact/collector-client/replay-service';

/** A service that takes part, as the collector reaches it. */
export interface JoinListener {
  flush(number: number, timeoutMs: number): void;
  /** The replay is over. */
  over(): void;
}

interface Member {
  readonly service: string;
  /** Undefined once its connection is gone. */
  listener: JoinListener | undefined;
  /** The latest flush it has answered. */
  answered: number;
}

function digestOf(proof: string): Buffer {
  return createHash('sha256').update(proof, 'utf8').digest();
}

/** One replay between its driver and its services. */
export class HeldReplay {
  readonly order: string;
  readonly recording: readonly Uint8Array[];
  readonly recordingBytes: number;
  private readonly proofDigest: Buffer;
  private readonly members = new Map<string, Member>();
  private readonly reports: Uint8Array[] = [];
  private readonly waiting = new Set<() => void>();
  private flushes = 0;

  constructor(proof: string, order: string, recording: readonly Uint8Array[]) {
    this.proofDigest = digestOf(proof);
    this.order = order;
    this.recording = recording;
    this.recordingBytes = recording.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** How many processes take part, those included that have gone. */
  get memberCount(): number {
    return this.members.size;
  }

  /** Everything reported, in the order in which it came. */
  get lines(): readonly Uint8Array[] {
    return this.reports;
  }

  /** Whether this proves that somebody has the key of this replay; in constant time. */
  isProvenBy(proof: string): boolean {
    return timingSafeEqual(digestOf(proof), this.proofDigest);
  }

  /** Whether a process takes part already. */
  has(processId: string): boolean {
    return this.members.has(processId);
  }

  /** Lets a process take part, again where it had lost its connection. Returns how it leaves. */
  join(processId: string, service: string, listener: JoinListener): () => void {
    const member = this.members.get(processId) ?? { service, listener, answered: 0 };
    member.listener = listener;
    this.members.set(processId, member);
    return () => {
      if (member.listener === listener) member.listener = undefined;
      this.wake();
    };
  }

  /** Keeps what a process reports. `flush`: the one it answers; 0: none. */
  report(processId: string, lines: Uint8Array, flush: number): void {
    if (lines.byteLength > 0) this.reports.push(lines);
    const member = this.members.get(processId);
    if (member !== undefined) member.answered = Math.max(member.answered, flush);
    this.wake();
  }

  /** Asks every service to report, and waits until all that can have, or the time is up. */
  async gather(timeoutMs: number): Promise<Participant[]> {
    this.flushes += 1;
    const flush = this.flushes;
    const asked = Array.from(this.members, ([processId, member]) => ({ processId, member }));
    for (const { member } of asked) member.listener?.flush(flush, timeoutMs);
    const isDone = (): boolean =>
      asked.every(({ member }) => member.listener === undefined || member.answered >= flush);
    await this.until(isDone, timeoutMs);
    return asked.map(({ processId, member }) => ({
      processId,
      service: member.service,
      hasAnswered: member.answered >= flush,
    }));
  }

  /** Tells every service that it is over, and lets go of whoever waits. */
  end(): void {
    for (const member of this.members.values()) {
      const { listener } = member;
      member.listener = undefined;
      listener?.over();
    }
    this.wake();
  }

  private wake(): void {
    for (const look of [...this.waiting]) look();
  }

  private until(isDone: () => boolean, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isDone()) finish();
      };
      const timer = setTimeout(finish, timeoutMs);
      this.waiting.add(look);
      look();
    });
  }
}
