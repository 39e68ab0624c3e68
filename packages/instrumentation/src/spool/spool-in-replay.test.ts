import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace';
import { ReenactError } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { installDedicatedPlayer, type Player, RecordingProcessor } from '../index.ts';

const player: Player = {
  replayId: 'replay-1',
  dedicated: true,
  answer: () => ({ type: 'refuse', error: new ReenactError('replay-refused', 'never asked') }),
  callShapeOf: () => 'sync',
};

function spoolOf(directory: string): unknown {
  const processor = new RecordingProcessor(new InMemorySpanExporter(), { spool: { directory } });
  const state = processor.spoolState();
  void processor.shutdown();
  return state;
}

it('a processor that an app makes in a replay keeps nothing on the disk', () => {
  const directory = mkdtempSync(join(tmpdir(), 'reenact-spool-'));
  const uninstall = installDedicatedPlayer(player);
  try {
    expect(spoolOf(directory)).toBeUndefined();
  } finally {
    uninstall();
  }
  expect(spoolOf(directory)).toMatchObject({ sizeBytes: 0 });
  rmSync(directory, { recursive: true });
});
