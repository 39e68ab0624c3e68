const OpenAI = require('openai');

exports.run = async (address) => {
  const { act } = await import('./openai-act.mjs');
  return act(OpenAI, new OpenAI({ apiKey: 'k', baseURL: `${address}/v1`, logLevel: 'off', maxRetries: 1 }));
};
