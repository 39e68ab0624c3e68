import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BLOB_BYTES_MAX } from '../limits.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

/** All that can be seen of a blob or a file. */
async function factsOf(blob: Blob): Promise<readonly unknown[]> {
  const { size, type } = blob;
  const file = blob instanceof File ? [blob.name, blob.lastModified] : [];
  return [Object.getPrototypeOf(blob).constructor.name, size, type, ...file, Buffer.from(await blob.arrayBuffer())];
}

async function expectKept(blob: Blob): Promise<void> {
  const { payload, lossy } = encodeValue({ blob });
  expect(lossy).toEqual([]);
  const { blob: back } = decodeValue(payload) as { blob: Blob };
  expect(await factsOf(back)).toEqual(await factsOf(blob));
  expect(await back.slice(1, 3).text()).toBe(await blob.slice(1, 3).text());
}

describe('blobs and files', () => {
  it('come back with their bytes and what they say of them', async () => {
    const bytes = new Uint8Array(300_000).map((_, index) => index * 7);
    const whole = new Blob(['text ', bytes, new Blob(['inside']), bytes], { type: 'Application/X-Thing' });
    await expectKept(whole);
    await expectKept(whole.slice(3, 300_010, 'text/plain'));
    await expectKept(new Blob([]));
    await expectKept(structuredClone(whole));
    await expectKept(await new Response(bytes).blob());
    await expectKept(new File([bytes], 'ä/b.bin', { type: 'image/png', lastModified: 12 }));
    await expectKept(new File([], ''));
  });

  it('are told of as lost where they stand in a file, are too large, or are of another class', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blobs-'));
    try {
      await writeFile(join(folder, 'a.txt'), 'abc');
      expect(encodeValue(await openAsBlob(join(folder, 'a.txt'))).lossy).toEqual(['/ handle Blob']);
    } finally {
      await rm(folder, { recursive: true });
    }
    const piece = new Uint8Array(BLOB_BYTES_MAX / 4);
    expect(encodeValue(new Blob([piece, piece, piece, piece, 'x'])).lossy).toEqual(['/ handle Blob']);
    class Attachment extends Blob {}
    expect(encodeValue(new Attachment(['x'])).lossy).toEqual(['/ class Attachment']);
  });

  it('are told of as lost where the platform keeps their bytes in another way', () => {
    const blob = new Blob(['x']);
    for (const key of Object.getOwnPropertySymbols(blob)) {
      if (key.description === 'kHandle') Object.defineProperty(blob, key, { value: { getReader: 1 } });
    }
    expect(encodeValue(blob).lossy).toEqual(['/ handle Blob']);
  });
});
