import { expect, it } from 'vitest';
import { reportEarlyTracer } from './early-tracer.ts';
import { trapLog } from './trap-log.ts';

it('tells of a tracer that was loaded before the hook, and of none where there is none', () => {
  const found: string[] = [];
  const stop = trapLog.listen(({ kind, detail }) => found.push(`${kind}: ${detail}`));
  reportEarlyTracer({});
  expect(found).toEqual([]);
  reportEarlyTracer({ [Symbol.for('dd-trace')]: {} });
  expect(found).toEqual(['tracer-first: dd-trace']);
  stop();
});
