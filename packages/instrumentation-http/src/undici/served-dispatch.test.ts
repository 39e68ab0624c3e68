import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { serveTaken } from './served-dispatch.ts';

it('a request of telemetry whose body fails, fails with that, and its handler has a controller as ever', async () => {
  const failed: unknown[] = [];
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => void failed.push('started'),
    onResponseError: (controller, error) => void failed.push(controller.aborted, error),
  };
  const error = new RangeError('no more of it');
  const parts = { errors: {}, parseHeaders: () => ({}) };
  await serveTaken(handler, parts, { sentBytes: undefined, contentType: undefined, failure: { error } });
  expect(failed).toEqual([false, error]);
});
