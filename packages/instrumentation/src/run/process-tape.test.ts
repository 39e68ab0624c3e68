import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import { LATE_DRAWN_CHARACTERS_MAX, LATE_DRAWS_MAX } from '../limits.ts';
import { ProcessTape } from './process-tape.ts';

describe('what a process draws in none of its runs', () => {
  it('is given to each run after the first: what came since the one before, and to the run of the process whole', () => {
    const tape = new ProcessTape();
    tape.addTime('Date', 1_000);
    tape.begin();
    expect(tape.takeSince()).toBeUndefined();
    tape.addTime('Date', 1_000);
    tape.addTime('Date', 1_005);
    tape.addValue('crypto.randomUUID', 'a');
    expect(tape.takeSince()).toMatchObject({ ordinal: 0, Date: [1_000, 1, 5, 1], 'crypto.randomUUID': ['a'] });
    expect(tape.takeSince()).toBeUndefined();
    tape.addTime('Date', 1_005);
    expect(tape.takeSince()).toMatchObject({ ordinal: 1, Date: [1_005, 1] });
    expect(JSON.parse(tape.text())).toMatchObject({ Date: [1_000, 2, 5, 2], 'crypto.randomUUID': ['a'] });
  });

  it('is given of no function of which some was not kept before', () => {
    const tape = new ProcessTape();
    tape.lose('Math.random', 'a value that no such function gives');
    tape.begin();
    tape.addValue('Math.random', 0.5);
    expect(tape.takeSince()).toBeUndefined();
    for (let count = 0; count <= LATE_DRAWS_MAX; count += 1) tape.addValue('crypto.randomInt', count);
    expect(tape.takeSince()?.['crypto.randomInt']).toHaveLength(LATE_DRAWS_MAX);
    tape.addValue('crypto.randomInt', 1);
    tape.addValue('crypto.randomUUID', 'b');
    const last = tape.takeSince();
    expect([last?.['crypto.randomInt'], last?.['crypto.randomUUID']]).toEqual([undefined, ['b']]);
  });

  it('is given as far as there is room, where a service has sampled its memory for long', () => {
    const tape = new ProcessTape();
    tape.begin();
    const sample = JSON.stringify(process.memoryUsage());
    for (let count = 0; count < LATE_DRAWS_MAX; count += 1) tape.addReading('process.memoryUsage', sample);
    const { late } = recordedDrawsSchema.parse({ late: { process: [tape.takeSince()] } });
    expect(late?.process?.[0]?.['process.memoryUsage']).toHaveLength(
      Math.floor(LATE_DRAWN_CHARACTERS_MAX / sample.length),
    );
  });
});
