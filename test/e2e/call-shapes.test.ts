import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

it('leaves functions and classes of threads and processes the names, lengths, kinds and symbols that they have', async () => {
  const plain = await stage.node(['call-shapes.ts']);
  const watched = await stage.node(['--import', 'reenact/register', 'call-shapes.ts']);
  const [expected, seen] = [plain, watched].map(({ stdout }) => JSON.parse(stdout) as Record<string, object>);
  expect(Object.keys(expected ?? {})).toEqual(
    expect.arrayContaining(['childProcess.exec', 'workerThreads.Worker', 'MessagePort.postMessage', 'Atomics.wait']),
  );
  expect(seen).toEqual(expected);
});
