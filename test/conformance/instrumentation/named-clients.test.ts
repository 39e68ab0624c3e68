import { DatabaseSync } from 'node:sqlite';
import { sqliteClient } from '@reenact/instrumentation';
import { describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { recordThenReplay } from './record-then-replay.ts';

/** Nothing is asked over the network. */
const nobody: Peer = { address: '', contacts: 0, stop: async () => undefined };

/** What is asked of both databases, in one order when it is recorded and in the other when it is replayed. */
function askBoth(names: readonly [string, string] | undefined): () => Promise<unknown> {
  let order: readonly (0 | 1)[] = [0, 1];
  return async () => {
    const databases = [0, 1].map((number) => {
      const options = names === undefined ? {} : { name: names[number] ?? '' };
      return new (sqliteClient(DatabaseSync, options))(':memory:');
    });
    for (const [number, database] of databases.entries()) database.exec(`CREATE TABLE t AS SELECT ${number} AS n`);
    const found = order.map((number) => [number, databases[number]?.prepare('SELECT n FROM t').get()?.n]);
    order = [1, 0];
    return found.sort();
  };
}

const kindsOf = ({ divergences }: { divergences: readonly { readonly kind: string }[] }): string[] =>
  divergences.map(({ kind }) => kind);

describe('two clients of one driver that are asked alike, in another order than was recorded', () => {
  const each = [
    [0, 0],
    [1, 1],
  ];

  it('are each answered with their own where they have names, and the order is told', async () => {
    const { recorded, recording, report } = await recordThenReplay(nobody, askBoth(['ledger', 'facts']));
    expect([recorded, report.value]).toEqual([each, each]);
    expect(kindsOf(report)).toEqual(['reordered', 'reordered']);
    const names = recording.crossings.filter(({ kind }) => kind === 'database').map(({ name }) => name);
    expect(new Set(names.map((name) => name.split('.')[0]))).toEqual(new Set(['ledger', 'facts']));
  });

  it('are taken for one where they have none: what one was answered is given to the other', async () => {
    const { recorded, report } = await recordThenReplay(nobody, askBoth(undefined));
    expect(recorded).toEqual(each);
    expect(report.value).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(kindsOf(report)).toEqual(['outcome-changed']);
  });
});
