/** What each character of hex stands for, by its code; 0 for what is none. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);

/** Writes hex as bytes. For ids, of which there are two a span: calling into the platform takes longer than they do. */
export function writeHex(target: Uint8Array, start: number, hex: string): void {
  for (let index = 0; index + 1 < hex.length; index += 2) {
    const [high, low] = [DIGITS[hex.charCodeAt(index)] ?? 0, DIGITS[hex.charCodeAt(index + 1)] ?? 0];
    target[start + index / 2] = (high << 4) | low;
  }
}
