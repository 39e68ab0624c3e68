// An agent that asks Anthropic's API twice, whole and streamed.
import Anthropic from '@anthropic-ai/sdk';
import { agent } from 'reenact';

const client = new Anthropic();

const main = agent('main', async () => {
  const request = { model: 'claude-sonnet-5', max_tokens: 100 };
  const whole = await client.messages.create({ ...request, messages: [{ role: 'user', content: 'whole' }] });
  const stream = client.messages.stream({ ...request, messages: [{ role: 'user', content: 'streamed' }] });
  return [whole.content, (await stream.finalMessage()).content, stream.request_id];
});

console.log(JSON.stringify(await main()));
