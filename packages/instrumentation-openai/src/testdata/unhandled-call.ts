import { RecordedCalls } from '@reenact/instrumentation/testing';
import OpenAI from 'openai';
import { clientOf, patchOpenAI } from './client-suite.ts';

// Run as a process of its own: prints which calls failed without anybody handling it.
process.on('unhandledRejection', (error) => process.stdout.write(`${(error as Error).constructor.name}\n`));

const refusing = {
  maxRetries: 0,
  fetch: async () => new Response('{"error":{"message":"no"}}', { status: 401 }),
};
patchOpenAI();
const detach = new RecordedCalls().attach();
const client = clientOf('http://127.0.0.1:9', refusing);
const call = (): PromiseLike<unknown> => client.chat.completions.create({ model: "gpt-4o", messages: [] });
await Promise.resolve(call()).catch((error: unknown) => process.stdout.write(`handled: ${error instanceof OpenAI.AuthenticationError}\n`));
void call();
await new Promise((resolve) => process.once('unhandledRejection', resolve));
detach();
