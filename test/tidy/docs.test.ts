import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERROR_CODES } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { codeFiles, paths, read, root, shippedFiles } from './source-tree.ts';

const pages = paths.filter((path) => path.endsWith('.md'));

/** Prose alone: what stands in a fenced block is neither heading nor link. */
function proseOf(page: string): string {
  return read(page).replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '');
}

/** The anchors of a page, as those who render it make them; a second heading of the same words gets a number. */
function headingsOf(page: string): Set<string> {
  const anchors = [...proseOf(page).matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    anchors.map((anchor, place) => {
      const before = anchors.slice(0, place).filter((other) => other === anchor).length;
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

/** Links of a page into a page of ours. */
function linksOf(page: string): { readonly target: string; readonly heading: string }[] {
  return [...proseOf(page).matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)]
    .map(([, file = '', heading = '']) => ({ target: file === '' ? page : join(dirname(page), file), heading }))
    .filter(({ target }) => target.endsWith('.md') && !/^[a-z]+:/.test(target));
}

/** Shipped code without its comments: what is left of `docs/…` there is said to somebody. */
function saidBy(text: string): string {
  return text.replaceAll(/^\s*(\/\/|\/\*|\*).*$/gm, '');
}

describe('messages', () => {
  it('name pages by the command that prints them, for an installed package has no folder docs beside the code', () => {
    const files = shippedFiles.filter(({ text }) => /docs\/[\w/-]+\.md/.test(saidBy(text)));
    expect(files.map(({ path }) => path)).toEqual([]);
  });

  it('name only pages that there are', () => {
    const named = shippedFiles.flatMap(({ path, text }) =>
      [...saidBy(text).matchAll(/reenact docs ([\w/-]+)/g)].map(([, page = '']) => ({ path, page })),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ page }) => !existsSync(join(root, 'docs', `${page}.md`)))).toEqual([]);
  });
});

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

  it('link only to headings that exist', () => {
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter(({ target, heading }) => existsSync(join(root, target)) && !headingsOf(target).has(heading))
        .map(({ target, heading }) => `${page} links to #${heading} of ${target}`),
    );
    expect(broken.join('\n')).toBe('');
  });
});
