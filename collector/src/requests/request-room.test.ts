import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepRequestRoom, writeInRequestRoom } from './request-room.ts';

/** Mounts a disk of two blocks; false where this user or this machine cannot. */
function mountSmallDisk(place: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', place], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const probe = mkdtempSync(join(tmpdir(), 'reenact-mount-'));
const canMount = mountSmallDisk(probe);
if (canMount) execFileSync('umount', [probe]);
rmSync(probe, { recursive: true });

describe.skipIf(!canMount)('the room that is kept for a request, on a disk that gets full', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'reenact-request-room-'));
    mountSmallDisk(directory);
  });
  afterEach(() => {
    execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true });
  });

  it('takes a request that fits, and refuses one of which the disk takes a part only', () => {
    const path = join(directory, 'requests', 'asked');
    expect(keepRequestRoom(directory)).toBe(true);
    expect(writeInRequestRoom(directory, path, 'a'.repeat(3000))).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('a'.repeat(3000));
    rmSync(path);
    expect(keepRequestRoom(directory)).toBe(true);
    expect(() => writeInRequestRoom(directory, path, 'a'.repeat(9055))).toThrow('ENOSPC');
  });
});
