import { closeSync, fstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

  it('is ended where what it says cannot be read, since nobody knows who waits for that', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-thread-'));
    // Deeper than this thread reads, with its smaller stack.
    writeFileSync(
      join(folder, 'deep.ts'),
      `import { parentPort } from 'node:worker_threads';
      let deep = [];
      for (let depth = 0; depth < 8_000; depth += 1) deep = [deep];
      parentPort.on('message', ({ id }) => parentPort.postMessage({ id, answer: deep }));
      parentPort.postMessage({ id: 0 });`,
    );
    const link = new WorkerLink<Calls>(pathToFileURL(`${folder}/`), 'deep', {});
    await link.started();
    const ended = { code: 'store-failed', message: 'A thread of the collector has ended: RangeError.' };
    await expect(link.call('ask', null)).rejects.toMatchObject(ended);
    expect(link.isEnded).toBe(true);
    await link.stop();
    rmSync(folder, { recursive: true });
  });

  it('leaves files open where it is to, with the locks that other threads have on them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-thread-'));
    writeFileSync(
      join(folder, 'opening.ts'),
      `import { openSync } from 'node:fs';
      import { parentPort } from 'node:worker_threads';
      parentPort.postMessage({ id: 0, step: openSync(import.meta.filename) });
      setTimeout(() => { throw new RangeError(); });`,
    );
    let file = -1;
    const onStep = (step: unknown) => {
      file = Number(step);
    };
    const link = new WorkerLink<Calls>(pathToFileURL(`${folder}/`), 'opening', {}, { onStep, keepsFiles: true });
    await expect(link.started()).rejects.toMatchObject({ code: 'store-failed' });
    await link.stop();
    expect(fstatSync(file).isFile()).toBe(true);
    closeSync(file);
    rmSync(folder, { recursive: true });
  });
});
