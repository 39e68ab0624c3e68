import type OpenAI from 'openai';

type Stream = AsyncIterable<OpenAI.Chat.Completions.ChatCompletionChunk>;

/** Asks one question and gives the answer. */
export async function ask(client: OpenAI, content: string): Promise<string | null> {
  const completion = await client.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content }],
  });
  return completion.choices[0]?.message.content ?? null;
}

/** Asks one question and gives the answer as it was streamed. */
export function stream(client: OpenAI, content: string): Promise<Stream> {
  return client.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content }],
    stream: true,
  });
}

/** The text of every chunk, in order. */
export async function textsOf(chunks: Stream): Promise<string[]> {
  const texts: string[] = [];
  for await (const chunk of chunks) texts.push(chunk.choices[0]?.delta.content ?? '');
  return texts;
}
