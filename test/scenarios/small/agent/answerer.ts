// The agent of a conversation; importing it runs nothing.
import { agent, boundary, tool } from 'reenact';

const receive = boundary('message', 'inbox', async () => process.env.MESSAGE ?? 'nobody wrote');

const lookUp = tool(
  'look_up',
  async ({ topic }: { topic: string }) => {
    if (process.env.TOOL_MUST_NOT_RUN === '1') throw new Error('the tool ran');
    return { topic, answer: `all about ${topic}` };
  },
  { effect: 'read' },
);

/** One turn: a message is received, looked up and answered. */
export const answer = agent('answerer', async () => {
  const message = await receive();
  const topic = process.env.FIX === 'on' ? message.replace('quantum', 'quantum physics') : message;
  const { answer: text } = await lookUp({ topic });
  return text;
});
