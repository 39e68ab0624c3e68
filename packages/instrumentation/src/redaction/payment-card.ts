import type { FoundPlace } from './redaction-rule.ts';

/** First digits and lengths of the networks that issue payment cards. */
const networks: readonly { readonly start: RegExp; readonly lengths: readonly number[] }[] = [
  { start: /^4/, lengths: [13, 16, 19] },
  { start: /^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, lengths: [16] },
  { start: /^3[47]/, lengths: [15] },
  { start: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
  { start: /^35(?:2[89]|[3-8])/, lengths: [16] },
  { start: /^3(?:0[0-5]|[68])/, lengths: [14] },
];

/** The check digit rule of ISO/IEC 7812. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Ids in hexadecimal: those that are called UUID, whose third group begins with 4, and digests and ids of traces, which have letters, too. */
const hexadecimalIds =
  /(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{32,128})(?![0-9A-Za-z])/g;
const idCharactersMax = 128;

/** One of a few thousand such ids has digits in a row that would make a valid number. */
function isInId({ text, start, end }: FoundPlace): boolean {
  const from = Math.max(start - idCharactersMax, 0);
  for (const { index, 0: id } of text.slice(from, end + idCharactersMax).matchAll(hexadecimalIds))
    if (from + index <= start && end <= from + index + id.length) return true;
  return false;
}

/** Whether a text of digits, spaces and hyphens is a valid number of a payment card, and no part of an id. */
export function isPaymentCard(found: string, place: FoundPlace): boolean {
  const digits = found.replaceAll(/[ -]/g, '');
  const isIssued = networks.some(({ start, lengths }) => lengths.includes(digits.length) && start.test(digits));
  return isIssued && passesLuhn(digits) && !isInId(place);
}
