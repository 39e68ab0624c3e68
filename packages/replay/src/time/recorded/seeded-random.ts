import { createHash } from 'node:crypto';

/**
 * Random numbers that are the same in every replay of one recording (the sfc32 generator). They are for values nobody
 * recorded, never for secrets.
 */
export class SeededRandom {
  private readonly state: Uint32Array;

  constructor(seed: string) {
    const digest = createHash('sha256').update(seed, 'utf8').digest();
    this.state = Uint32Array.from([0, 4, 8], (offset) => digest.readUInt32LE(offset));
    this.state = Uint32Array.from([...this.state, 1]);
    for (let rounds = 0; rounds < 12; rounds += 1) this.word();
  }

  /** 32 random bits. */
  private word(): number {
    const [a = 0, b = 0, c = 0, counter = 0] = this.state;
    const drawn = (a + b + counter) >>> 0;
    this.state.set([b ^ (b >>> 9), c + (c << 3), ((c << 21) | (c >>> 11)) + drawn, counter + 1]);
    return drawn;
  }

  /** A number from 0 to below 1, with 53 random bits as `Math.random` has them at most. */
  number(): number {
    return ((this.word() >>> 5) * 2 ** 26 + (this.word() >>> 6)) / 2 ** 53;
  }

  /** An integer from `from` to below `to`. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.number() * (to - from));
  }

  /** Random bytes. */
  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.word() & 0xff);
  }

  /** A version 4 UUID. */
  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }
}
