import { totalmem } from 'node:os';
import {
  BYTES_IN_FLIGHT_MAX,
  BYTES_IN_FLIGHT_MIN,
  MEMORY_BESIDE_REQUESTS_BYTES,
  MEMORY_PER_REQUEST_BYTE,
  MEMORY_PLENTY_BYTES,
  MEMORY_SHARE_MIN,
} from '../limits.ts';
import { controlGroupMemoryBytes } from './control-group.ts';

/** What this process may have: what its container may, else what the machine has. */
export function processMemoryBytes(): number {
  // Asked of the platform, only the process's own group counts, and not those above. Unlimited may be a number beyond any memory.
  const limit = controlGroupMemoryBytes() ?? process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Which part of the usual size rooms and caches have in a process that may have so many bytes: 1 where memory is plenty. */
export function memoryShareOf(memoryBytesMax: number): number {
  return Math.min(1, Math.max(MEMORY_SHARE_MIN, memoryBytesMax / MEMORY_PLENTY_BYTES));
}

/** Room for requests in work in a process that may have so many bytes. */
export function bytesInFlightFor(memoryBytesMax: number): number {
  const left = Math.floor((memoryBytesMax - MEMORY_BESIDE_REQUESTS_BYTES) / MEMORY_PER_REQUEST_BYTE);
  return Math.min(BYTES_IN_FLIGHT_MAX, Math.max(BYTES_IN_FLIGHT_MIN, left));
}

/** What a collector's process may have, and how large rooms and caches therefore are; bytes. */
export interface CollectorMemory {
  readonly memoryBytesMax: number;
  readonly bytesInFlightMax: number;
  readonly commitBacklogBytesMax: number;
  readonly readCacheBytesMax: number;
  readonly replayBytesMax: number;
}

/** What of a configuration says how much memory a collector takes. */
interface MemorySettings extends Pick<CollectorMemory, 'memoryBytesMax' | 'bytesInFlightMax'> {
  readonly limits: Omit<CollectorMemory, 'memoryBytesMax' | 'bytesInFlightMax'>;
}

/** What a configuration amounts to in memory. */
export function collectorMemoryOf({ memoryBytesMax, bytesInFlightMax, limits }: MemorySettings): CollectorMemory {
  const { commitBacklogBytesMax, readCacheBytesMax, replayBytesMax } = limits;
  return { memoryBytesMax, bytesInFlightMax, commitBacklogBytesMax, readCacheBytesMax, replayBytesMax };
}
