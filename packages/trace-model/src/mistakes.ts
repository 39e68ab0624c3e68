import { isReenactError, joinErrors, type ReenactError } from './reenact-error.ts';

/** Gathers what is wrong with what somebody wrote, so that all of it is told at once. */
export class Mistakes {
  private readonly found: ReenactError[] = [];

  /** Whether nothing is wrong so far. */
  get areNone(): boolean {
    return this.found.length === 0;
  }

  add(...errors: readonly ReenactError[]): void {
    this.found.push(...errors);
  }

  /** What `read` gives; undefined where it throws, which is gathered. What is no ReenactError is thrown on. */
  try<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (thrown) {
      if (!isReenactError(thrown)) throw thrown;
      this.add(thrown);
      return undefined;
    }
  }

  /** Throws all that was gathered as one ReenactError; nothing where nothing was. */
  throwAny(): void {
    if (!this.areNone) throw joinErrors(this.found);
  }
}
