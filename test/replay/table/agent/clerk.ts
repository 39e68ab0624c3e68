// One agent with every sort of call. CHANGE says in what it is another one than when it was recorded.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { agent, boundary, guardrail, tool, withToolCallId } from 'reenact';

const change = process.env.CHANGE ?? '';

function real(what: string): void {
  console.log(`${what} ran for real`);
}

const look = tool(
  'look',
  async (asked: { readonly item: string }) => {
    real('look');
    return { item: asked.item, price: change === '' ? 190 : 7 };
  },
  { effect: 'read' },
);
const note = tool('note', async (_text: string) => real('note'));
const send = tool('send', async (_text: string) => real('send'));
const news = tool('news', async () => real('news'), { effect: 'read' });
const ticks = tool(
  'ticks',
  async function* () {
    yield { price: 189 };
    yield { price: 190 };
  },
  { effect: 'read' },
);
const check = guardrail('check', (_shares: number) => ({ allowed: change !== 'stricter' }));
const model = boundary('model', 'local.chat', async (_request: object) => 'Sell.');
const inner = tool('inner', async (asked: string) => `inner ${asked}`, { effect: 'read' });
const outer = tool('outer', async (asked: string) => inner(asked), { effect: 'read' });
const helper = agent('helper', async () => look({ item: 'helped' }));
const scribe = agent('scribe', async (file: string) => {
  const acts = [
    async () => writeFileSync(file, 'by code'),
    async () =>
      execFileSync(process.execPath, ['--eval', `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`]),
    news,
  ];
  for (const act of acts) await act().catch(() => undefined);
});

async function looks(): Promise<number> {
  const item = change === 'argument' ? 'b' : 'a';
  const [first, second] = await Promise.all([
    withToolCallId('call_1', () => look({ item })),
    withToolCallId('call_2', () => look({ item: 'c' })),
  ]).catch((error: unknown) => [{ price: `${error}` }, { price: 0 }]);
  return Number(first?.price ?? 0) + Number(second?.price ?? 0);
}

async function writes(): Promise<void> {
  if (change === 'order') await send('done');
  await note('seen');
  if (change === 'new call') await news();
  if (change !== 'order' && change !== 'left out') await send('done');
  if (change === 'again') await send('done');
}

async function streamed(): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const { price } of ticks()) seen.push(price);
  } catch (error) {
    seen.push((error as Error).name);
  }
  return seen;
}

const clerk = agent('clerk', async () => {
  if (change === 'new first call') await news();
  if (change === 'new agent') await scribe(process.env.SCRIBE_FILE ?? '');
  const price = await looks();
  await writes();
  const seen = await streamed();
  const description = change === 'schema' ? 'Buys.' : 'Sells.';
  const tools = [{ type: 'function', function: { name: 'sell', description } }];
  const said = await model({ model: 'small', messages: [{ role: 'user', content: 'What now?' }], tools });
  if (change === 'elsewhere') await inner('x');
  else await outer('x');
  await helper();
  const { allowed } = check(1000);
  return change === 'outcome' ? { allowed } : { price, seen, said, allowed };
});

const result = await clerk();
console.log(JSON.stringify(result));
