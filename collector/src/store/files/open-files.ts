import { OPEN_FILES_PER_READER_MAX } from '../limits.ts';

/**
 * Files of one kind that a reader has open, by their numbers: there may be thousands, so the one that was used longest ago is closed for
 * another. Whoever gets a file uses it before it asks for the next.
 */
export class OpenFiles<File> {
  private readonly closeFile: (file: File) => void;
  /** The one that was used longest ago is in front. */
  private readonly files = new Map<number, File>();

  constructor(closeFile: (file: File) => void) {
    this.closeFile = closeFile;
  }

  /** The numbers of those that are open. */
  get numbers(): number[] {
    return [...this.files.keys()];
  }

  /** The file of a number, opened where it is not. Throws what opening throws. */
  get(number: number, open: () => File): File {
    const file = this.files.get(number) ?? this.makeRoom(open);
    this.files.delete(number);
    this.files.set(number, file);
    return file;
  }

  close(numbers: readonly number[]): void {
    for (const number of numbers) {
      const file = this.files.get(number);
      this.files.delete(number);
      if (file !== undefined) this.closeFile(file);
    }
  }

  private makeRoom(open: () => File): File {
    const [oldest] = this.files.keys();
    if (oldest !== undefined && this.files.size >= OPEN_FILES_PER_READER_MAX) this.close([oldest]);
    return open();
  }
}
