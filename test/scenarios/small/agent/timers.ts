// Every way an agent waits: races, back-off, busy loops, deadlines, heartbeats. WORK_MS is how long the tools take.
import { setTimeout as delay } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const workMs = Number(process.env.WORK_MS ?? '40');
const slow = tool('slow', async ({ ms }: { ms: number }) => delay(ms, `slow ${ms}`), { effect: 'read' });
const quick = tool('quick', async ({ step }: { step: number }) => `quick ${step}`, { effect: 'read' });

const timeout = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(resolve, ms, `timeout ${ms}`));

async function race(): Promise<string[]> {
  return [
    await Promise.race([slow({ ms: workMs }), timeout(workMs * 5)]),
    await Promise.race([slow({ ms: workMs * 5 }), timeout(workMs)]),
  ];
}

function busyUntil(deadline: number): void {
  while (Date.now() < deadline);
}

async function heartbeat(): Promise<number> {
  let beats = 0;
  const timer = setInterval(() => {
    beats += 1;
  }, workMs);
  await slow({ ms: workMs * 4 + workMs / 2 });
  clearInterval(timer);
  return beats;
}

async function aborted(): Promise<string> {
  const signal = AbortSignal.timeout(workMs);
  const reason = new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve(`${signal.reason}`)));
  return Promise.race([reason, slow({ ms: workMs * 3 })]);
}

async function poll(): Promise<number> {
  const deadline = Date.now() + workMs * 4;
  let polls = 0;
  while (Date.now() < deadline) {
    await quick({ step: polls });
    polls += 1;
    await delay(workMs);
  }
  return polls;
}

const run = agent('waiter', async () => {
  const raced = await race();
  busyUntil(Date.now() + workMs);
  const beats = await heartbeat();
  const polls = await poll();
  return { raced, beats, polls, aborted: await aborted() };
});

console.log(JSON.stringify(await run()));
