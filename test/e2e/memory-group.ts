import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

const V1 = '/sys/fs/cgroup/memory';
const V2 = '/sys/fs/cgroup';

let made = 0;

/** A control group that limits the memory of the processes in it, as that of a container does. */
export interface MemoryGroup {
  /** The command that runs another one in the group. */
  within(command: readonly string[]): string[];
  /** Removes the group; its processes have ended. */
  remove(): void;
}

/** Makes a group of so many bytes; undefined where this user or this system cannot make one. */
export function makeMemoryGroup(bytes: number): MemoryGroup | undefined {
  made += 1;
  const isFirst = existsSync(`${V1}/memory.limit_in_bytes`);
  const path = `${isFirst ? V1 : V2}/reenact-test-${process.pid}-${made}`;
  const limit = isFirst ? 'memory.limit_in_bytes' : 'memory.max';
  try {
    mkdirSync(path);
  } catch {
    return undefined;
  }
  try {
    // Opened and not made: a directory that is no control group takes any file.
    writeFileSync(`${path}/${limit}`, String(bytes), { flag: 'r+' });
    const taken = readFileSync(`${path}/${limit}`, 'utf8').trim();
    if (taken !== String(bytes)) throw new Error(`the limit is ${taken}`);
  } catch {
    rmdirSync(path);
    return undefined;
  }
  return {
    within: (command) => ['sh', '-c', `echo $$ > ${path}/cgroup.procs && exec "$@"`, 'sh', ...command],
    remove: () => rmdirSync(path),
  };
}
