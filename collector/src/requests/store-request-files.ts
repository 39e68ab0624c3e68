import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ReenactError } from '@reenact/trace-model';
import type { StoreOutcome } from './store-request.ts';

/** What a file of an answer says. */
export interface SentOutcome {
  readonly outcome?: StoreOutcome;
  readonly error?: Pick<ReenactError, 'code' | 'message' | 'where' | 'next' | 'retryable'>;
}

/** Ends the name of what is asked for. */
export const REQUEST_SUFFIX = '.request.json';
/** Ends the name of what came of it. */
export const ANSWER_SUFFIX = '.answer.json';
/** Behind the name of a request that is still being written. */
export const PART_SUFFIX = '.part';

/** Beside the folder of requests: what keeps the collector from reading that. */
export const TROUBLE_FILE = 'requests-not-read.json';

/** Where requests are left, and answered. */
export function requestDirectoryOf(dataDirectory: string): string {
  return join(dataDirectory, 'requests');
}

/** What was answered in a file; undefined where there is none, or still the request. */
export function readAnswer(path: string): SentOutcome | undefined {
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as SentOutcome;
    return content.outcome === undefined && content.error === undefined ? undefined : content;
  } catch {
    // One that is just being written is whole at the next look.
    return undefined;
  }
}

/** Removes a file that nobody needs any more, where the disk lets it. */
export function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A disk that fails is told by what was asked for, and not by what is left.
  }
}
