import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { gate } from '../admission/current-gate.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';

/** What the tests of this file record, each from an empty list. To be called once, outside of them. */
export function recordedFacts(): readonly CrossingFacts[] {
  const recorded: CrossingFacts[] = [];
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  });
  beforeEach(() => {
    recorded.length = 0;
  });
  afterAll(() => {
    gate.configure({ recorder: undefined });
    context.disable();
  });
  return recorded;
}
