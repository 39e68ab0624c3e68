import { COMPARED_DIGITS, mayHoldTellingToken, withTellingTokens } from '../messages/message-token.ts';
import { someBase64Text } from '../text/base64-text.ts';
import { holdsPlaceholder, PLACEHOLDER_START } from '../text/placeholder.ts';
import { processRedactor } from './process-redaction.ts';

/** In bytes a token is as long as its secret (ADR 28), and is so still where a program hands it on in a text. */
const everyToken = new RegExp(`\\[redacted:[a-z0-9][a-z0-9-]*:([0-9a-f]{${COMPARED_DIGITS}})[0-9a-f]+\\]\\**`, 'g');
const everyComparedToken = new RegExp(`\\[redacted:[0-9a-f]{${COMPARED_DIGITS}}\\]`, 'g');

/** Whether a text may hold a token, of either form. */
export function mayHoldToken(text: string): boolean {
  return holdsPlaceholder(text) || mayHoldTellingToken(text);
}

/** A text with what stands in it as base64 and holds tokens as it reads: in base64 two tokens of one secret differ, too. */
function withTokensRead(text: string): string {
  let read = '';
  let from = 0;
  someBase64Text(text, ({ start, end, plain }) => {
    if (!holdsPlaceholder(plain)) return false;
    read += text.slice(from, start) + withTokensRead(plain);
    from = end;
    return false;
  });
  return from === 0 ? text : read + text.slice(from);
}

/**
 * A text in which equal secrets are equal whatever rule found them, and where: on replay another rule may meet a secret first, and a program
 * may hand on in a text what it was given among bytes. `macs: 'kept'` leaves what tells secrets apart, `'dropped'` leaves only that there was one.
 */
export function comparableText(text: string, macs: 'kept' | 'dropped'): string {
  const given = withTokensRead(text);
  const told = mayHoldTellingToken(given) ? withTellingTokens(processRedactor(), given) : given;
  if (!told.includes(PLACEHOLDER_START)) return told;
  const compared = told.replaceAll(everyToken, '[redacted:$1]');
  return macs === 'kept' ? compared : compared.replaceAll(everyComparedToken, '[redacted]');
}
