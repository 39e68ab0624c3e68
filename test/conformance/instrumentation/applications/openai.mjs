import OpenAI from 'openai';
import { act } from './openai-act.mjs';

export const run = (address) =>
  act(OpenAI, new OpenAI({ apiKey: 'k', baseURL: `${address}/v1`, logLevel: 'off', maxRetries: 1 }));
