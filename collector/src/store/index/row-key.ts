const DAY_MS = 86_400_000;
/** As hex: days since 1970, which no trace id is as short as. */
const DAY_DIGITS = 8;

/** The day that a row of log records goes by which name no trace; undefined where it goes by a trace id. */
export function dayOfRow(key: string): string | undefined {
  if (key.length !== DAY_DIGITS) return undefined;
  return new Date(Number.parseInt(key, 16) * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

/**
 * What the row of an item in the table `trace` goes by, as hex: its trace id. Log records that name no trace share a row per tenant and day
 * of receipt, so that those of one day can go and those of the next stay.
 */
export function rowKeyOf(traceId: string, receivedMs: number): string {
  if (traceId !== '') return traceId;
  return Math.floor(receivedMs / DAY_MS)
    .toString(16)
    .padStart(DAY_DIGITS, '0');
}
