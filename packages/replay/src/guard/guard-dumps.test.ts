import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import v8, { writeHeapSnapshot } from 'node:v8';
import { buildRecording } from '@reenact/recordings/testing';
import { expect, it } from 'vitest';
import { playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });

/** What is told of work in a process that is a replay's, and whether it fails. */
function inReplay(work: () => unknown): { refused: boolean; messages: string[]; notes: readonly string[] } {
  const { player, report } = playerOf(recording);
  const remove = installGuard({ player, scope: 'process' });
  let refused = false;
  try {
    work();
  } catch (thrown) {
    refused = (thrown as { code?: string }).code === 'replay-refused';
  } finally {
    remove();
  }
  const { divergences, notes } = report();
  return { refused, messages: divergences.filter(({ kind }) => kind === 'forbidden').map((one) => one.message), notes };
}

it.each<[string, string, (file: string) => unknown]>([
  ['v8.writeHeapSnapshot', 'heap.heapsnapshot', (file) => writeHeapSnapshot(file)],
  ['process.report.writeReport', 'report.json', (file) => process.report.writeReport(file)],
])('%s writes no file in a replay', (name, file, write) => {
  const { refused, messages } = inReplay(() => write(file));
  expect(messages).toEqual([expect.stringContaining(`${name} ${resolve(file)} was refused`)]);
  expect([refused, existsSync(file)]).toEqual([true, false]);
});

it('a snapshot near the limit of the heap is not asked for, and the program goes on', () => {
  const { refused, messages, notes } = inReplay(() => v8.setHeapSnapshotNearHeapLimit(1));
  expect([refused, messages]).toEqual([false, []]);
  expect(notes.join()).toContain('v8.setHeapSnapshotNearHeapLimit was called');
});
