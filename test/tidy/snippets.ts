import { paths, read } from './source-tree.ts';

/** A fenced block of a page. */
export interface Snippet {
  /** The page and the line on which the block begins, as `docs/entries.md:6`. */
  readonly place: string;
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** Pages that people follow; decisions and the benches describe, and stay as they were written. */
export const guides: readonly string[] = paths.filter(
  (path) => path.endsWith('.md') && !path.startsWith('docs/adr/') && !path.startsWith('test/bench/'),
);

/** Every fenced block of the guides. */
export const snippets: readonly Snippet[] = guides.flatMap((page) => {
  const whole = read(page);
  return [...whole.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(({ 1: language = '', 2: text = '', index }) => {
    const line = whole.slice(0, index).split('\n').length;
    return { place: `${page}:${line}`, page, language, text };
  });
});

/** What a guide has somebody type, with where it stands: lines of blocks, and code inside sentences. */
export function typedLines(): { readonly place: string; readonly line: string }[] {
  const blocks = snippets
    .filter(({ language }) => ['', 'sh', 'text'].includes(language))
    .flatMap(({ place, text }) =>
      text
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')
        .map((line) => ({ place, line })),
    );
  const sentences = guides.flatMap((page) =>
    [
      ...read(page)
        .replaceAll(/^```[\s\S]*?^```/gm, '')
        .matchAll(/`([^`\n]+)`/g),
    ].map(([, line = '']) => ({
      place: page,
      line,
    })),
  );
  return [...blocks, ...sentences];
}
