// Asks by another way of reading standard input each time, which its argument names.
import { closeSync, createReadStream, openSync, read, readFile, readFileSync, readSync } from 'node:fs';
import { readFile as fileOfPromises } from 'node:fs/promises';
import { Socket } from 'node:net';
import { stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { agent } from 'reenact';

const answer = agent('answerer', async (question: string): Promise<string> => `seen ${question.trim()}`);

const ways: Readonly<Record<string, () => string | Promise<string>>> = {
  file: () => readFileSync(0, 'utf8'),
  piece: () => {
    const bytes = Buffer.alloc(64);
    return bytes.toString('utf8', 0, readSync(0, bytes));
  },
  path: () => readFileSync('/dev/stdin', 'utf8'),
  url: () => String(readFileSync(new URL('file:///dev/stdin'))),
  promise: () => fileOfPromises('/dev/stdin', 'utf8'),
  callback: () => promisify(readFile)(0, 'utf8'),
  opened: () => readFileSync(openSync('/dev/stdin', 'r'), 'utf8'),
  later: async () => {
    const { bytesRead, buffer } = await promisify(read)(0, Buffer.alloc(64), 0, 64, null);
    return buffer.toString('utf8', 0, bytesRead);
  },
  stream: () => text(createReadStream('', { fd: 0 })),
  socket: () => text(new Socket({ fd: 0 })),
  line: async () => {
    for await (const line of createInterface({ input: stdin })) return line;
    return '';
  },
  terminal: () => `${process.stdin.isTTY === true}`,
  other: () => {
    const own = openSync(import.meta.filename, 'r');
    const bytes = Buffer.alloc(2);
    readSync(own, bytes);
    closeSync(own);
    return String(bytes);
  },
};

console.log(await answer((await ways[process.argv[2] ?? '']?.()) ?? ''));
