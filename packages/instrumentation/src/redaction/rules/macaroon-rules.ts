import { hex, prefixed } from './prefixed-key.ts';
import type { PatternRule } from './redaction-rule.ts';

/** What a field of a macaroon's second version is: its place, its id, who issued a caveat, and what it is signed with. */
const [locationField, identifierField, verifierField, signatureField] = [1, 2, 4, 6];
const signatureBytes = 32;

/** Whether bytes are a macaroon in the binary form of its second version: fields of a kind and a length, and a signature behind them. */
function isSecondVersion(bytes: Buffer): boolean {
  if (bytes[0] !== 2) return false;
  let at = 1;
  while (at < bytes.length) {
    const kind = bytes[at];
    at += 1;
    // It stands alone at the end of a section.
    if (kind === 0) continue;
    if (kind !== locationField && kind !== identifierField && kind !== verifierField && kind !== signatureField)
      return false;
    let length = bytes[at] ?? 0;
    if (length > 127) {
      length = (length & 127) + 128 * (bytes[at + 1] ?? 0);
      at += 1;
    }
    at += 1 + length;
    if (kind === signatureField) return length === signatureBytes && at <= bytes.length;
  }
  return false;
}

/** Credentials with conditions in them, whoever issued them. */
export const MACAROON_RULES: readonly PatternRule[] = [
  // Its first lines say how long they are and what they are, `location` or `identifier`, in base64.
  prefixed('macaroon', 'macaroon', ['MDA'], '[A-Za-z0-9]{3}(?:xvY2F0aW9u|lkZW50aWZpZXIg)[A-Za-z0-9+/_-]{40,}={0,2}'),
  {
    ...prefixed('macaroon', 'macaroon', ['AgE', 'AgI'], '[A-Za-z0-9+/_-]{60,4096}={0,2}'),
    accepts: (found) => isSecondVersion(Buffer.from(found, 'base64')),
  },
  {
    ...prefixed('macaroon', 'macaroon', ['0201', '0202'], `${hex}{100,8192}`),
    accepts: (found) => isSecondVersion(Buffer.from(found, 'hex')),
  },
];
