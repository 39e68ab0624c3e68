const { createOpenAI } = require('@ai-sdk/openai');
const { generateText } = require('ai');

exports.run = async (address) => {
  const model = createOpenAI({ apiKey: 'sk-secret', baseURL: `${address}/v1` }).chat('gpt-4o');
  const { text } = await generateText({ model, prompt: 'sell $1,000 worth' });
  return text;
};
