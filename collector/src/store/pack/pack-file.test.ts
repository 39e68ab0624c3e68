import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemDisk } from '../files/disk.ts';
import { PackReader, PackWriter, packPath } from './pack-file.ts';

const PACK = 7;
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-pack-'));
  const writer = new PackWriter(systemDisk, directory, PACK, {
    dictionary: Buffer.from('words that are in every block'),
    level: 3,
    isHurried: false,
  });
  for (const text of ['one', 'two', 'three']) writer.add(Buffer.from(`${text}: words that are in every block`));
  writer.finish();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function blocks(): { block: number; text: string }[] {
  const reader = new PackReader(systemDisk, directory, PACK);
  try {
    return Array.from(reader.blocks(), (found) =>
      'damagedAt' in found
        ? { block: -1, text: `damaged at ${found.damagedAt}` }
        : { block: found.place.block - PACK * 2 ** 20, text: found.raw.toString().split(':')[0] ?? '' },
    );
  } finally {
    reader.close();
  }
}

const whole = [
  { block: 1, text: 'one' },
  { block: 2, text: 'two' },
  { block: 3, text: 'three' },
];

describe('a pack', () => {
  it('gives its blocks in order, named by pack and place', () => {
    expect(blocks()).toEqual(whole);
  });

  it.each([0, 4, 8, 11, 15])('whose head is damaged at byte %i gives the same blocks, and says so', (at) => {
    const path = packPath(directory, PACK);
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] ?? 0) ^ 0x80;
    writeFileSync(path, bytes);
    expect(blocks()).toEqual([{ block: -1, text: 'damaged at 0' }, ...whole]);
  });

  /** Offset of each record, the dictionary first. */
  const records = (bytes: Buffer): number[] => {
    const mark = Buffer.from('RNBL');
    const found: number[] = [];
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) found.push(at);
    return found;
  };

  it.each([{ damaged: [1] }, { damaged: [1, 2] }, { damaged: [2] }])(
    'numbers what lies behind damaged blocks by its place: $damaged',
    ({ damaged }) => {
      const path = packPath(directory, PACK);
      const bytes = readFileSync(path);
      const offsets = records(bytes);
      expect(offsets).toHaveLength(4);
      for (const record of damaged) {
        const at = (offsets[record] ?? 0) + 30;
        bytes[at] = (bytes[at] ?? 0) ^ 0x80;
      }
      writeFileSync(path, bytes);
      const left = whole.filter(({ block }) => !damaged.includes(block));
      expect(blocks().filter(({ block }) => block > 0)).toEqual(left);
    },
  );
});
