// An agent whose clock somebody watches while a debugger holds it.
import { appendFileSync } from 'node:fs';
import { agent, tool } from 'reenact';

const getQuote = tool(
  'get_quote',
  async ({ symbol }: { symbol: string }) => {
    if (process.env.LIVE_MARKER !== undefined) appendFileSync(process.env.LIVE_MARKER, `${symbol}\n`);
    return `${symbol} at 190`;
  },
  { effect: 'read' },
);

// With WATCH_CLOCK the clock is read where it was not when this was recorded, so that nothing recorded answers.
const now = (): number => (process.env.WATCH_CLOCK === '1' ? Date.now() : 0);

const readAll = agent('reader', async () => {
  const quotes: string[] = [];
  for (const symbol of ['ACME', 'GLOBEX', 'INITECH']) {
    const asked = `asking for ${symbol}`;
    const startedAt = now();
    const quote = await getQuote({ symbol });
    const tookMs = now() - startedAt;
    quotes.push(quote);
    console.log(`${asked}: ${tookMs < 1_000 ? 'at once' : `after ${tookMs} ms`}`);
  }
  return quotes;
});

await readAll();
