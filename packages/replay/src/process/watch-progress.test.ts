import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReplayEvent } from '../events/replay-event.ts';
import type { Companion } from './run-child.ts';
import { watchProgress } from './watch-progress.ts';

const child = undefined as unknown as Parameters<Companion>[0];
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-progress-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function line(event: ReplayEvent): string {
  return `${JSON.stringify({ processId: '1', atUs: 1, event })}\n`;
}

const met = line({ type: 'met', crossing: 1, path: 'agent:a/tool:t', answer: 'stub', compared: true });
const note = line({ type: 'note', text: 'what looks like an event: {"type":"met"}', unverified: false });

function append(name: string, text: string): void {
  appendFileSync(join(directory, name), text);
}

/** Does one step after each look, and gives what each look saw; the command ends after the last step. */
async function lookAfter(...steps: (() => void)[]): Promise<number[]> {
  const seen: number[] = [];
  const command = new AbortController();
  const watching = watchProgress(
    directory,
    9,
    (progress) => {
      expect(progress.recorded).toBe(9);
      seen.push(progress.met);
      const step = steps.shift();
      if (step === undefined) command.abort();
      else step();
    },
    1,
  );
  await watching(child, command.signal);
  return seen;
}

describe('progress of a replay', () => {
  it('counts the calls that all its processes have met, each once', async () => {
    const seen = await lookAfter(
      () => append('report-1.ndjson', met + note + met),
      () => append('report-2.ndjson', met),
      () => undefined,
      () => append('report-1.ndjson', met),
    );
    expect(seen).toEqual([0, 2, 3, 3, 4]);
  });

  it('leaves a line that is being written for the next look', async () => {
    const [start, end] = [met.slice(0, 40), met.slice(40)];
    const seen = await lookAfter(
      () => append('report-1.ndjson', met + start),
      () => append('report-1.ndjson', end),
    );
    expect(seen).toEqual([0, 1, 2]);
  });

  it('reads on behind a line that is longer than what is read at once', async () => {
    const long = line({ type: 'note', text: 'x'.repeat(3 << 20), unverified: false });
    const seen = await lookAfter(
      () => append('report-1.ndjson', met + long + met),
      () => append('report-1.ndjson', met),
    );
    expect(seen).toEqual([0, 2, 3]);
  });

  it('counts nothing but reports', async () => {
    expect(await lookAfter(() => append('order.json', met))).toEqual([0, 0]);
  });

  it('ends with the command, and without a word where its directory is gone', async () => {
    const gone = await lookAfter(() => rmSync(directory, { recursive: true }));
    expect(gone).toEqual([0]);
    const looks: unknown[] = [];
    await watchProgress(directory, 9, (progress) => looks.push(progress))(child, AbortSignal.abort());
    expect(looks).toEqual([]);
  });
});
