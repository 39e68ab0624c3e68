/**
 * What is there as long as somebody else keeps it. A copy of this package in a context of `node:vm` adds to the list that the process made:
 * a reference of the context's own would keep all of the context.
 */
export class WeakList<Member extends object> {
  private readonly references = new Set<WeakRef<Member>>();

  /** Whether nothing was added of which it is not known that it is gone. */
  get isEmpty(): boolean {
    return this.references.size === 0;
  }

  add(member: Member): void {
    this.members();
    this.references.add(new WeakRef(member));
  }

  /** Those that are still there. */
  members(): Member[] {
    const found: Member[] = [];
    for (const reference of this.references) {
      const member = reference.deref();
      if (member === undefined) this.references.delete(reference);
      else found.push(member);
    }
    return found;
  }
}
