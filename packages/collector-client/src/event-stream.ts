/** One message of a stream of server-sent events. */
export interface StreamMessage {
  /** The last id that was sent, with this message or before it. */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}

/**
 * Reads a stream of server-sent events as the HTML standard defines it. A message that was cut off is left out. A message with an
 * id and no data is given with empty data, so that its reader knows where it is.
 */
export async function* readEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamMessage> {
  let id: string | undefined;
  let event = '';
  let data: string[] = [];
  let hasId = false;
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      if (data.length > 0 || hasId) yield { id, event: event === '' ? 'message' : event, data: data.join('\n') };
      event = '';
      data = [];
      hasId = false;
      continue;
    }
    const [name, value] = fieldOf(line);
    if (name === 'id' && !value.includes('\0')) {
      id = value;
      hasId = true;
    } else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
}
