import type { Cost } from '../collector-api/token-usage.ts';

/** A cost as people write it; models without a price are counted as such. */
export function costText({ amount, currency, unpricedModels = [] }: Cost): string {
  const digits = amount === 0 || amount >= 1 ? 2 : 6;
  const open = unpricedModels.length === 0 ? '' : ' + models without a price';
  return `${amount.toFixed(digits)} ${currency}${open}`;
}
