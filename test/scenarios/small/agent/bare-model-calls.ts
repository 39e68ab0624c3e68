// Three model calls and nothing around them: no agent wrapper, no inbound request.
import OpenAI from 'openai';

const openai = new OpenAI();
for (const question of ['first', 'second', 'third']) {
  const answer = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: question }],
  });
  console.log(answer.choices[0]?.message.content);
}
