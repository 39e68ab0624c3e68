import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { replay } from '@reenact/replay';
import fc from 'fast-check';
import { agent, tool } from 'reenact';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

/** One question: in which piece of what comes its reply is, and how many promises the agent puts behind it. */
interface Question {
  readonly piece: number;
  readonly depth: number;
}

/** A connection as those of Redis: replies are given in the order of the questions, all of a piece in one step. */
class Connection {
  private readonly waiting: { readonly piece: number; readonly give: () => void }[] = [];

  ask(index: number, piece: number): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.waiting.push({ piece, give: () => resolve(`reply ${index}`) });
    return promise;
  }

  async receive(pieces: number): Promise<void> {
    for (let piece = 0; piece < pieces; piece += 1) {
      await new Promise(setImmediate);
      for (const reply of this.waiting) if (reply.piece === piece) reply.give();
    }
  }
}

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

const pieces = 3;
const question = fc.record({ piece: fc.nat({ max: pieces - 1 }), depth: fc.nat({ max: 4 }) });

/** An agent that asks all at once and tells in which order what stands behind the replies was reached. */
function asker(questions: readonly Question[], connection: Connection): () => Promise<number[]> {
  const ask = tool('ask', (index: number, piece: number) => connection.ask(index, piece), { effect: 'read' });
  return agent('asker', async () => {
    const order: number[] = [];
    await Promise.all(
      questions.map(({ piece, depth }, index) => {
        let reply: Promise<unknown> = ask(index, piece);
        for (let step = 0; step < depth; step += 1) reply = reply.then((text) => text);
        return reply.then(() => order.push(index));
      }),
    );
    return order;
  });
}

it('replies that came in one piece lead where they led, however long the chains of promises behind them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(question, { minLength: 2, maxLength: 6 }), async (questions) => {
      let recorded: number[] = [];
      const connection = new Connection();
      const run = asker(questions, connection);
      const recording = await recordRun(async () => {
        [recorded] = await Promise.all([run(), connection.receive(pieces)]);
      });
      const report = await replay({ recording, run: asker(questions, new Connection()) });
      expect(report.value).toEqual(recorded);
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    }),
    {
      numRuns: 100,
      examples: [
        [
          [
            { piece: 0, depth: 2 },
            { piece: 0, depth: 0 },
          ],
        ],
      ],
    },
  );
});
