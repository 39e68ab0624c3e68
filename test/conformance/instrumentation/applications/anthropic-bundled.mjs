import Anthropic from '@anthropic-ai/sdk';
import { instrumentAnthropic } from '@reenact/instrumentation-anthropic';
import { act } from './anthropic-act.mjs';

export const run = (address) => {
  const client = new Anthropic({ apiKey: 'k', baseURL: address, logLevel: 'off', maxRetries: 1 });
  return act(Anthropic, instrumentAnthropic(client));
};
