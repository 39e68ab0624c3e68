import type { StaleTrace } from '../../store/store.ts';

/** A trace on its way to a summary. */
export interface QueuedTrace extends StaleTrace {
  /** Grows in the order in which traces were queued. */
  readonly ticket: number;
}

/**
 * Traces that wait for a summary. Each keeps its place while more spans of it arrive, so that a run that goes on and on has its
 * turn like every other, and tenants take turns, so that a burst of one holds up nobody else.
 */
export class SummaryQueue {
  private readonly waiting = new Map<string, Map<string, QueuedTrace>>();
  private readonly inWork = new Set<QueuedTrace>();
  private readonly promoted: QueuedTrace[] = [];
  /** Trace ids that go first when their tenant has its turn, those that were named first in front. */
  private readonly preferred = new Map<string, Set<string>>();
  private ticket = 0;
  private count = 0;

  /** The newest ticket given out. */
  get lastTicket(): number {
    return this.ticket;
  }

  /** How many traces wait. */
  get size(): number {
    return this.count;
  }

  /** Whether nothing waits; something may still be in work. */
  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Queues a trace, unless just this revision is in work. One that waits already stays where it is. */
  add(trace: StaleTrace): void {
    if (this.isInWork(trace)) return;
    const { tenant, traceId } = trace;
    const ofTenant = this.waiting.get(tenant) ?? new Map<string, QueuedTrace>();
    this.waiting.set(tenant, ofTenant);
    const known = ofTenant.get(traceId);
    if (known === undefined) {
      this.ticket += 1;
      this.count += 1;
    }
    ofTenant.set(traceId, { ...trace, ticket: known?.ticket ?? this.ticket });
  }

  /** Whether a trace waits for its turn. */
  isWaiting({ tenant, traceId }: StaleTrace): boolean {
    return this.waiting.get(tenant)?.has(traceId) === true;
  }

  /** Whether this revision of a trace, or a newer one, is in work. */
  isInWork({ tenant, traceId, revision }: StaleTrace): boolean {
    for (const other of this.inWork) {
      if (other.traceId === traceId && other.tenant === tenant && other.revision >= revision) return true;
    }
    return false;
  }

  /** Has a trace taken next, if it waits. */
  promote(tenant: string, traceId: string): void {
    const found = this.waiting.get(tenant)?.get(traceId);
    if (found !== undefined) this.promoted.push(found);
  }

  /** How many tenants take turns. */
  get tenants(): number {
    return this.waiting.size;
  }

  /** Has a trace taken before the others of its tenant, which has its turn as ever. */
  prefer({ tenant, traceId }: StaleTrace): void {
    const ofTenant = this.preferred.get(tenant) ?? new Set<string>();
    this.preferred.set(tenant, ofTenant.add(traceId));
  }

  /** The next trace, which is in work until `finish`. */
  take(): QueuedTrace | undefined {
    const next = this.nextPromoted() ?? this.nextInTurn();
    if (next !== undefined) this.inWork.add(next);
    return next;
  }

  finish(trace: QueuedTrace): void {
    this.inWork.delete(trace);
  }

  /** Whether every trace of a tenant that was queued up to a ticket is finished. */
  isThrough(tenant: string, ticket: number): boolean {
    // Places are kept in the order of tickets, so the first of them tells about all.
    for (const { ticket: first } of this.waiting.get(tenant)?.values() ?? []) {
      if (first <= ticket) return false;
      break;
    }
    return ![...this.inWork].some((trace) => trace.tenant === tenant && trace.ticket <= ticket);
  }

  /** Forgets everything. */
  clear(): void {
    this.waiting.clear();
    this.inWork.clear();
    this.promoted.length = 0;
    this.preferred.clear();
    this.count = 0;
  }

  private nextPromoted(): QueuedTrace | undefined {
    for (let promoted = this.promoted.pop(); promoted !== undefined; promoted = this.promoted.pop()) {
      const found = this.waiting.get(promoted.tenant)?.get(promoted.traceId);
      if (found !== undefined) return this.remove(found);
    }
    return undefined;
  }

  private nextInTurn(): QueuedTrace | undefined {
    for (const [tenant, ofTenant] of this.waiting) {
      for (const first of ofTenant.values()) {
        this.waiting.delete(tenant);
        this.waiting.set(tenant, ofTenant);
        return this.remove(this.nextPreferred(tenant, ofTenant) ?? first);
      }
    }
    return undefined;
  }

  private nextPreferred(tenant: string, ofTenant: ReadonlyMap<string, QueuedTrace>): QueuedTrace | undefined {
    const names = this.preferred.get(tenant);
    for (const name of names ?? []) {
      names?.delete(name);
      const found = ofTenant.get(name);
      if (found !== undefined) return found;
    }
    this.preferred.delete(tenant);
    return undefined;
  }

  private remove(trace: QueuedTrace): QueuedTrace {
    const ofTenant = this.waiting.get(trace.tenant);
    if (ofTenant?.delete(trace.traceId) === true) this.count -= 1;
    if (ofTenant?.size === 0) this.waiting.delete(trace.tenant);
    return trace;
  }
}
