import { TRAPS } from '@reenact/instrumentation';
import { describe, expect, it } from 'vitest';
import { read } from './source-tree.ts';

describe('the page on silent traps', () => {
  it('lists every trap with its severity, and none that does not exist', () => {
    const listed = [...read('docs/doctor.md').matchAll(/^\| `([a-z-]+)` \| (\w+) \|/gm)].map((match) => [
      match[1],
      match[2],
    ]);
    expect(listed).toEqual(
      Object.entries(TRAPS)
        .map(([kind, { severity }]) => [kind, severity])
        .sort(),
    );
  });
});
