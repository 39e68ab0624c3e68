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
  /(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|(?=[0-9]*[A-Fa-f])(?:[0-9A-Fa-f]{32}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64}|[0-9A-Fa-f]{96}|[0-9A-Fa-f]{128}))(?![0-9A-Za-z])/g;
const idCharactersMax = 128;
/** What the second track of a card has behind its number (ISO/IEC 7813), as terminals write it in hexadecimal: the end of its validity and a service code. */
const secondTrack = /^d\d{7}/i;

/** Whether digits are those of such an id, alone or with what stands beside it: one of a few thousand ids would make a valid number, and more with a time behind them. */
function isOfId({ text, start, end }: FoundPlace): boolean {
  if (secondTrack.test(text.slice(end, end + 8))) return false;
  const from = Math.max(start - idCharactersMax, 0);
  for (const { index, 0: id } of text.slice(from, end + idCharactersMax).matchAll(hexadecimalIds))
    if (from + index < end && start < from + index + id.length) return true;
  return false;
}

/** Sizes of the groups in which cards and forms show a number; any other only counts where nothing else of digits stands beside it. */
const shownGroups = /^(?:1[3-9]|4 4 4 (?:1|4|4 3)|4 6 [45])$/;
const groupsMax = 5;
/** Digits of a group that still counts as one of several: nobody shows a number as 2, 13 and 1 digits, but times in milliseconds stand beside others so. */
const groupDigitsMax = 10;
const cardDigitsMax = 19;
const cardCharactersMax = 2 * cardDigitsMax;

type Group = readonly [start: number, end: number];

function isValid(digits: string): boolean {
  const isIssued = networks.some(({ start, lengths }) => lengths.includes(digits.length) && start.test(digits));
  return isIssued && passesLuhn(digits);
}

function isNumberAlone(run: string): boolean {
  const groups = run.split(/[ -]/);
  return isValid(groups.join('')) && (groups.length === 1 || groups.every(({ length }) => length <= groupDigitsMax));
}

/** Runs of digits between which there is one space or hyphen. */
function groupsOf(run: string): Group[] {
  const groups: Group[] = [];
  for (const { index, 0: digits } of run.matchAll(/\d+/g)) {
    const last = groups.at(-1);
    if (last !== undefined && !/^[ -]$/.test(run.slice(last[1], index))) break;
    groups.push([index, index + digits.length]);
  }
  return groups;
}

/** The longest number that begins with this group, as the number of its groups; 0 where none does. */
function groupsOfCard(run: string, groups: readonly Group[], first: number): number {
  for (let count = Math.min(groupsMax, groups.length - first); count > 0; count -= 1) {
    const taken = groups.slice(first, first + count);
    const sizes = taken.map(([start, end]) => end - start).join(' ');
    if (shownGroups.test(sizes) && isValid(taken.map(([start, end]) => run.slice(start, end)).join(''))) return count;
  }
  return 0;
}

/**
 * The numbers of payment cards in a run of digits, spaces and hyphens, none of them part of an id. Other numbers may stand before and
 * behind them, as the date until which a card is valid.
 */
export function paymentCards(place: FoundPlace): readonly FoundPlace[] {
  const { text, start, end } = place;
  const whole = text.slice(start, end);
  if (isNumberAlone(whole) && !isOfId(place)) return [place];
  // A number that begins in this run may go on in the next, where runs are cut.
  const run = text.slice(start, end + cardCharactersMax);
  const groups = groupsOf(run);
  const cards: FoundPlace[] = [];
  for (let first = 0; first < groups.length; ) {
    const count = groupsOfCard(run, groups, first);
    const [[from = 0] = [], [, to = 0] = []] = [groups[first], groups[first + count - 1]];
    const card = { text, start: start + from, end: start + to };
    const isCard = count > 0 && !isOfId(card);
    if (isCard) cards.push(card);
    first += isCard ? count : 1;
  }
  return cards;
}
