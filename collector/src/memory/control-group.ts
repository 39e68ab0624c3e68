import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files by which each version of control groups limits memory. */
const LIMIT_FILES = { cgroup: ['memory.limit_in_bytes'], cgroup2: ['memory.max', 'memory.high'] } as const;

interface Hierarchy {
  readonly version: keyof typeof LIMIT_FILES;
  /** What of the hierarchy is mounted there. */
  readonly root: string;
  readonly mountedAt: string;
}

/**
 * The lowest memory limit on the way from this process's control group up; undefined where none is. A group without a limit of its own
 * below one that has it may have no more than that. `root` is where the system's folders are looked for.
 */
export function controlGroupMemoryBytes(root = '/'): number | undefined {
  const groups = groupsOf(textOf(join(root, 'proc/self/cgroup')));
  const limits = hierarchiesOf(textOf(join(root, 'proc/self/mountinfo'))).flatMap((hierarchy) => {
    const group = groups.get(hierarchy.version);
    return group === undefined ? [] : limitsUpFrom(root, hierarchy, group);
  });
  return limits.length === 0 ? undefined : Math.min(...limits);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The group that counts this process's memory in each version, out of lines like `4:memory:/a/b` and `0::/a/b`. */
function groupsOf(text: string): Map<Hierarchy['version'], string> {
  const groups = new Map<Hierarchy['version'], string>();
  for (const line of text.split('\n')) {
    const [, id, controllers = '', path] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined) continue;
    if (id === '0' && controllers === '') groups.set('cgroup2', path);
    if (controllers.split(',').includes('memory')) groups.set('cgroup', path);
  }
  return groups;
}

function hierarchiesOf(text: string): Hierarchy[] {
  return text.split('\n').flatMap((line): Hierarchy[] => {
    const [own = '', system = ''] = line.split(' - ');
    const [, , , root, mountedAt] = own.split(' ').map(unescapeSpaces);
    const [type, , options = ''] = system.split(' ');
    if (root === undefined || mountedAt === undefined) return [];
    if (type === 'cgroup2') return [{ version: 'cgroup2', root, mountedAt }];
    return type === 'cgroup' && options.split(',').includes('memory') ? [{ version: 'cgroup', root, mountedAt }] : [];
  });
}

/** Blanks of a path are written in octal there. */
function unescapeSpaces(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function limitsUpFrom(root: string, { version, root: mounted, mountedAt }: Hierarchy, group: string): number[] {
  const isBelow = mounted === '/' || group === mounted || group.startsWith(`${mounted}/`);
  const names = (isBelow ? group.slice(mounted === '/' ? 0 : mounted.length) : '').split('/').filter((name) => name);
  // A group outside of this process's namespace has a path that leads above what is mounted.
  const steps = names.includes('..') ? [] : names;
  return Array.from({ length: steps.length + 1 }, (_, depth) => join(root, mountedAt, ...steps.slice(0, depth)))
    .flatMap((folder) => LIMIT_FILES[version].map((file) => textOf(join(folder, file)).trim()))
    .filter((text) => /^\d+$/.test(text))
    .map(Number);
}
