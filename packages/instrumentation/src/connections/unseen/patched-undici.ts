import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Major versions of the undici package whose requests are crossings. */
export const UNDICI_MAJORS = { first: 6, last: 8 } as const;

const known = new Map<string, boolean>();

function readMajor(folder: string): number {
  const { version }: { readonly version?: unknown } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Number.parseInt(String(version), 10);
}

function isMajorPatched(folder: string): boolean {
  try {
    const major = readMajor(folder);
    return major >= UNDICI_MAJORS.first && major <= UNDICI_MAJORS.last;
  } catch {
    // A copy without a package.json of its own: nobody can tell, and where it is patched, nothing is to be told.
    return true;
  }
}

/** Whether the copy of undici in a folder is of a version that is patched. Each copy is looked at once. */
export function isPatchedUndici(folder: string): boolean {
  const isKnown = known.get(folder) ?? isMajorPatched(folder);
  known.set(folder, isKnown);
  return isKnown;
}
