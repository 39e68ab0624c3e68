/** Which runs beside the replayed one go on in a process. While one does, nobody can say whose a call is that has lost its context. */
export class OpenRuns {
  private readonly going = new Set<object>();

  /** How many there are. */
  get count(): number {
    return this.going.size;
  }

  /** A run begins; call the result when it has ended. */
  began(run: object): () => void {
    this.going.add(run);
    return () => void this.going.delete(run);
  }
}
