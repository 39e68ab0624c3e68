import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERROR_CODES } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { codeFiles, paths, read, root } from './source-tree.ts';

const pages = paths.filter((path) => path.endsWith('.md'));

describe('documents', () => {
  it('document every error code, and no code that does not exist', () => {
    const documented = [...read('docs/errors.md').matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1]);
    expect(documented.toSorted()).toEqual([...ERROR_CODES].toSorted());
  });

  it('every error code is used somewhere', () => {
    const sources = codeFiles.filter(({ path }) => !path.endsWith('reenact-error.ts') && path.includes('/src/'));
    const unused = ERROR_CODES.filter((code) => !sources.some(({ text }) => text.includes(`'${code}'`)));
    expect(unused.join('\n')).toBe('');
  });

  it('link only to files that exist', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(page), target)))
        .map((target) => `${page} links to ${target}`),
    );
    expect(broken.join('\n')).toBe('');
  });

  // Numbers are given when work begins, and work lands in another order.
  it('give each decision a number of its own and list it in the index', () => {
    const decisions = paths
      .filter((path) => /^docs\/adr\/\d{4}-/.test(path))
      .map((path) => path.slice('docs/adr/'.length))
      .sort();
    expect(new Set(decisions.map((name) => name.slice(0, 4))).size).toBe(decisions.length);
    const index = read('docs/adr/README.md');
    expect(decisions.filter((name) => !index.includes(name)).join('\n')).toBe('');
  });

  it('decisions say Context, Decision and Consequences', () => {
    const lacking = paths
      .filter((path) => /^docs\/adr\/\d{4}-/.test(path))
      .filter(
        (path) => !['## Context', '## Decision', '## Consequences'].every((heading) => read(path).includes(heading)),
      );
    expect(lacking.join('\n')).toBe('');
  });
});
