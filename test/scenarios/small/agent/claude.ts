// An agent on the Anthropic SDK: a loop with a tool, and a streamed answer with thinking.
import Anthropic from '@anthropic-ai/sdk';
import { agent, tool } from 'reenact';

const { ANTHROPIC_BASE_URL, TOOLS_MUST_NOT_RUN } = process.env;
const client = new Anthropic({ apiKey: 'local', baseURL: ANTHROPIC_BASE_URL, maxRetries: 0 });

const price = tool('price', async ({ symbol }: { symbol: string }) => {
  if (TOOLS_MUST_NOT_RUN !== undefined) throw new RangeError('the tool has run');
  return `${symbol} costs 190`;
});

async function ask(messages: Anthropic.MessageParam[]): Promise<string> {
  const message = await client.messages.create({ model: 'calls-tools', max_tokens: 64, messages });
  const used = message.content.find((block) => block.type === 'tool_use');
  if (used === undefined) return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const content = await price(used.input as { symbol: string });
  const result = { type: 'tool_result', tool_use_id: used.id, content } as const;
  return ask([...messages, { role: 'assistant', content: message.content }, { role: 'user', content: [result] }]);
}

const trade = agent('claude', async (prompt: string) => {
  const text = await ask([{ role: 'user', content: prompt }]);
  const deltas: string[] = [];
  const stream = client.messages.stream({
    model: 'claude',
    max_tokens: 64,
    messages: [{ role: 'user', content: text }],
  });
  stream.on('text', (delta) => deltas.push(delta));
  const { content, stop_reason: stopReason } = await stream.finalMessage();
  return { text, deltas, content, stopReason };
});

console.log(JSON.stringify(await trade('What does ACME cost?')));
