// One turn of a conversation: a message is received, looked up and answered. MESSAGE says what the customer writes; on a
// replay nobody writes anything, the message comes from the recording. FIX=on changes what is looked up.
import { agent, boundary, tool, withIdentity } from 'reenact';

const receive = boundary('message', 'inbox', async () => process.env.MESSAGE ?? 'nobody wrote');

const lookUp = tool(
  'look_up',
  async ({ topic }: { topic: string }) => {
    if (process.env.TOOL_MUST_NOT_RUN === '1') throw new Error('the tool ran');
    return { topic, answer: `all about ${topic}` };
  },
  { effect: 'read' },
);

const answer = agent('answerer', async () => {
  const message = await receive();
  const topic = process.env.FIX === 'on' ? message.replace('quantum', 'quantum physics') : message;
  const { answer: text } = await lookUp({ topic });
  return text;
});

const sessionId = process.env.SESSION;
console.log(await (sessionId === undefined ? answer() : withIdentity({ sessionId }, answer)));
