/** The completion sentinel of the chat API at the end of a stream, behind which nothing follows. */
export function saysDone(tail: string): boolean {
  return /(?:^|[\r\n])data:\s*\[DONE\]\s*$/.test(tail);
}
