/** Lets one after the other work, in turn by tenant: one that asks often waits behind its own, and others behind one of them. */
export class TenantTurns {
  /** Who waits; the tenant whose turn is next first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private isTaken = false;

  /** Resolves when it is the turn of one of a tenant, which ends with `leave`. */
  enter(tenant: string): Promise<void> {
    if (!this.isTaken) {
      this.isTaken = true;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const others = this.waiting.get(tenant);
      if (others === undefined) this.waiting.set(tenant, [resolve]);
      else others.push(resolve);
    });
  }

  leave(): void {
    const [tenant, begins = []] = this.waiting.entries().next().value ?? [];
    const begin = begins.shift();
    this.isTaken = begin !== undefined;
    if (tenant === undefined || begin === undefined) return;
    this.waiting.delete(tenant);
    if (begins.length > 0) this.waiting.set(tenant, begins);
    begin();
  }
}
