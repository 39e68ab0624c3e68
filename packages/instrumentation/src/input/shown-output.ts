import { stripVTControlCharacters } from 'node:util';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';

const CHARACTERS_MAX = 2_000;

type Write = (this: unknown, chunk: unknown, ...others: unknown[]) => boolean;

/** The end of what a program has shown at its terminal since the last line was typed there: what it asks stands in it. */
export class ShownOutput {
  private text = '';

  /** Without codes of the terminal. */
  toString(): string {
    return stripVTControlCharacters(this.text);
  }

  /** A line was typed: what is shown from now on belongs to the next. */
  begin(): void {
    this.text = '';
  }

  /** Watches a stream, in front of everybody who writes to it. */
  watch(patches: PatchSet, stream: object): void {
    const add = (chunk: unknown): void => this.add(chunk);
    patches.precede<Write>(stream, 'write', (original) => {
      const write: Write = function (chunk, ...others) {
        guarded('watching a terminal', () => add(chunk), undefined);
        return Reflect.apply(original, this, [chunk, ...others]) as boolean;
      };
      return disguised(write, original);
    });
  }

  private add(chunk: unknown): void {
    const text =
      typeof chunk === 'string' ? chunk : chunk instanceof Uint8Array ? Buffer.from(chunk).toString('utf8') : '';
    this.text = `${this.text}${text}`.slice(-CHARACTERS_MAX);
  }
}
