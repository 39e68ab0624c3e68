/** What the application does with whichever copy of `@anthropic-ai/sdk` it has loaded; everything it gives is JSON. */
export async function act(Anthropic, client) {
  const asked = { max_tokens: 64, messages: [{ role: 'user', content: 'sell $1,000 worth' }] };
  const message = await client.messages.create({ ...asked, model: 'claude' });
  const final = await client.messages.stream({ ...asked, model: 'claude' }).finalMessage();
  const once = client.withOptions({ maxRetries: 0 });
  const error = await once.messages.create({ ...asked, model: 'limited' }).catch((thrown) => thrown);
  return { message, final, isOwnClass: error instanceof Anthropic.RateLimitError, status: error.status };
}
