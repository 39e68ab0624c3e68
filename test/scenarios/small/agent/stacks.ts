// What agents answer with when something fails, and show to models: the stack of an error, made after each sort of wait.

import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { agent, tool } from 'reenact';
import { request } from 'undici';

const openai = new OpenAI();
const url = `${process.env.OPENAI_BASE_URL}/models`;
const question = { model: 'gpt-5-mini', messages: [{ role: 'user' as const, content: 'Where?' }] };
const waits = tool('waits', async () => sleep(5));
const reads = tool('reads', async () => (await readFile(import.meta.filename)).length);

const run = agent('stacks', async () => {
  const stacks: Record<string, string | undefined> = {};
  const note = (after: string): void => {
    stacks[after] ??= new Error(after).stack;
  };
  const answer = await fetch(url);
  note('the head of an answer of fetch');
  await answer.text();
  note('its body');
  await openai.chat.completions.create(question);
  note('a model');
  for await (const _chunk of await openai.chat.completions.create({ ...question, stream: true })) note('a chunk');
  note('the end of a stream');
  const response = await new Promise<http.IncomingMessage>((resolve) => http.get(url, resolve));
  note('the head of an answer of node:http');
  await text(response);
  note('that body');
  await (await request(url)).body.text();
  note('undici');
  await waits();
  note('a tool that waits');
  await reads();
  note('a tool that reads a file');
  await sleep(5);
  note('a timer');
  return stacks;
});

console.log(JSON.stringify(await run()));
