import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecordingProcessor, type Trap, tool, trapLog } from '../index.ts';
import { FlakyExporter, SpooledHost } from '../testdata/spooled-host.ts';

const text = tool('text', (characters: number) => 'x'.repeat(characters), { effect: 'none' });

let folder: string;
let told: Trap[];
let stopListening: () => void;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-spool-'));
  told = [];
  stopListening = trapLog.listen((trap) => trap.kind === 'no-spool' && trap.detail.includes(folder) && told.push(trap));
});
afterEach(() => {
  stopListening();
  rmSync(folder, { recursive: true });
});

describe('a spool that cannot be written is told', () => {
  it('with the first call, of a place that cannot be made, and not before: of most processes nothing is recorded', async () => {
    writeFileSync(join(folder, 'file'), '');
    const directory = join(folder, 'file', 'spool');
    const processor = new RecordingProcessor(new FlakyExporter(), { spool: { directory } });
    expect(told).toEqual([]);
    text(3);
    expect(told).toEqual([{ kind: 'no-spool', detail: expect.stringMatching(/file\/spool: E[A-Z]+$/) }]);
    text(3);
    await processor.shutdown();
    expect(told).toHaveLength(1);
  });

  it('when the disk refuses, of a place that was there', async () => {
    const host = new SpooledHost({ spool: { directory: join(folder, 'spool') } });
    host.exporter.isAway = true;
    text(1);
    const { directory = '' } = host.processor.spoolState() ?? {};
    expect([directory.startsWith(folder), told]).toEqual([true, []]);
    // The next segment cannot be made: a file in the folder's place, as root ignores permissions.
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    for (let index = 0; index < 100; index += 1) text(60_000);
    expect(told).toEqual([{ kind: 'no-spool', detail: `${directory}: ENOTDIR` }]);
    host.exporter.isAway = false;
    await host.stop();
  });
});
