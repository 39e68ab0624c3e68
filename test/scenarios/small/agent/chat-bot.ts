import { agent, tool } from 'reenact';

/** Connected before and beside every run, as a bot of a chat is: what is said to it begins its runs. */
const post = tool('post', async (text: string) => {
  if (process.env.TOOLS_MUST_NOT_RUN === '1') process.stderr.write('ran for real\n');
  return `${text} posted`;
});
const answer = agent('answer', async (text: string) => {
  const page = await fetch(`${process.env.CHAT_URL}/page`);
  return post(`${text} ${await page.text()}`);
});

// What was asked for first is in the run of the process, so that the request which opens the connection is as well.
await fetch(`${process.env.CHAT_URL}/connections.open`);
const socket = new WebSocket(`${process.env.CHAT_URL?.replace('http', 'ws')}/link`);
const answers: Promise<string>[] = [];
await new Promise<void>((resolve, reject) => {
  socket.addEventListener('error', () => reject(new Error('the connection failed')));
  socket.addEventListener('message', ({ data }) => {
    if (data !== 'hello') answers.push(answer(String(data)));
    if (answers.length === 2) resolve();
  });
});
console.log(JSON.stringify(await Promise.all(answers)));
process.exit(0);
