// The SDK's own retries: a provider that says 429 with retry-after, and one that is too slow for the client's timeout.
import OpenAI from 'openai';
import { agent } from 'reenact';

const openai = new OpenAI();
const ask = (content: string, options: OpenAI.RequestOptions = {}): Promise<OpenAI.ChatCompletion> =>
  openai.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] }, options);

const run = agent('patient', async () => {
  const limited = await ask('be limited');
  const timedOut = await ask('be slow', { timeout: 50, maxRetries: 1 }).catch((error: unknown) => `${error}`);
  const aborted = await ask('be slow', { signal: AbortSignal.timeout(80), maxRetries: 0 }).catch(
    (error: unknown) => `${error}`,
  );
  return { limited: limited.choices[0]?.message.content, timedOut, aborted };
});

const startedAt = performance.now();
console.log(JSON.stringify(await run()));
if (process.env.SAY_DURATION === '1') console.error(`took ${performance.now() - startedAt}`);
