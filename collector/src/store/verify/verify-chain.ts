import { type ChainRecord, linkAfter } from '../log/chain-archive.ts';
import { holdsBatch } from '../log/frame.ts';
import { countDigests, digestAt } from '../log/item-digest.ts';
import { Receipts } from '../log/receipts.ts';
import { emptyLogHead, type LogHead } from '../log/segment-header.ts';
import { type ControlBody, decodeControl } from '../worker/control-frame.ts';
import type { StoreProblems } from './store-problem.ts';

const DIGEST_KEY_BYTES = 16;

function digestKey(digests: Buffer, position: number): string {
  return digestAt(digests, position).toString('latin1', 0, DIGEST_KEY_BYTES);
}

const CHAIN_LOST = 'the chain begins with it, and packs hold what came before';

/** Told of each order in the chain, as of a deletion, with the id of the first item behind it. */
export type OnControl = (body: ControlBody, beforeId: number) => void;

/** Follows the chain of a store link by link, and knows what came by it. */
export class FollowedChain {
  readonly receipts = new Receipts();
  frames = 0;
  /** Items that came. */
  items = 0;
  /** Items that a deletion or retention took away. */
  erased = 0;
  private readonly problems: StoreProblems;
  private readonly onControl: OnControl;
  /** How often the chain names each content. */
  private readonly contents = new Map<string, number>();
  private link: Buffer = emptyLogHead().link;
  private sequence = 0;
  /** The id behind the last item the chain knows. */
  private nextId = 1;
  /** Ids that frames had which are missing, each from the first up to and without the last. */
  private readonly holes: (readonly [from: number, to: number])[] = [];

  constructor(problems: StoreProblems, onControl: OnControl) {
    this.problems = problems;
    this.onControl = onControl;
  }

  /** The link after the newest frame, hex. */
  get head(): string {
    return this.link.toString('hex');
  }

  get hasHoles(): boolean {
    return this.holes.length > 0;
  }

  /** Whether a frame continues the chain; one that was followed already, as after a crash, does. */
  follow(record: ChainRecord, part: 'chain' | 'log', where: string): boolean {
    if (record.sequence <= this.sequence) return true;
    // What a segment goes on with was asked of its head.
    const isNext = part === 'log' && record.sequence === this.sequence + 1;
    const isKnown = isNext || this.goOnAt({ ...record, nextId: record.firstId }, part, where);
    if (isKnown && !linkAfter(this.link, record).equals(record.link)) {
      // In the log this is where what counts ends: what follows is left of an older life of the segment.
      if (part === 'log') return false;
      this.problems.add(part, where, 'it does not continue the chain: something before it, or it, was changed');
    }
    if (record.sequence === this.sequence + 1) this.receipts.endAt(this.nextId, record.firstId);
    this.frames += 1;
    this.sequence = record.sequence;
    this.link = Buffer.from(record.link);
    this.nextId = record.firstId + countDigests(record.itemDigests);
    if (holdsBatch(record.kind)) this.receipts.add(record.firstId, this.nextId, record.receivedMs);
    else this.noteControl(decodeControl(record.body), record.firstId);
    if (record.kind !== 'items') return true;
    for (let position = 0; position < countDigests(record.itemDigests); position += 1) {
      const key = digestKey(record.itemDigests, position);
      this.contents.set(key, (this.contents.get(key) ?? 0) + 1);
      this.items += 1;
    }
    return true;
  }

  /** Notes what is missing before something, and gives whether it follows what is known. */
  goOnAt({ sequence, nextId, link }: LogHead, part: 'chain' | 'log', where: string): boolean {
    const beginsLate = this.sequence === 0 && sequence === 1 && nextId > 1;
    if (sequence <= this.sequence + 1 && !beginsLate) return true;
    const first = this.sequence + 1;
    const frames = first === sequence - 1 ? `frame ${first} is` : `frames ${first} to ${sequence - 1} are`;
    this.problems.add(part, where, beginsLate ? CHAIN_LOST : `${frames} missing before it`);
    this.holes.push([this.nextId, nextId]);
    this.sequence = sequence - 1;
    this.link = link;
    return false;
  }

  /** Whether an item came by the chain with the digest at this position. */
  knows(digests: Buffer, position: number): boolean {
    return this.contents.has(digestKey(digests, position));
  }

  /** Whether the frame that an id came in is missing. */
  isInHole(id: number): boolean {
    return this.holes.some(([from, to]) => id >= from && id < to);
  }

  private noteControl(body: ControlBody, beforeId: number): void {
    if (body.type === 'erase') this.erased += body.items;
    this.onControl(body, beforeId);
  }
}
