import type { TlsMaterial } from './load-access.ts';
import type { Reloadable } from './reloadable.ts';

/** TLS material that changes while it is used. */
export type LiveTls = Pick<Reloadable<TlsMaterial>, 'current' | 'onReloaded'>;
