import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { WorkerLink } from './worker-link.ts';

interface Calls {
  readonly ask: { readonly ask: null; readonly answer: null };
}

describe('a thread that ends by itself', () => {
  it('is told with what it was, and nothing of what it worked on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-thread-'));
    writeFileSync(join(folder, 'ending.ts'), "throw new RangeError('a piece of a recording');");
    const link = new WorkerLink<Calls>(pathToFileURL(`${folder}/`), 'ending', {});
    const ended = { code: 'store-failed', message: 'A thread of the collector has ended: RangeError.' };
    await expect(link.started()).rejects.toMatchObject(ended);
    await expect(link.call('ask', null)).rejects.toMatchObject(ended);
    rmSync(folder, { recursive: true });
  });
});
