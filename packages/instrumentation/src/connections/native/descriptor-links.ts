/** Taken now: in a replay, functions that read files are others'. */
const { readdirSync, readlinkSync } = process.getBuiltinModule('node:fs');

const descriptors = '/proc/self/fd';

function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`${descriptors}/${descriptor}`);
  } catch {
    // The descriptor of the listing itself is gone by now, and another thread may have closed any.
    return '';
  }
}

function listed(): readonly string[] {
  try {
    return readdirSync(descriptors);
  } catch {
    return [];
  }
}

/** What each descriptor of this process leads to, as Linux says it: a path, `socket:[…]`, `anon_inode:…`. Elsewhere none. */
export function descriptorLinks(): Map<number, string> {
  return new Map(listed().map((descriptor) => [Number(descriptor), linkOf(descriptor)]));
}
