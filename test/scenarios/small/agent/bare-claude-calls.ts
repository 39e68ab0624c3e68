// Calls of a library that traces itself, with nothing of Reenact around them: in a span from before there was a provider, and bare.
import Anthropic from '@anthropic-ai/sdk';
import { trace } from '@opentelemetry/api';

const client = new Anthropic();

async function ask(content: string): Promise<void> {
  const answer = await client.messages.create({
    model: 'claude-sonnet-5',
    max_tokens: 100,
    messages: [{ role: 'user', content }],
  });
  console.log(JSON.stringify(answer.content));
}

await trace.getTracer('app').startActiveSpan('early', async (span) => {
  await ask('first');
  span.end();
});
await ask('second');
await ask('third');
