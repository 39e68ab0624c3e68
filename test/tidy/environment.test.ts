import { CONFIG_KEYS } from '@reenact/collector/config';
import { OWN_VARIABLES, USER_VARIABLES } from '@reenact/instrumentation';
import * as words from '@reenact/semconv/reenact';
import { describe, expect, it } from 'vitest';
import { paths, read, shippedFiles } from './source-tree.ts';

const page = read('docs/environment.md');
const [listed = '', own = ''] = page.split('## Set by Reenact itself');

/** Names of variables in a text, with the start of those that end there, as `REENACT_COLLECTOR_…`, left out. */
function namesIn(text: string, prefix: 'OTEL' | 'REENACT'): string[] {
  const names = [...text.matchAll(new RegExp(`(?<![\\w$])${prefix}_[A-Z][A-Z\\d_]*(?![\\w<…])`, 'g'))];
  return names.map(([name]) => name).filter((name) => !name.endsWith('_'));
}

/** Names in the first cells of the tables. */
function rowsOf(prefix: 'OTEL' | 'REENACT'): Set<string> {
  return new Set([...listed.matchAll(/^\| ([^|]+)\|/gm)].flatMap(([, cell = '']) => namesIn(cell, prefix)));
}

const ofCollector = CONFIG_KEYS.map(
  (key) => `REENACT_COLLECTOR_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
);
const known: ReadonlySet<string> = new Set([...USER_VARIABLES, ...OWN_VARIABLES, ...ofCollector]);

function readByCode(prefix: 'OTEL' | 'REENACT'): Set<string> {
  return new Set(shippedFiles.flatMap(({ text }) => namesIn(text, prefix)).filter((name) => !(name in words)));
}

describe('environment variables', () => {
  it('are listed in the code if the code reads them', () => {
    expect([...readByCode('REENACT')].filter((name) => !known.has(name))).toEqual([]);
  });

  it('are read by something besides the list', () => {
    const others = shippedFiles.filter(({ path }) => !path.endsWith('/reenact-variables.ts'));
    const unread = [...USER_VARIABLES, ...OWN_VARIABLES].filter(
      (name) => !others.some(({ text }) => namesIn(text, 'REENACT').includes(name)),
    );
    // Put together from the prefix of the collector's settings.
    expect(unread).toEqual([]);
  });

  it('are in docs/environment.md, all of ours and no other', () => {
    expect([...rowsOf('REENACT')].toSorted()).toEqual([...USER_VARIABLES].toSorted());
    expect(namesIn(own, 'REENACT').toSorted()).toEqual([...OWN_VARIABLES].toSorted());
  });

  it("are in docs/environment.md, all of OpenTelemetry's that the code reads", () => {
    const rows = rowsOf('OTEL');
    expect(rows.size).toBeGreaterThan(5);
    expect([...readByCode('OTEL')].filter((name) => !rows.has(name))).toEqual([]);
  });

  it('exist where a page names them', () => {
    const pages = paths.filter((path) => path.endsWith('.md') && !path.startsWith('test/'));
    const unknown = pages.flatMap((path) =>
      namesIn(read(path), 'REENACT')
        .filter((name) => !known.has(name) && !(name in words))
        .map((name) => `${path}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
