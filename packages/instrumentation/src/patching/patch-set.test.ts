import os, { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { PatchSet, publishedOnce } from '../index.ts';

const real = os.hostname;

/** What a module sees that imported the function by its name. */
async function seenByImport(): Promise<unknown> {
  return (await import('node:os')).hostname;
}

function patched(name: string): { readonly patches: PatchSet; readonly replacement: () => string } {
  const patches = new PatchSet();
  const replacement = (): string => name;
  patches.replace(os, 'hostname', () => replacement);
  return { patches, replacement };
}

describe('several sets of patches', () => {
  it('are shown to ES modules together, where they are published once', async () => {
    const seen = [hostname];
    const { patches, replacement } = publishedOnce(() => {
      const made = patched('replaced');
      made.patches.publish();
      seen.push(hostname);
      publishedOnce(() => made.patches.publish());
      seen.push(hostname);
      return made;
    });
    expect(seen).toEqual([real, real, real]);
    expect(await seenByImport()).toBe(replacement);
    publishedOnce(() => patches.restore());
    expect(await seenByImport()).toBe(real);
    expect(os.hostname).toBe(real);
  });

  it('are shown as far as they came where something fails', async () => {
    let made: ReturnType<typeof patched> | undefined;
    const fail = (): void => {
      made = patched('half');
      made.patches.publish();
      throw new TypeError('in the middle');
    };
    expect(() => publishedOnce(fail)).toThrow('in the middle');
    expect(await seenByImport()).toBe(made?.replacement);
    made?.patches.restore();
    // Not withheld any more.
    expect(await seenByImport()).toBe(real);
  });
});
