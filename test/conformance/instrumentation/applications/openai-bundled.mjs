import { instrumentOpenAI } from '@reenact/instrumentation-openai';
import OpenAI from 'openai';
import { act } from './openai-act.mjs';

export const run = (address) => {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${address}/v1`, logLevel: 'off', maxRetries: 1 });
  return act(OpenAI, instrumentOpenAI(client));
};
