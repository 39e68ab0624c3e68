import type { CollectorConfig } from '@reenact/collector/config';
import { FILE_THREADS, FOLDER_THREADS } from '../limits.ts';

/** What says how many threads Node.js reads files by. It is looked at once, when the first of them is needed. */
const POOL_VARIABLE = 'UV_THREADPOOL_SIZE';

/**
 * Lets a process read files by more threads, so that folders of content whose reads hang leave it the usual ones. For before it has read any but at
 * once; what the variable says already stays.
 */
export function widenPool(environment: NodeJS.ProcessEnv, { allow }: CollectorConfig['references']): void {
  const folders = allow.filter((place) => place.startsWith('file:')).length;
  if (folders > 0) environment[POOL_VARIABLE] ??= String(FILE_THREADS + FOLDER_THREADS * folders);
}
