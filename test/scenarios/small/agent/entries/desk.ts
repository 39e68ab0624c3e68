import { agent, tool } from 'reenact';
import { Order, placeOrder } from './broker.ts';

const summarise = tool('summarise', async (text: string) => `summary of ${text}`, { effect: 'read' });

/** A sub-agent. */
export const analyst = agent('analyst', async ({ topic }: { topic: string }) => summarise(topic));

async function* words(texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) yield text;
}

export const streamWords = tool('stream_words', words, { effect: 'read' });

interface Request {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export const answer = agent('desk', async ({ text, onText }: Request) => {
  const risk = await analyst({ topic: text });
  const spoken: string[] = [];
  for await (const word of streamWords(['a', 'b', 'c'])) {
    spoken.push(word);
    if (spoken.length === 2) break;
  }
  const { label, value } = await placeOrder(new Order('ACME', 1000));
  onText(label);
  return { risk, label, value, spoken };
});
