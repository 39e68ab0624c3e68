import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runStoreRequest } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { startProcess } from '../durability/start-process.ts';
import { eventually, makeSpan, postSpans, Testbed, traceIdOf } from '../testbed.ts';

describe('what is asked of a collector that runs', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it.each([
    ['what is stored', 1, 1],
    ['what it may have deleted already', 2, 0],
  ])(
    'is done by whoever asked, where the collector is killed before it answers: %s',
    async (_label, trace, deletedItems) => {
      const directory = await testbed.directory();
      const { child, httpUrl } = await startProcess(directory);
      await (await postSpans(httpUrl, [makeSpan()])).text();
      child.kill('SIGSTOP');
      const asked = runStoreRequest(directory, { type: 'delete-trace', tenant: 'default', id: traceIdOf(trace) });
      const isAsked = () => readdirSync(directory, { recursive: true }).some((name) => name.includes('.request.json'));
      await eventually('a request', async () => isAsked()).finally(() => child.kill('SIGKILL'));
      expect(await asked).toEqual({ deletedItems, isContinued: true });
      expect(readdirSync(join(directory, 'requests'))).toEqual(['room']);
    },
  );
});
