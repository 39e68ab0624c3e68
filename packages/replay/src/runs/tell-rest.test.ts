import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRecording } from '@reenact/recordings/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSink } from '../events/event-sink.ts';
import { tellRest } from './tell-rest.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-rest-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function told(): string {
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('');
}

/** A run that has been entered, whose one call is still to come. */
function entered(outcome: 'pending' | 'returned') {
  const recording = buildRecording({ label: 'agent:GET /ask', outcome, children: [{ label: 'tool:search' }] });
  const [root] = recording.crossings;
  if (root === undefined) throw new Error('Nothing was built.');
  const left = { hasLeft: true };
  const schedule = { isUnderWay: false, holdsProcess: () => true };
  const player = { recording, lookUp: left, schedule, isWorking: () => false };
  const sink = FileSink.open(directory);
  const over = Promise.withResolvers<void>();
  tellRest({ player, root, sink, rested: over.resolve });
  const { path, spanId: recordedSpanId } = root;
  sink.write({ type: 'met', crossing: 1, path, answer: 'rerun', recordedSpanId, compared: true });
  return { left, sink, root, over: over.promise };
}

describe('the rest of a run', () => {
  it('is over, where its process was stopped in the middle of it, when all of it was called, without an outcome', async () => {
    const { left, over } = entered('pending');
    expect(told()).not.toContain('rested');
    left.hasLeft = false;
    await over;
    expect(told()).toContain('"rested"');
  });

  it('begins with its outcome where it has one', async () => {
    const { left, over, sink, root } = entered('returned');
    left.hasLeft = false;
    expect(sink.listeners.size).toBe(1);
    sink.write({ type: 'outcome', path: root.path, replayed: 'it returned' });
    expect(sink.listeners.size).toBe(0);
    await over;
  });
});
