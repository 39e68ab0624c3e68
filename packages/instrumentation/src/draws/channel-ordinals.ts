/** Under which name what comes over a channel stands in `reenact.draws`: the channels of one crossing are counted from 0, in the order in which its code asked over them first. */
export function answersKey(ordinal: number): string {
  return `answers ${ordinal}`;
}

/** Counts the channels over which the code of each crossing asks. */
export class ChannelOrdinals {
  private readonly known = new WeakMap<object, WeakMap<object, number>>();
  private readonly counts = new WeakMap<object, number>();

  /** The ordinal of a channel in a place, from 0; the next one where it is new there. */
  of(place: object, channel: object): number {
    let ordinals = this.known.get(place);
    if (ordinals === undefined) {
      ordinals = new WeakMap();
      this.known.set(place, ordinals);
    }
    const known = ordinals.get(channel);
    if (known !== undefined) return known;
    const ordinal = this.counts.get(place) ?? 0;
    this.counts.set(place, ordinal + 1);
    ordinals.set(channel, ordinal);
    return ordinal;
  }
}
