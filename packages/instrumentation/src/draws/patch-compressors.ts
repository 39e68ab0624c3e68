import zlib from 'node:zlib';
import type { PatchSet } from '../patching/patch-set.ts';
import type { OutsideWork, WorkOf } from './outside-work.ts';

/** What is kept of one compressor beside it. */
interface Beside {
  /**
   * What the parts of its work are told apart by from the second on: which compressor it is. One part begins where the one before has ended, after some turns of
   * the event loop that nobody counts, and may not be taken for another's.
   */
  name: string;
  /** The part of it that goes on. */
  work: OutsideWork | undefined;
}

type Compressor = Record<symbol, unknown> & { close(): void };

/** One compressor of each class of the platform. */
function compressors(): Compressor[] {
  const classes = [zlib.Inflate, zlib.BrotliCompress, zlib.BrotliDecompress, zlib.ZstdCompress, zlib.ZstdDecompress];
  const made = classes.map((Made: new () => object) => {
    const handle: unknown = Reflect.get(new Made(), '_handle');
    return typeof handle === 'object' && handle !== null ? (handle as Compressor) : undefined;
  });
  return made.filter((handle) => handle !== undefined);
}

/** Under which a compressor has its stream. Node.js asks for that first once a part of the work has ended, well or not, and at no other time. */
function ownerKeyOf(compressor: Compressor): symbol | undefined {
  return Object.getOwnPropertySymbols(compressor).find(({ description }) => description === 'owner_symbol');
}

/** Has whoever asks for this member tell first. Who watched before is told after, and only then. */
function tellBeforeReading(compressor: Compressor, key: symbol, tell: () => void): void {
  const before = Object.getOwnPropertyDescriptor(compressor, key);
  const get = (): unknown => {
    tell();
    return before?.get === undefined ? before?.value : Reflect.apply(before.get, compressor, []);
  };
  Object.defineProperty(compressor, key, { configurable: true, enumerable: true, get });
}

/** Compressors as one who watches them knows them. The recorder and a replay may do so at once, and have other names for the same work. */
class WatchedCompressors {
  /** On the compressor itself: they come and go by thousands, and to look each up elsewhere costs more than its work. */
  private readonly key = Symbol('reenact.beside');
  private readonly patches: PatchSet;
  private readonly workOf: WorkOf;

  constructor(patches: PatchSet, workOf: WorkOf) {
    this.patches = patches;
    this.workOf = workOf;
  }

  patchClass(prototype: object, ownerKey: symbol, name: string): void {
    this.patches.wrap(prototype, 'write', ({ self, proceed }) => {
      const compressor = self as Compressor;
      const known = this.besideOf(compressor);
      const work = this.workOf(known?.name ?? name);
      if (work === undefined) {
        if (known !== undefined) known.name = `${name} outside`;
        return proceed();
      }
      const beside = known ?? this.put(compressor, name, ownerKey);
      beside.work = work;
      work.begin(() => {
        proceed();
      });
      if (known === undefined) beside.name = `${name} ${work.ordinal}`;
      return undefined;
    });
    // One whose work has not begun would find itself closed then, which ends the process.
    this.patches.wrap(prototype, 'close', ({ self, proceed }) => {
      this.besideOf(self as Compressor)?.work?.left();
      return proceed();
    });
  }

  private besideOf(compressor: Compressor): Beside | undefined {
    return compressor[this.key] as Beside | undefined;
  }

  private put(compressor: Compressor, name: string, ownerKey: symbol): Beside {
    const beside: Beside = { name, work: undefined };
    Object.defineProperty(compressor, this.key, { value: beside });
    tellBeforeReading(compressor, ownerKey, () => {
      const { work } = beside;
      beside.work = undefined;
      work?.ended();
    });
    return beside;
  }
}

/**
 * Compressors and decompressors of every sort, be they behind a callback, a stream of Node.js or one of the web: they all give a part of their work to the
 * thread pool by this method, and get another one when it has ended.
 */
export function patchCompressors(patches: PatchSet, workOf: WorkOf): void {
  const watched = new WatchedCompressors(patches, workOf);
  for (const compressor of compressors()) {
    const ownerKey = ownerKeyOf(compressor);
    const prototype = Object.getPrototypeOf(compressor) as object;
    compressor.close();
    if (ownerKey !== undefined) watched.patchClass(prototype, ownerKey, `zlib.${compressor.constructor.name}`);
  }
}
