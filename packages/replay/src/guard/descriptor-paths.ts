import { readlinkSync } from 'node:fs';
import { realPath } from './real-path.ts';

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

/** The file behind a descriptor; undefined where it is a pipe, or was opened where nobody saw it. */
export function descriptorPath(descriptor: number): string | undefined {
  const known = paths.get(descriptor);
  if (known !== undefined) return realPath(known);
  try {
    const target = readlinkSync(`/proc/self/fd/${descriptor}`);
    return target.startsWith('/') ? target : undefined;
  } catch {
    return undefined;
  }
}
