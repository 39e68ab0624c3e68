import type { Store } from '@reenact/collector';

/** What each part of the suite works with. */
export interface StoreUnderTest {
  store: Store;
  /** Closes the store and opens it again in the same place. */
  reopen(): Promise<void>;
}
