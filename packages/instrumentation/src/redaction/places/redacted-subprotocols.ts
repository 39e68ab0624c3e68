import type { Redactor } from '../redactor/redactor.ts';

/** What stands before a credential in a list of subprotocols, or begins one that holds it: `token, <key>`, `bearer.<token>`. */
const scheme = /^(?:access[-_]?token|api[-_]?key|auth|authorization|basic|bearer|jwt|key|token)$/i;
/** From how many characters on a word of a name is no name any more, if digits are among them. */
const nameWordLengthMax = 19;

/** Whether a subprotocol holds a word such as registered names do not have. */
function holdsLongWord(name: string): boolean {
  return name.split(/[^\w+/=-]+/).some((word) => word.length > nameWordLengthMax && /\d\D*\d/.test(word));
}

/**
 * The names of a `Sec-WebSocket-Protocol` header (RFC 6455, section 11.3.4) with those that are credentials replaced by tokens: who opens a
 * WebSocket in a browser's way can set no other header, so keys travel here. Separators stay as they are.
 */
export function redactedSubprotocols(redactor: Pick<Redactor, 'credential'>, value: string): string {
  let before = '';
  return value.replaceAll(/[^\s,]+/g, (name) => {
    const isCredential = scheme.test(before) || holdsLongWord(name);
    before = name;
    return isCredential && !scheme.test(name) ? redactor.credential(name) : name;
  });
}
