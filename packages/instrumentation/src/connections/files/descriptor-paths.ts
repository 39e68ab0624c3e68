import { readlinkSync } from 'node:fs';
import { isOutput, realPath } from './real-path.ts';

const paths = new Map<number, string>();
const standardDescriptors = 3;

/** Remembers which file a descriptor was opened on. */
export function rememberDescriptor(descriptor: number, path: string): void {
  paths.set(descriptor, path);
}

/** Forgets a descriptor that is closed; the number is used again. */
export function forgetDescriptor(descriptor: number): void {
  paths.delete(descriptor);
}

/** Forgets all descriptors, when no replay is guarded any more. */
export function forgetDescriptors(): void {
  paths.clear();
}

/** Whether a descriptor is one of standard input, output and error. */
export function isStandardDescriptor(descriptor: number): boolean {
  return descriptor < standardDescriptors;
}

/** What Linux says that a descriptor leads to. */
function linkOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

/** The file behind a descriptor; undefined where it is a pipe, or was opened where nobody saw it. */
export function descriptorPath(descriptor: number): string | undefined {
  const known = paths.get(descriptor);
  if (known !== undefined) return isOutput(known) ? known : realPath(known);
  const link = linkOf(descriptor);
  // `/dev/stdout` that was opened is another descriptor of the same pipe, terminal or file.
  if (link !== undefined && (link === linkOf(1) || link === linkOf(2))) return '/dev/stdout';
  return link?.startsWith('/') === true ? link : undefined;
}
