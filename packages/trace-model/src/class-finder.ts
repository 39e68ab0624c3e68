import { processState } from './process-state.ts';

/** Looks for a class that nobody made known, and makes it known where it finds it. Asked before an instance counts as of an unknown class. */
export interface ClassFinder {
  /** A class of values: `met` is the class of an instance that is being recorded, undefined where one is to be made again. */
  findValueClass(name: string, met: object | undefined): void;
  /** A class of errors: `met` as above; `library`: whose class it was, as it was recorded. */
  findErrorClass(name: string, met: object | undefined, library: string | undefined): void;
}

const holder = processState<{ finder: ClassFinder | undefined }>('class-finder.1', () => ({ finder: undefined }));

/** Has the value codec ask `finder` for the classes that it does not know. */
export function setClassFinder(finder: ClassFinder): void {
  holder.finder = finder;
}

/** Who is asked; undefined where nobody is. */
export function classFinder(): ClassFinder | undefined {
  return holder.finder;
}
