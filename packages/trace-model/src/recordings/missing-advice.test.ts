import { expect, it } from 'vitest';
import { missingAdvice } from './missing-advice.ts';
import { MISSING_CAUSES } from './missing-causes.ts';

it('says of a lossy value only what is to be done about that', () => {
  expect(missingAdvice('lossy', ['/output/when class Temporal', '/input/0/x symbol'])).toMatch(
    /\{ values: \[Order\] \}\)\.$/,
  );
  expect(missingAdvice('lossy', ['/error error-class BrokerError'])).toContain('errors: [BrokerError]');
  expect(missingAdvice('lossy', ['/input/1 function'])).toContain('util.promisify');
  expect(missingAdvice('lossy', ['/exchanges/0/response/chunks too-large'])).toBe(MISSING_CAUSES.lossy);
  expect(MISSING_CAUSES.lossy).not.toContain('function');
});

it('says of every other cause what it means', () => {
  expect(missingAdvice('pending', ['/input/1 function'])).toBe(MISSING_CAUSES.pending);
});
