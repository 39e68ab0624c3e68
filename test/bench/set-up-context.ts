import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

/** What a program that uses `replay()` has: a context manager. */
export function setUpContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}
