import { getHeapStatistics } from 'node:v8';

const OLD_SPACE_FLAG = /--max[-_]old[-_]space[-_]size[= ](\d+)/g;
const MIB = 1024 * 1024;

/**
 * About how many bytes of this process's heap may be taken for long. The platform counts room for what is young as well, which where somebody named a small
 * size is twice that again: then the size that was named, of which the last counts, on the command line before NODE_OPTIONS.
 */
export function heapBytesMax(parameters: readonly string[], nodeOptions: string | undefined): number {
  const flags = `${nodeOptions ?? ''} ${parameters.join(' ')}`;
  const named = Array.from(flags.matchAll(OLD_SPACE_FLAG), ([, size]) => Number(size) * MIB).at(-1);
  return Math.min(getHeapStatistics().heap_size_limit, named || Number.POSITIVE_INFINITY);
}
