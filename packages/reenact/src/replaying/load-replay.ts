import { createRequire } from 'node:module';
import type * as replayPackage from '@reenact/replay';

const require = createRequire(import.meta.url);

/**
 * The package that replays, loaded when it is first asked for: a process that only records must not pay for it at its start. By
 * `require`, which is done when it returns, because the hook has to be in place before the first line of the program.
 */
export function loadReplay(): typeof replayPackage {
  return require('@reenact/replay');
}
