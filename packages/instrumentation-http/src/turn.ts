import { pristine } from '@reenact/instrumentation';

/** One turn of the event loop, which no replay makes virtual. */
export function turn(): Promise<void> {
  return new Promise((resolve) => pristine.setImmediate(resolve));
}
