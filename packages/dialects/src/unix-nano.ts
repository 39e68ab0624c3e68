/** A decimal string of nanoseconds since the epoch as a bigint; 0 where it is not one, so that reading never throws. */
export function unixNano(text: string): bigint {
  return /^\d{1,20}$/.test(text) ? BigInt(text) : 0n;
}
