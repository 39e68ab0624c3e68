import { executionAsyncResource } from 'node:async_hooks';

/** Whether the platform hands a signal to its listeners now: a program that emits one itself does so in a replay, too, and so does what listens for one. */
export function isFromPlatform(): boolean {
  return executionAsyncResource()?.constructor?.name === 'Signal';
}
