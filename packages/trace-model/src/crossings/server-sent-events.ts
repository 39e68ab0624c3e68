/** One server-sent event: its type where one was named, and its data lines joined. */
export interface ServerSentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

/**
 * Reads a whole event stream as the HTML standard says: every line ending, comments skipped, an event without data
 * dropped. What stands after the last blank line is read too, because a stream that broke off is still worth a look.
 */
export function readServerSentEvents(text: string): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  let event: string | undefined;
  let data: string[] = [];
  const dispatch = (): void => {
    if (data.length > 0) events.push({ event, data: data.join('\n') });
    event = undefined;
    data = [];
  };
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    if (line === '') {
      dispatch();
      continue;
    }
    const [name, value] = fieldOf(line);
    if (name === 'data') data.push(value);
    if (name === 'event') event = value;
  }
  dispatch();
  return events;
}
