import { readServerSentEvents } from '@reenact/trace-model';

/** One event of a stream with its text as it is sent, blank line included, and when it was complete. */
export interface EventBlock {
  /** Microseconds since the request was sent. */
  readonly atUs: number;
  readonly text: string;
  readonly event: string | undefined;
  /** The data lines joined; undefined on a comment. */
  readonly data: string | undefined;
}

/** A piece of the stream as it arrived. */
export interface TimedText {
  readonly atUs: number;
  readonly text: string;
}

function blockOf(atUs: number, text: string): EventBlock {
  const [first] = readServerSentEvents(text);
  return { atUs, text, event: first?.event, data: first?.data };
}

/** Cuts a stream into its events, whatever the borders of its chunks were. What follows the last blank line is kept, too. */
export function readEventBlocks(pieces: readonly TimedText[]): EventBlock[] {
  const blocks: EventBlock[] = [];
  let waiting = '';
  let lastUs = 0;
  for (const { atUs, text } of pieces) {
    lastUs = atUs;
    waiting += text;
    // Searched again from the start, because a line end may be cut in two.
    for (let end = /\r\n\r\n|\n\n|\r\r/.exec(waiting); end !== null; end = /\r\n\r\n|\n\n|\r\r/.exec(waiting)) {
      const length = end.index + end[0].length;
      blocks.push(blockOf(atUs, waiting.slice(0, length)));
      waiting = waiting.slice(length);
    }
  }
  return waiting === '' ? blocks : [...blocks, blockOf(lastUs, waiting)];
}

/** An event of its own. */
export function eventBlock(atUs: number, data: string, event?: string): EventBlock {
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return { atUs, text: `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`, event, data };
}

/** The data of an event as JSON; undefined where it is none. */
export function eventJson({ data }: EventBlock): unknown {
  if (data === undefined) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
