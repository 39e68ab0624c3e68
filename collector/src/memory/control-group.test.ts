import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { controlGroupMemoryBytes } from './control-group.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'reenact-groups-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Makes the files of a system, by their paths. */
function setSystem(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
}

const SECOND = '38 31 0:38 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
const FIRST = '35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory';
const UNLIMITED_FIRST = '9223372036854771712';

it('is the lowest limit on the way up, whether the group itself has one or not', () => {
  setSystem({
    'proc/self/cgroup': '0::/app.slice/app.service/worker',
    'proc/self/mountinfo': `22 1 0:5 / / rw - ext4 /dev/sda rw\n${SECOND}`,
    'sys/fs/cgroup/app.slice/memory.max': '800000000',
    'sys/fs/cgroup/app.slice/app.service/memory.max': '500000000',
    'sys/fs/cgroup/app.slice/app.service/memory.high': 'max',
    'sys/fs/cgroup/app.slice/app.service/worker/memory.max': 'max',
  });
  expect(controlGroupMemoryBytes(root)).toBe(500_000_000);
});

it('is where processes are held back, where that is lower than where they are ended', () => {
  setSystem({
    'proc/self/cgroup': '0::/app',
    'proc/self/mountinfo': SECOND,
    'sys/fs/cgroup/app/memory.max': '500000000',
    'sys/fs/cgroup/app/memory.high': '400000000',
  });
  expect(controlGroupMemoryBytes(root)).toBe(400_000_000);
});

it('is found in the first version, too, and in a system that has both', () => {
  setSystem({
    'proc/self/cgroup': '5:devices:/elsewhere\n4:cpu,memory:/limited/child\n0::/',
    'proc/self/mountinfo': `${FIRST}\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw`,
    'sys/fs/cgroup/memory/memory.limit_in_bytes': UNLIMITED_FIRST,
    'sys/fs/cgroup/memory/limited/memory.limit_in_bytes': '300000000',
    'sys/fs/cgroup/memory/limited/child/memory.limit_in_bytes': UNLIMITED_FIRST,
  });
  expect(controlGroupMemoryBytes(root)).toBe(300_000_000);
});

it('is read where only a part of the hierarchy is mounted, as in a container', () => {
  setSystem({
    'proc/self/cgroup': '4:memory:/docker/abc/child',
    'proc/self/mountinfo': '35 31 0:32 /docker/abc /sys/fs/cgroup/the\\040memory ro - cgroup cgroup rw,memory',
    'sys/fs/cgroup/the memory/memory.limit_in_bytes': '300000000',
    'sys/fs/cgroup/the memory/child/memory.limit_in_bytes': '700000000',
  });
  expect(controlGroupMemoryBytes(root)).toBe(300_000_000);
});

it.each([
  ['without control groups', {}],
  ['with a group outside of its namespace', { 'proc/self/cgroup': '0::/../other', 'proc/self/mountinfo': SECOND }],
  ['without limits', { 'proc/self/cgroup': '0::/', 'proc/self/mountinfo': SECOND, 'sys/fs/cgroup/memory.max': 'max' }],
])('is none %s', (_name, files: Record<string, string>) => {
  setSystem(files);
  expect(controlGroupMemoryBytes(root)).toBeUndefined();
});
