import { isReenactError } from '@reenact/trace-model/reenact-error';
import type { SentError } from '../../threads/thread-messages.ts';
import { toStoreError } from '../store-error.ts';

/** An error of the store as it travels between threads. */
export function sendError(thrown: unknown, where: string): SentError {
  const {
    code,
    message,
    where: place,
    next,
    retryable,
  } = isReenactError(thrown) ? thrown : toStoreError(thrown, where);
  return { code, message, where: place, next, retryable };
}
