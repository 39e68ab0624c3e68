import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CANONICAL_POLICIES, INPUT_MARK } from '@reenact/trace-model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { admit, gate } from '../index.ts';
import { replaceProperty } from '../patching/replace-property.ts';
import { installConnectionWatch } from './install-connection-watch.ts';

const recorded: CrossingFacts[] = [];
const stream = { bytesRead: 0 };
const job = agent('job', async () => 'done');
let opened = 0;
let uninstall = (): void => undefined;
let giveBack = (): void => undefined;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  const open = (): object => {
    opened += 1;
    return stream;
  };
  giveBack = replaceProperty(process, 'stdin', { get: open, configurable: true, enumerable: true });
  uninstall = installConnectionWatch();
});

afterAll(() => {
  uninstall();
  giveBack();
  gate.configure({ recorder: undefined });
  context.disable();
});

/** Whether the run that ends by this call is marked. */
async function isMarked(run: () => unknown): Promise<boolean> {
  await run();
  return recorded.at(-1)?.lossy.includes(INPUT_MARK) === true;
}

function answerRequest(): void {
  const admission = admit({
    boundary: {
      kind: 'agent',
      name: 'GET /',
      effect: 'write',
      capture: 'full',
      policy: CANONICAL_POLICIES.httpEntry,
    },
    input: [],
    call: 'sync',
    span: { name: 'GET /', kind: 'server' },
  });
  if (admission.type === 'run') admission.crossing.settle({ type: 'returned', value: undefined });
}

it('marks the runs that end behind a read of standard input, which it does not open itself, and no request', async () => {
  expect(await isMarked(job)).toBe(false);
  expect(opened).toBe(0);
  expect(process.stdin).toBe(stream);
  expect(await isMarked(job)).toBe(false);
  stream.bytesRead = 5;
  expect(await isMarked(job)).toBe(true);
  expect(await isMarked(answerRequest)).toBe(false);
  expect(opened).toBe(1);
});
