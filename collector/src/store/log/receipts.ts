/** Ids of the items of frames that follow each other, up to and without `endId`. */
interface Receipt {
  readonly firstId: number;
  endId: number;
  readonly receivedMs: number;
}

/** When items were received, by what frames and chain say. */
export class Receipts {
  /** In the order of ids. */
  private readonly all: Receipt[] = [];

  /** A frame may leave out ids, those of what came a second time: what follows it says up to where they are its own. */
  endAt(knownEndId: number, firstId: number): void {
    const last = this.all.at(-1);
    if (last?.endId === knownEndId) last.endId = firstId;
  }

  add(firstId: number, endId: number, receivedMs: number): void {
    this.all.push({ firstId, endId, receivedMs });
  }

  /** Undefined of an item whose frame is missing. */
  receivedMsOf(id: number): number | undefined {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle]?.firstId ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    const receipt = this.all[low - 1];
    return receipt !== undefined && id < receipt.endId ? receipt.receivedMs : undefined;
  }
}
