/** A reason as it is counted and shown. */
export function shortReason(text: string): string {
  return text.trim().slice(0, 200);
}
