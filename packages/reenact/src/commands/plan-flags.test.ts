import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planOf } from './plan-flags.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plan-flags-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

it('says where a plan file stops being JSON, and quotes nothing of it', () => {
  const plan = join(directory, 'plan.json');
  writeFileSync(plan, '{\n  "version": 1,\n  "rules": [hunter2]\n}\n');
  const read = () => planOf({ live: [], stub: [], forbid: [], plan });
  expect(read).toThrow(
    expect.objectContaining({
      code: 'bad-plan',
      message: 'The plan file is not JSON from line 3, column 13 on.',
      where: plan,
    }),
  );
});
