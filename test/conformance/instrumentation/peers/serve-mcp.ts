// Run as a process of its own: a server of the Model Context Protocol over stdio. Its argument is the file that every start
// and every request adds a line to.
import { appendFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { McpAnswers, type McpMessage } from './mcp-answers.ts';

const [, , contactsPath = ''] = process.argv;
const answers = new McpAnswers();
const held: (() => void)[] = [];

function say(message: object): void {
  writeSync(1, `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function send({ id }: McpMessage, answer: object): void {
  say({ id, ...answer });
}

async function serve(message: McpMessage): Promise<void> {
  const answer = await answers.answer(message, say);
  switch (answer.type) {
    case 'result':
      return send(message, { result: answer.result });
    case 'error': {
      const { code, message: said, data } = answer;
      return send(message, { error: { code, message: said, data } });
    }
    case 'limit':
      return send(message, { error: { code: -32_029, message: 'slow down', data: { retryAfter: 0 } } });
    case 'break':
      writeSync(1, '{"jsonrpc":"2.0","res');
      process.exit(1);
      break;
    case 'nothing':
      return;
  }
}

function hear(message: McpMessage): void {
  if (message.id === undefined) {
    answers.notified(message);
    return;
  }
  if (message.method === undefined) {
    answers.answered(message);
    return;
  }
  appendFileSync(contactsPath, `${message.method}\n`);
  if (message.params?.name !== 'held') {
    void serve(message);
    return;
  }
  held.push(() => void serve(message));
  if (held.length === 3) for (const answer of held.splice(0).reverse()) answer();
}

appendFileSync(contactsPath, 'start\n');
createInterface({ input: process.stdin }).on('line', (line) => hear(JSON.parse(line) as McpMessage));
