// An agent that works until it is killed. After each crossing, when it has the result, it says so by a synchronous write.
// Argument: the seed of what it does.
import { writeSync } from 'node:fs';
import { setTimeout as after, setImmediate as turn } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { agent, tool } from 'reenact';

let state = Number(process.argv[2] ?? '1');

/** A number below `limit`, the same for the same seed. */
function draw(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

function size(): number {
  const kind = draw(20);
  if (kind === 0) return 40_000 + draw(20_000);
  return kind === 1 ? 70_000 + draw(400_000) : draw(2_000);
}

interface Asked {
  readonly id: number;
  readonly size: number;
}

let spanId = '';

function answer({ id, size: characters }: Asked): { id: number; text: string } {
  spanId = trace.getActiveSpan()?.spanContext().spanId ?? '';
  return { id, text: String(id % 10).repeat(characters) };
}

const atOnce = tool('at_once', (asked: Asked) => answer(asked), { effect: 'none' });
const later = tool('later', async (asked: Asked) => {
  const result = answer(asked);
  if (draw(3) === 0) await turn();
  return result;
});

const run = agent('run', async (first: number) => {
  const { traceId = '' } = trace.getActiveSpan()?.spanContext() ?? {};
  for (let step = 0; step < 25; step += 1) {
    const asked = { id: first + step, size: size() };
    const { id, text } = draw(2) === 0 ? atOnce(asked) : await later(asked);
    writeSync(1, `${JSON.stringify({ traceId, spanId, id, characters: text.length })}\n`);
  }
});

for (let first = 0; ; first += 25) {
  await run(first);
  await after(10);
}
