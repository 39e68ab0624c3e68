import { describe, expect, it } from 'vitest';
import { paths, read } from './source-tree.ts';

const folder = 'docs/adr/';

/** The records of decisions: number, file, title, text, and which later ones say otherwise, as the record itself tells it. */
const decisions = paths
  .filter((path) => /^docs\/adr\/\d{4}-/.test(path))
  .map((path) => {
    const text = read(path);
    const [title = '', , third = ''] = text.split('\n');
    const [, how, others = ''] = /^(Overturned|Changed) by (.*)/.exec(third) ?? [];
    const later = [...others.matchAll(/\[(\d{4})\]\(/g)].map(([, number = '']) => number);
    return {
      number: path.slice(folder.length, folder.length + 4),
      file: path.slice(folder.length),
      title,
      text,
      how,
      later,
    };
  });

/** A row of the index, as it is due for a record. */
function rowOf({ number, file, title, how, later }: (typeof decisions)[number]): string {
  const mark = how === undefined ? '' : `${how.toLowerCase()} by ${later.join(' and ')}`;
  return `| [${number}](${file}) | ${title.slice('# 0000 '.length)} | ${mark} |`;
}

describe('records of decisions', () => {
  // Numbers are given when work begins, and work lands in another order.
  it('have a number of their own, which their title begins with', () => {
    expect(new Set(decisions.map(({ number }) => number)).size).toBe(decisions.length);
    const others = decisions.filter(({ number, title }) => !title.startsWith(`# ${number} `));
    expect(others.map(({ file }) => file).join('\n')).toBe('');
  });

  it('say Context, Decision and Consequences', () => {
    const headings = ['## Context', '## Decision', '## Consequences'];
    const lacking = decisions.filter(({ text }) => !headings.every((heading) => text.includes(heading)));
    expect(lacking.map(({ file }) => file).join('\n')).toBe('');
  });

  it('stand once each in the index, with whether they are in force, and in order in each part of it', () => {
    const parts = read(`${folder}README.md`)
      .split(/^## /m)
      .map((part) => part.split('\n').filter((line) => line.startsWith('| [')));
    expect(parts.flat().toSorted()).toEqual(decisions.map(rowOf).toSorted());
    for (const rows of parts) expect(rows).toEqual(rows.toSorted());
  });

  it('are named by those that say otherwise', () => {
    const silent = decisions.flatMap(({ number, later }) =>
      later
        .filter(
          (other) =>
            decisions
              .find((one) => one.number === other)
              ?.text.match(new RegExp(`\\b(?:${number}|${Number(number)})\\b`)) == null,
        )
        .map((other) => `${other} does not name ${number}`),
    );
    expect(silent.join('\n')).toBe('');
  });
});
