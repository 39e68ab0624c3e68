/** What the application does with whichever copy of `openai` it has loaded; everything it gives is JSON. */
export async function act(OpenAI, client) {
  const messages = [{ role: 'user', content: 'sell $1,000 worth' }];
  const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages });
  const contents = [];
  for await (const chunk of await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true })) {
    contents.push(chunk.choices[0]?.delta.content);
  }
  const once = client.withOptions({ maxRetries: 0 });
  const error = await once.chat.completions.create({ model: 'limited', messages }).catch((thrown) => thrown);
  return { choices, contents, isOwnClass: error instanceof OpenAI.RateLimitError, status: error.status };
}
