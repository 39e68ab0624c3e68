// A bot that asks for messages again and again, until a signal has it give up the question that is open, and take its leave. HEARS: `nothing`, for
// which the platform ends it; or what it does about a signal: `passes` it on to itself, as what cleans up at the end does, or `leaves` at once.
const { POLLED_URL = '', HEARS } = process.env;
const stop = new AbortController();
const signals = ['SIGTERM', 'SIGINT'] as const;
let offset = 0;

async function ask(path: string): Promise<readonly string[]> {
  const answer = await fetch(`${POLLED_URL}${path}`, { signal: stop.signal });
  return (await answer.json()) as string[];
}

async function takeLeave(signal: string): Promise<void> {
  stop.abort();
  const answer = await fetch(`${POLLED_URL}/bye`, { method: 'POST', body: JSON.stringify({ signal, offset }) });
  console.log(await answer.text());
}

function hears(signal: NodeJS.Signals, code: number): void {
  console.log(`${signal} ${code} after ${offset}`);
  if (HEARS === 'leaves') process.exit(7);
  if (HEARS === 'passes') {
    for (const name of signals) process.off(name, hears);
    process.kill(process.pid, signal);
  } else void takeLeave(signal);
}

if (HEARS !== 'nothing') for (const signal of signals) process.on(signal, hears);
console.log('started');
while (!stop.signal.aborted) {
  const messages = await ask(`/messages/${offset}`).catch((error: Error) => [error.name]);
  for (const message of messages) console.log(`got ${message}`);
  offset += messages.length;
}
