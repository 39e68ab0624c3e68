import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent, tool } from 'reenact';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => context.disable());

it('a run is not full while a call that began inside it has not arrived', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const count = tool('count', async (text: string) => text.length);
  const watch = tool('watch', () => held);
  const left: Promise<unknown>[] = [];
  const run = agent('leaver', async () => {
    left.push(watch());
    return count('four');
  });
  const whileOpen = await recordRun(run);
  expect(whileOpen.replayability).toEqual({
    verdict: 'partial',
    missing: [{ cause: 'missing-call', where: 'agent:leaver', spanId: whileOpen.roots[0]?.spanId, detail: '1 of 2' }],
  });
  release();
  await Promise.all(left);
  const whole = await recordRun(async () => {
    await run();
    await Promise.all(left);
  });
  expect(whole.replayability).toEqual({ verdict: 'full', missing: [] });
});
