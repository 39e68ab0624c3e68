/** Whether a stream ends with the event behind which nothing follows. */
export function endsMessage(tail: string): boolean {
  return /(?:^|[\r\n])event:\s*message_stop[\r\n]+data:[^\r\n]*\s*$/.test(tail);
}
