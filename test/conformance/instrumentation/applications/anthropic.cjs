const Anthropic = require('@anthropic-ai/sdk');

exports.run = async (address) => {
  const { act } = await import('./anthropic-act.mjs');
  return act(Anthropic, new Anthropic({ apiKey: 'k', baseURL: address, logLevel: 'off', maxRetries: 1 }));
};
