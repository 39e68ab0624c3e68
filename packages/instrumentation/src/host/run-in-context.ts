import { type Context, context as contexts } from '@opentelemetry/api';
import { reportFailure } from './report-failure.ts';

/**
 * Runs `call` with `context` active. Where the host's context manager itself fails, `call` runs without it: exactly once
 * either way, and only what `call` throws is thrown.
 */
export function runInContext<Result>(context: Context, call: () => Result): Result {
  let wasCalled = false;
  const once = () => {
    wasCalled = true;
    return call();
  };
  try {
    return contexts.with(context, once);
  } catch (thrown) {
    if (wasCalled) throw thrown;
    reportFailure('activating a context', thrown);
    return call();
  }
}
