import { agent, tool } from 'reenact';

/** What a loop that began before every run sends on: what it calls stands outside of every run, as an exporter of telemetry does. */
const waiting: (() => void)[] = [];
let wake: () => void = () => undefined;

async function sendOn(): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (const task of waiting.splice(0)) task();
  }
}

void sendOn();

const sendUsage = tool('send_usage', async (tokens: number) => {
  if (process.env.TOOLS_MUST_NOT_RUN === '1') process.stderr.write('ran for real\n');
  return `${tokens} sent`;
});
const look = tool('look', async (place: string) => `${place} is fine`, { effect: 'read' });

const asker = agent('asker', async () => {
  const sent = new Promise<string>((resolve, reject) => {
    waiting.push(() => sendUsage(Number(process.env.TOKENS ?? 12)).then(resolve, reject));
    wake();
  });
  if (process.env.WAITS_FOR_IT === '1') return [await look('one'), await sent];
  sent.catch(() => undefined);
  return [await look('one'), await look('two')];
});

console.log(JSON.stringify(await asker()));
process.exit(0);
