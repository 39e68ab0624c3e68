import { describe, expect, it } from 'vitest';
import { packageOf } from './package-of.ts';

describe('the package of a module', () => {
  it('is told by the last node_modules of its path, on every system', () => {
    expect(packageOf('/a/node_modules/x/node_modules/@s/y/lib/z.js')).toEqual({
      folder: '/a/node_modules/x/node_modules/@s/y',
      name: '@s/y',
    });
    expect(packageOf('C:\\a\\node_modules\\@s\\y\\z.js')).toEqual({
      folder: 'C:\\a\\node_modules\\@s\\y',
      name: '@s/y',
    });
    expect(packageOf('/a/src/z.js')).toBeUndefined();
  });
});
