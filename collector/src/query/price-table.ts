import type { Cost, ModelUsage, RunSummary } from '@reenact/trace-model/collector-api';
import type { CollectorConfig } from '../config.ts';

type Prices = NonNullable<CollectorConfig['prices']>;
type Price = Prices['models'][number];

const TOKENS_PER_PRICE = 1_000_000;

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

function costOf(
  { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ModelUsage,
  price: Price,
): number {
  const { inputPerMillion, outputPerMillion } = price;
  const { cacheReadPerMillion = inputPerMillion, cacheWritePerMillion = inputPerMillion } = price;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const sum =
    plain * inputPerMillion +
    cacheReadTokens * cacheReadPerMillion +
    cacheWriteTokens * cacheWritePerMillion +
    outputTokens * outputPerMillion;
  return sum / TOKENS_PER_PRICE;
}

/** Turns tokens into cost, by the prices somebody configured and no others. */
export class PriceTable {
  private readonly prices: Prices | undefined;

  constructor(prices: Prices | undefined) {
    this.prices = prices;
  }

  /** What this costs; undefined where there are no prices, or nothing was used. */
  costOf(usage: readonly ModelUsage[]): Cost | undefined {
    if (this.prices === undefined || usage.length === 0) return undefined;
    const unpriced = new Set<string>();
    let amount = 0;
    for (const used of usage) {
      const price = this.find(used);
      if (price === undefined) unpriced.add(used.model ?? '');
      else amount += costOf(used, price);
    }
    const { currency } = this.prices;
    return { amount, currency, ...(unpriced.size === 0 ? {} : { unpricedModels: [...unpriced].sort() }) };
  }

  /** A run with what it cost. */
  priced(run: RunSummary): RunSummary {
    const cost = this.costOf(run.usage);
    return cost === undefined ? run : { ...run, cost };
  }

  /** The first that fits, as they are written. */
  private find({ model = '', provider = '' }: ModelUsage): Price | undefined {
    return this.prices?.models.find(
      (price) => matches(price.model, model) && (price.provider === undefined || matches(price.provider, provider)),
    );
  }
}
