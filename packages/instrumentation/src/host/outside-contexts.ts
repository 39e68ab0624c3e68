import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs `begin` in none of the host's contexts. To be used for what waits on after the call that began it: a timer, a listener or the reaction to a
 * promise holds the contexts that it was made in, and with them all that the host keeps there for a request, for as long as it waits.
 */
export const outsideContexts: <Result>(begin: () => Result) => Result = AsyncLocalStorage.snapshot();
