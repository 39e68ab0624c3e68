import { TENANT_SHARE_OF_FREE } from '../limits.ts';

/**
 * Room that tenants share: each may hold at most a multiple of what is free. So one that takes without end leaves room for
 * others, many of them end up with equal shares, and one that is alone gets most of it.
 */
export class SharedRoom {
  readonly max: number;
  private readonly isShared: boolean;
  private readonly byTenant = new Map<string, number>();
  private total = 0;

  /** `isShared`: whether there is more than one tenant. */
  constructor(max: number, isShared: boolean) {
    this.max = max;
    this.isShared = isShared;
  }

  /** How much is held now, of all tenants together. */
  get held(): number {
    return this.total;
  }

  /** Whether a tenant would hold more than its share with `more`. One that holds nothing but `own` has a share of its own: it needs room, and no more. */
  isBeyondShare(tenant: string, more: number, own = 0): boolean {
    const ofTenant = this.byTenant.get(tenant) ?? 0;
    return this.isShared && ofTenant !== own && ofTenant + more > TENANT_SHARE_OF_FREE * (this.max - this.total);
  }

  /** Takes for a tenant, or gives back what is below 0. Whether there is room has been asked. */
  change(tenant: string, amount: number): void {
    if (amount === 0) return;
    this.total += amount;
    const ofTenant = (this.byTenant.get(tenant) ?? 0) + amount;
    if (ofTenant === 0) this.byTenant.delete(tenant);
    else this.byTenant.set(tenant, ofTenant);
  }
}
