import type { ModelUsage } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { PriceTable } from './price-table.ts';

/** Powers of two, so that sums are exact and tell which counts they are made of. */
const CACHED = { cacheReadPerMillion: 4, cacheWritePerMillion: 16 };
const TABLE = new PriceTable({
  currency: 'EUR',
  models: [
    { model: 'large', provider: 'acme', inputPerMillion: 2, outputPerMillion: 64, ...CACHED },
    { model: 'large', inputPerMillion: 128, outputPerMillion: 128 },
    { model: 'small-*', provider: 'ac*', inputPerMillion: 1, outputPerMillion: 8 },
  ],
});
const MILLION = 1_000_000;
const USED = { model: 'large', provider: 'acme', calls: 3, inputTokens: 7 * MILLION, outputTokens: MILLION };

it.each<[string, Partial<ModelUsage>, number]>([
  ['what goes in and what comes out', {}, 7 * 2 + 64],
  ['what was read from a cache at its own price', { cacheReadTokens: 3 * MILLION }, 4 * 2 + 3 * 4 + 64],
  ['what was written to one, too', { cacheWriteTokens: 3 * MILLION }, 4 * 2 + 3 * 16 + 64],
  ['both, and the rest', { cacheReadTokens: MILLION, cacheWriteTokens: 2 * MILLION }, 4 * 2 + 4 + 2 * 16 + 64],
  ['nothing less where more was cached than went in', { inputTokens: 0, cacheReadTokens: MILLION }, 4 + 64],
  ['what another provider asks for', { provider: 'other' }, 7 * 128 + 128],
  ['what is asked for by whoever names none', { provider: undefined }, 7 * 128 + 128],
  ['cached tokens like others where nothing is said of them', { model: 'small-3', cacheReadTokens: MILLION }, 7 + 8],
  ['what is written to a cache like others, too', { model: 'small-3', cacheWriteTokens: MILLION }, 7 + 8],
])('reckons %s', (_what, members, amount) => {
  expect(TABLE.costOf([{ ...USED, ...members } as ModelUsage])).toEqual({ amount, currency: 'EUR' });
});

it('names each model without a price once, and leaves its tokens out', () => {
  const unknown = ['small-3', 'larger', 'larger', 'big'].map((model) => ({ ...USED, model, provider: 'none' }));
  expect(TABLE.costOf([...unknown, USED])).toEqual({
    amount: 78,
    currency: 'EUR',
    unpricedModels: ['big', 'larger', 'small-3'],
  });
  expect(TABLE.costOf([])).toBeUndefined();
});
