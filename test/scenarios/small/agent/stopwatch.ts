// How long everything took, by each clock that only runs forward, beside clients that read the same clocks for themselves.
import OpenAI from 'openai';
import { agent, tool } from 'reenact';
import { fetch as undiciFetch } from 'undici';

const openai = new OpenAI();
const loadedAt = performance.now();
const url = `${process.env.OPENAI_BASE_URL}/models`;

const readPrices = tool(
  'read_prices',
  async () => {
    const start = process.hrtime();
    const aborted = await fetch(url, { signal: AbortSignal.timeout(1) }).catch((error: Error) => error.name);
    const all = await Promise.all([fetch(url), undiciFetch(url)].map(async (call) => (await call).status));
    return { isAborted: typeof aborted === 'string', statuses: all, took: process.hrtime(start) };
  },
  { effect: 'read' },
);

const run = agent('stopwatch', async () => {
  const [startMs, startNano] = [performance.now(), process.hrtime.bigint()];
  const { took } = await readPrices();
  const stream = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    stream: true,
    messages: [{ role: 'user', content: `The prices took ${took} and ${performance.now() - startMs} ms.` }],
  });
  const chunksAtMs: number[] = [];
  for await (const _chunk of stream) chunksAtMs.push(performance.now());
  await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    chunksAtMs,
    took,
    wallMs: performance.timeOrigin + performance.now(),
    tookNano: String(process.hrtime.bigint() - startNano),
    uptime: process.uptime(),
    isAfterStart: performance.now() > loadedAt,
  };
});

console.log(JSON.stringify(await run()));
