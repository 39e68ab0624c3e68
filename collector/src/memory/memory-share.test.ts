import { totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { parseCollectorConfig } from '../config.ts';
import { memoryShareOf, processMemoryBytes } from './memory-share.ts';

const MIB = 1024 * 1024;

it('is never more than the machine has', () => {
  expect(processMemoryBytes()).toBeGreaterThan(0);
  expect(processMemoryBytes()).toBeLessThanOrEqual(totalmem());
});

it('is whole from a gibibyte on, goes down with what there is, and not below a quarter', () => {
  const shares = [16_384, 1024, 768, 512, 256, 128].map((mebibytes) => memoryShareOf(mebibytes * MIB));
  expect(shares).toEqual([1, 1, 0.75, 0.5, 0.25, 0.25]);
});

it('makes room and caches smaller, except where the configuration says how large they are', () => {
  const sizesOf = (config: Parameters<typeof parseCollectorConfig>[0]) => {
    const { bytesInFlightMax, limits } = parseCollectorConfig(config);
    const { commitBacklogBytesMax, readCacheBytesMax, replayBytesMax } = limits;
    return [bytesInFlightMax, commitBacklogBytesMax, readCacheBytesMax, replayBytesMax].map((bytes) => bytes / MIB);
  };
  expect(sizesOf({ memoryBytesMax: 8192 * MIB })).toEqual([80, 256, 64, 512]);
  expect(sizesOf({ memoryBytesMax: 1024 * MIB })).toEqual([80, 256, 64, 256]);
  expect(sizesOf({ memoryBytesMax: 256 * MIB })).toEqual([4, 64, 16, 64]);
  expect(sizesOf({ memoryBytesMax: 512 * MIB })).toEqual([16, 128, 32, 128]);
  const explicit = { memoryBytesMax: 512 * MIB, bytesInFlightMax: 70 * MIB, limits: { readCacheBytesMax: 0 } };
  expect(sizesOf(explicit)).toEqual([70, 128, 0, 128]);
});

it('is the same for a configuration that was completed before', () => {
  const completed = parseCollectorConfig({ memoryBytesMax: 512 * MIB });
  expect(parseCollectorConfig(completed)).toEqual(completed);
});
