import { POOL_SAID_MAX, POOL_SCRIPTS_MAX } from '../limits.ts';

/** What has come; `withdraw`: it was for somebody else than who had asked, and keeps no place there. */
export interface Heard {
  withdraw(): void;
}

/** Heard by who has no place. */
export const unplaced: Heard = { withdraw: () => undefined };

/** A script of which threads were given ports. */
interface LentScript {
  /** The first of its threads that was given one; another one makes it a pool of several. */
  readonly first: WeakRef<object>;
  hasSeveral: boolean;
  hasAnsweredResource: boolean;
}

/**
 * What the threads of pools say of themselves: that they are ready, that they end. Which threads a pool starts and ends goes by which was free first, so that in a replay other
 * ones do. Its threads are those that were given a port over which a resource was answered, and others of the same script that were given one. What a single thread says has an order of
 * its own, and keeps it.
 */
export class PoolThreads {
  private readonly threadOfPort = new WeakMap<object, object>();
  private readonly scriptOf = new WeakMap<object, string>();
  private readonly scripts = new Map<string, LentScript>();
  private readonly said = new Map<string, Heard[]>();

  lent(port: object, thread: object, script: string): void {
    this.threadOfPort.set(port, thread);
    this.scriptOf.set(thread, script);
    const known = this.scripts.get(script);
    if (known === undefined) {
      if (this.scripts.size >= POOL_SCRIPTS_MAX) return;
      this.scripts.set(script, { first: new WeakRef(thread), hasSeveral: false, hasAnsweredResource: false });
    } else if (known.first.deref() !== thread) {
      known.hasSeveral = true;
      this.withdrawSaid(script);
    }
  }

  /** Whether a channel is such a thread. */
  includes(channel: object): boolean {
    return this.isPool(this.scriptOf.get(channel));
  }

  /** Something was heard over a channel, which may turn out to be such a thread. */
  heard(channel: object, heard: Heard): void {
    const script = this.scriptOf.get(channel);
    if (script === undefined || heard === unplaced) return;
    const said = this.said.get(script) ?? [];
    this.said.delete(script);
    this.said.set(script, [...said, heard].slice(-POOL_SAID_MAX));
    const [oldest] = this.said.keys();
    if (this.said.size > POOL_SCRIPTS_MAX && oldest !== undefined) this.said.delete(oldest);
  }

  /** What came over this port was for a resource. */
  answered(port: object | undefined): void {
    const thread = port === undefined ? undefined : this.threadOfPort.get(port);
    const script = thread === undefined ? undefined : this.scriptOf.get(thread);
    const known = script === undefined ? undefined : this.scripts.get(script);
    if (script === undefined || known === undefined || known.hasAnsweredResource) return;
    known.hasAnsweredResource = true;
    this.withdrawSaid(script);
  }

  private isPool(script: string | undefined): boolean {
    const known = script === undefined ? undefined : this.scripts.get(script);
    return known?.hasSeveral === true && known.hasAnsweredResource;
  }

  private withdrawSaid(script: string): void {
    if (!this.isPool(script)) return;
    for (const heard of this.said.get(script) ?? []) heard.withdraw();
    this.said.delete(script);
  }
}
