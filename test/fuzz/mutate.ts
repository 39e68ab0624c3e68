/** A number below `end`, from a seed alone. */
export type Dice = (end: number) => number;

/** The same numbers for the same seed. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0 || 1;
  return (end) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % Math.max(end, 1);
  };
}

/** Varints, lengths, brackets and literals that parsers get wrong. */
const AWKWARD: readonly Buffer[] = [
  ...['00', '7f', '80', 'ff', 'ffffffff0f', 'ffffffff7f', 'ffffffffffffffffff01', '8080808080808080808001'],
  ...['0a00', '0aff01', '1280808008', '4a80', '0b', '0c', '7a021802', '0001', 'c28f', 'ed9fbf', 'eda080'],
]
  .map((hex) => Buffer.from(hex, 'hex'))
  .concat(
    [
      ...['{', '}', '[', ']', '"', '\\', ',', ':', 'null', 'true', '1e999', '-0', '\\u0000', '\\ud800', '0x1'],
      ...['18446744073709551616', '"traceId":"",', '"spans":null', '"spans":[{}],', '\ufeff', '['.repeat(300)],
      ...['"__proto__":{"a":1},', '{"stringValue":"x"}', '"kind":"SPAN_KIND_CLIENT",', '/*', '\t\r\n '],
    ].map((text) => Buffer.from(text)),
  );

const EDITS_MAX = 6;

/** A damaged copy of some bytes; `donor` is another request of which pieces may come. */
export function mutate(bytes: Buffer, donor: Buffer, dice: Dice): Buffer {
  let changed = Buffer.from(bytes);
  for (let left = 1 + dice(EDITS_MAX); left > 0; left -= 1) changed = editOnce(changed, donor, dice);
  return changed;
}

function editOnce(bytes: Buffer, donor: Buffer, dice: Dice): Buffer<ArrayBuffer> {
  const at = dice(bytes.length);
  const length = 1 + dice(dice(4) === 0 ? bytes.length - at : 16);
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at);
  switch (dice(9)) {
    case 0:
      return changeByte(bytes, at, (byte) => byte ^ (1 << dice(8)));
    case 1:
      return changeByte(bytes, at, () => dice(256));
    case 2:
      return Buffer.concat([before, after.subarray(length)]);
    case 3:
      return Buffer.concat([before, after.subarray(0, length), after]);
    case 4:
      return Buffer.concat([before, AWKWARD[dice(AWKWARD.length)] ?? after, after]);
    case 5:
      return Buffer.concat([before, AWKWARD[dice(AWKWARD.length)] ?? after, after.subarray(length)]);
    case 6: {
      const from = dice(donor.length);
      return Buffer.concat([before, donor.subarray(from, from + length), after]);
    }
    case 7:
      return Buffer.concat([before, Buffer.alloc(Math.min(length, after.length)), after.subarray(length)]);
    default:
      return Buffer.concat([dice(4) === 0 ? before : bytes]);
  }
}

function changeByte(bytes: Buffer, at: number, change: (byte: number) => number): Buffer<ArrayBuffer> {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at] = change(copy[at] ?? 0);
  return copy;
}

/** The smallest input found for which `fails` still holds: pieces are left out as long as that is so. */
export function minimise(bytes: Buffer, fails: (candidate: Buffer) => boolean): Buffer {
  let smallest = Buffer.from(bytes);
  for (let piece = smallest.length >> 1; piece >= 1; piece >>= 1) {
    for (let at = 0; at < smallest.length; ) {
      const candidate = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + piece)]);
      if (fails(candidate)) smallest = candidate;
      else at += piece;
    }
  }
  return smallest;
}
