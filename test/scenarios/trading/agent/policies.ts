import { retrieval } from 'reenact';
import { EMBEDDING_MODEL, openai } from './provider-client.ts';

interface PolicyDocument {
  readonly id: string;
  readonly content: string;
}

const documents: readonly PolicyDocument[] = [
  {
    id: 'P-1',
    content: 'Orders are placed in whole shares. Amounts in dollars are converted at the last traded price.',
  },
  { id: 'P-2', content: 'Any order above 1,000 shares needs a second signature.' },
  { id: 'P-3', content: 'Customers are told the number of shares and the value of every executed order.' },
];

function similarity(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

/** The two policy documents nearest to the question, by embedding. */
export const searchPolicies = retrieval('policies', async ({ query }: { query: string }) => {
  const { data } = await openai.embeddings.create({
    model: EMBEDDING_MODEL,
    dimensions: 16,
    encoding_format: 'float',
    input: [query, ...documents.map(({ content }) => content)],
  });
  const [asked, ...known] = data.map(({ embedding }) => embedding);
  return documents
    .map((document, index) => ({ ...document, score: similarity(asked ?? [], known[index] ?? []) }))
    .sort((left, right) => right.score - left.score)
    .slice(0, 2);
});
