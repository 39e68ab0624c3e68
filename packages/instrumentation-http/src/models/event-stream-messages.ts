/** One message of an `application/vnd.amazon.eventstream` body: what kind of event it is, and its bytes. */
export interface EventStreamMessage {
  readonly eventType: string | undefined;
  readonly payload: Uint8Array;
}

const preludeBytes = 12;
const checksumBytes = 4;

/** How many bytes the value of a header of each type has; of the types 6 and 7 two bytes say how many follow. */
const valueBytes: readonly (number | 'counted')[] = [0, 0, 1, 2, 4, 8, 'counted', 'counted', 8, 16];

function eventTypeOf(headers: Buffer): string | undefined {
  let at = 0;
  while (at < headers.length) {
    const nameEnd = at + 1 + headers.readUInt8(at);
    const name = headers.toString('utf8', at + 1, nameEnd);
    const size = valueBytes[headers.readUInt8(nameEnd)];
    if (size === undefined) return undefined;
    const start = nameEnd + (size === 'counted' ? 3 : 1);
    const end = start + (size === 'counted' ? headers.readUInt16BE(nameEnd + 1) : size);
    if (name === ':event-type') return headers.toString('utf8', start, end);
    at = end;
  }
  return undefined;
}

/** Takes the messages of a body apart, as far as it goes; a message that did not come whole is left out. Checksums are not looked at. */
export function eventStreamMessages(body: Buffer): EventStreamMessage[] {
  const messages: EventStreamMessage[] = [];
  let at = 0;
  while (at + preludeBytes + checksumBytes <= body.length) {
    const end = at + body.readUInt32BE(at);
    const payloadAt = at + preludeBytes + body.readUInt32BE(at + 4);
    if (end > body.length || payloadAt > end - checksumBytes) break;
    const eventType = eventTypeOf(body.subarray(at + preludeBytes, payloadAt));
    messages.push({ eventType, payload: body.subarray(payloadAt, end - checksumBytes) });
    at = end;
  }
  return messages;
}
