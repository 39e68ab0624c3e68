import { trace } from '@opentelemetry/api';
import OpenAI from 'openai';
import { agent, tool } from 'reenact';

const client = new OpenAI();
const tracer = trace.getTracer('flows');
const roll = tool('roll', (sides: number) => 1 + Math.floor(Math.random() * sides), { effect: 'read' });

/** A flow of a framework that begins a trace of its own for each, as Genkit does. */
function flow<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return tracer.startActiveSpan(name, { root: true }, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });
}

const game = agent('game', async () => {
  const before = roll(6);
  const said = await flow('turn', async () => {
    const answer = await client.chat.completions.create({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: `I rolled ${roll(20)}.` }],
    });
    return answer.choices[0]?.message.content;
  });
  return [before, said, roll(100)].join(' ');
});

process.stdout.write(`${await game()}\n`);
