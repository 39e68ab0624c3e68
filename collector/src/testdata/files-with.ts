import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemDisk } from '../store/files/disk.ts';
import { listPacks, PackReader } from '../store/pack/pack-file.ts';

/** Files of a data directory that hold a text, packs looked at as they decompress, dictionaries included. */
export function filesWith(directory: string, text: string): string[] {
  const wanted = Buffer.from(text);
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const plain = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(wanted));
  const packed = listPacks(systemDisk, directory).filter((pack) => {
    const reader = new PackReader(systemDisk, directory, pack);
    const blocks = [...reader.blocks()];
    reader.close();
    return blocks.some((block) => 'raw' in block && block.raw.includes(wanted));
  });
  return [...plain, ...packed.map((pack) => `pack ${pack}`)];
}
