import { processState } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';

interface WatchState {
  readonly listeners: Set<(address: never) => void>;
  /** Servers that are telling now: more than one patch may stand around one of them. */
  readonly telling: WeakSet<object>;
}

/**
 * Who is told where servers of this process listen. Shared by all instances of an instrumentation and all copies of its package: which of
 * them patched the servers says nothing of who wants to know, and a replay must always hear of it.
 */
export class ListeningWatch<Address> {
  private readonly state: WatchState;

  /** @param name of the state that the copies share, with the version of its shape: `http-listening.1`. */
  constructor(name: string) {
    this.state = processState(name, () => ({ listeners: new Set<(address: never) => void>(), telling: new WeakSet() }));
  }

  /** Tells `listener` from now on. Returns how to stop it. */
  add(listener: (address: Address) => void): () => void {
    this.state.listeners.add(listener);
    return () => void this.state.listeners.delete(listener);
  }

  /** Tells everybody where `server` listens, once however many patches call it around `handle`, and then calls that. Throws what `handle` throws. */
  tell<Result>(server: object, address: () => Address | undefined, handle: () => Result): Result {
    const { listeners, telling } = this.state;
    if (telling.has(server)) return handle();
    telling.add(server);
    try {
      const told = guarded('reading an address', address, undefined);
      for (const listener of told === undefined ? [] : listeners) {
        guarded(
          'telling where a server listens',
          () => (listener as (address: Address | undefined) => void)(told),
          undefined,
        );
      }
      return handle();
    } finally {
      telling.delete(server);
    }
  }
}
