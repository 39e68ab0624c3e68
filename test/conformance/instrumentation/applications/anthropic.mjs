import Anthropic from '@anthropic-ai/sdk';
import { act } from './anthropic-act.mjs';

export const run = (address) =>
  act(Anthropic, new Anthropic({ apiKey: 'k', baseURL: address, logLevel: 'off', maxRetries: 1 }));
