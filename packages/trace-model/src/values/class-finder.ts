import { processState } from '../process/process-state.ts';

/** Looks for a class that nobody made known, and makes it known where it finds it. Asked before an instance counts as of an unknown class. */
export interface ClassFinder {
  /** A class of values: `met` is the class of an instance that is being recorded, undefined where one is to be made again. */
  findValueClass(name: string, met: object | undefined): void;
  /** A class of errors: `met` as above; `library`: whose class it was, as it was recorded. */
  findErrorClass(name: string, met: object | undefined, library: string | undefined): void;
  /** What an object is made again of that shows little of what it is, such as a document of Mongoose; undefined where it is none. */
  modelled(value: object): ModelledObject | undefined;
  /** Makes an object that was recorded so, where what made it is there. */
  makerOf(name: string): ((fields: object) => object) | undefined;
}

/** An object whose library makes it of plain fields, and can again. */
export interface ModelledObject {
  /** What `makerOf` knows it by. */
  readonly name: string;
  readonly fields: object;
  /** It has more than its fields say: it was changed and not saved, say. */
  readonly isPartial: boolean;
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
