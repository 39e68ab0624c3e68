import { agent, tool } from 'reenact';

/** A timer that was set before every run sends on what there is, at times that are none of the run's. */
const mustNotRun = process.env.TOOLS_MUST_NOT_RUN === '1';

function sending(name: string): (beat: number) => Promise<string> {
  return tool(name, async (beat: number) => {
    if (mustNotRun) process.stderr.write('ran for real\n');
    return `${beat} sent`;
  });
}

const sendUsage = sending('send_usage');
const sendNews = sending('send_news');
const look = tool(
  'look',
  async (place: string) => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return `${place} is fine`;
  },
  { effect: 'read' },
);

/** Began before every run, too, but does something only where the run asks for it. */
let wake: () => void = () => undefined;
const woken = new Promise<void>((resolve) => {
  wake = resolve;
});
void woken.then(() => sendUsage(3)).catch(() => undefined);

const asker = agent('asker', async () => {
  const first = await look('one');
  if (process.env.WAKES === '1') wake();
  return [first, await look(process.env.PLACE ?? 'two')];
});

await sendUsage(1);
const beat = process.env.NEWS === '1' ? sendNews : sendUsage;
setInterval(() => void beat(2).catch(() => undefined), Number(process.env.BEAT_MS ?? 60_000));
console.log(JSON.stringify(await asker()));
process.exit(0);
