import * as files from 'node:fs';
import { join } from 'node:path';
import { ReenactError } from '@reenact/trace-model';

// Taken out of the module record, which the guard of a replay rewrites.
const { closeSync, openSync } = { ...files };

/**
 * Gives each recorded run of a child process to one process of a replay, by an empty file in the replay's directory: the first
 * gets true. Throws ReenactError `driver-failed` where the directory is gone.
 */
export function claimIn(directory: string): (spanId: string) => boolean {
  return (spanId) => {
    try {
      closeSync(openSync(join(directory, `met-${spanId}`), 'wx', 0o600));
      return true;
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false;
      throw new ReenactError('driver-failed', 'The replay this process was started for is over or out of reach.', {
        where: directory,
        next: 'Start the replay again, and keep its command running until its child processes have ended.',
        cause: thrown,
      });
    }
  };
}
