import { describe, expect, it } from 'vitest';
import { read, shippedFiles } from './source-tree.ts';

/** Events that the collector writes to its log, and at which levels. */
function eventsWritten(): Map<string, Set<string>> {
  const events = new Map<string, Set<string>>();
  for (const { path, text } of shippedFiles) {
    if (!path.startsWith('collector/')) continue;
    for (const [, level = '', event = ''] of text.matchAll(/\blog\.(debug|info|warn|error)\(\s*'([^']+)'/g))
      events.set(event, (events.get(event) ?? new Set()).add(level));
  }
  return events;
}

/** The cells of the page that name events. */
function eventsOnPage(): Map<string, string> {
  const [table = ''] = read('docs/collector-operation.md').split('\n| event | level |')[1]?.split('\n\n') ?? [];
  return new Map(
    [...table.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|/gm)].flatMap(([, names = '', levels = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, levels]),
    ),
  );
}

describe('docs/collector-operation.md', () => {
  it('lists every event of the log, at its level', () => {
    const written = eventsWritten();
    expect(written.size).toBeGreaterThan(40);
    const onPage = eventsOnPage();
    expect([...written.keys()].filter((event) => !onPage.has(event))).toEqual([]);
    for (const [event, levels] of written)
      for (const level of levels) expect([event, onPage.get(event)]).toEqual([event, expect.stringContaining(level)]);
  });
});
