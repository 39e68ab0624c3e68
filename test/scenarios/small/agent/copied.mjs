// The hook is imported as an `instrumentation.ts` of Next.js does it, whose `output: 'standalone'` copies what can be found by reading code.
await import('reenact/register');
const { OpenAI } = await import('openai');

const messages = [{ role: 'user', content: 'hello' }];
const answer = await new OpenAI().chat.completions.create({ model: 'gpt-5-mini', messages });
console.log(answer.choices[0].message.content);
