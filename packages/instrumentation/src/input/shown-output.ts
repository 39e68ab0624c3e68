import { stripVTControlCharacters } from 'node:util';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';

const CHARACTERS_MAX = 2_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor of a terminal begins so.
const lineMoves = /\u001b\[(\d*)([AB])/g;

type Write = (this: unknown, chunk: unknown, ...others: unknown[]) => boolean;

/** The end of what a program has shown at its terminal since the last line was typed there: what it asks stands in it. */
export class ShownOutput {
  private text = '';

  /** Without codes of the terminal, up to the line that the cursor was put back to: a hint below it is not what is asked. */
  toString(): string {
    const lines = stripVTControlCharacters(this.text).split('\n');
    let below = 0;
    for (const [, count, way] of this.text.slice(this.text.lastIndexOf('\n')).matchAll(lineMoves))
      below += (way === 'A' ? 1 : -1) * Number(count || 1);
    return lines.slice(0, below > 0 && below < lines.length ? -below : undefined).join('\n');
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
