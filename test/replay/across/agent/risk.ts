// The risk service: what it finds goes into a book, which cannot be undone.
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { tool } from 'reenact';
import { methods, serveJson } from './json-rpc.ts';

interface Order {
  readonly shares: number;
}

const assess = tool('assess', async ({ shares }: { shares: number; limit: number }): Promise<string> => {
  appendFileSync(process.env.DESK_BOOK ?? '', `assessed ${shares}\n`);
  return `${shares} shares are fine`;
});

const price = tool('price', async (minute: number): Promise<number> => {
  appendFileSync(process.env.DESK_BOOK ?? '', `priced ${minute}\n`);
  return 100 + minute + Math.random();
});

const opinion = tool('opinion', async (): Promise<string> => {
  await pause(400);
  return 'in time';
});

/** Whoever asks does not wait long: which of the two is first decides what is said. */
function opinionInTime(): Promise<string> {
  return Promise.race([opinion(), pause(100, 'too late')]);
}

async function watch(call: ServerWritableStream<Order, unknown>): Promise<void> {
  for (const minute of [1, 2]) call.write({ price: await price(minute) });
  call.end();
}

serveJson(
  { assess: methods.assess, watch: methods.watch },
  {
    assess: (call: ServerUnaryCall<Order, unknown>, callback: sendUnaryData<unknown>) => {
      const limit = Number(process.env.RISK_LIMIT ?? 5_000);
      Promise.all([assess({ ...call.request, limit }), opinionInTime()]).then(
        ([verdict, timing]) => callback(null, { verdict: `${verdict}, opinion ${timing}` }),
        (error: Error) => callback(error),
      );
    },
    watch: (call: ServerWritableStream<Order, unknown>) => {
      watch(call).catch((error: Error) => call.emit('error', error));
    },
  },
);
