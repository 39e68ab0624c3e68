import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Disk, systemDisk } from '../../files/disk.ts';

/** Thrown by every operation after the power went. */
class PowerCut {
  readonly what = 'the power is gone';
}

interface Content {
  /** What is on the platter. */
  durable: Buffer;
  /** What is only in memory, in order. */
  readonly pending: { readonly position: number; readonly bytes: Buffer }[];
}

type NameChange =
  | { readonly type: 'link'; readonly path: string; readonly content: Content }
  | { readonly type: 'unlink'; readonly path: string };

/** Gives a number below `end`; equal seeds give equal cuts. */
export type Dice = (end: number) => number;

/**
 * A disk whose power goes after some operations. What was written after a file's last sync is dropped, but for a part of it
 * that the dice choose, torn at any byte: a real disk may have written some of it, in any order.
 */
export class CutDisk implements Disk {
  private readonly root: string;
  private readonly files = new Map<number, Content>();
  private readonly names = new Map<string, Content>();
  private readonly durableNames = new Map<string, Content>();
  private readonly changes: NameChange[] = [];
  private left: number;

  constructor(root: string, operations: number) {
    this.root = root;
    this.left = operations;
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.includes('.sqlite')) continue;
      const path = join(entry.parentPath, entry.name);
      const content: Content = { durable: readFileSync(path), pending: [] };
      this.names.set(path, content);
      this.durableNames.set(path, content);
    }
  }

  open(path: string): number {
    this.step();
    const file = systemDisk.open(path);
    const content = this.names.get(path) ?? { durable: systemDisk.read(file, 0, systemDisk.size(file)), pending: [] };
    if (!this.names.has(path)) {
      this.names.set(path, content);
      this.changes.push({ type: 'link', path, content });
    }
    this.files.set(file, content);
    return file;
  }

  openRead(path: string): number {
    return systemDisk.openRead(path);
  }

  close(file: number): void {
    systemDisk.close(file);
  }

  size(file: number): number {
    return systemDisk.size(file);
  }

  isAt(file: number, path: string): boolean {
    return systemDisk.isAt(file, path);
  }

  read(file: number, position: number, bytes: number): Buffer<ArrayBuffer> {
    return systemDisk.read(file, position, bytes);
  }

  write(file: number, buffers: readonly Uint8Array[], position: number): void {
    this.step();
    systemDisk.write(file, buffers, position);
    this.files.get(file)?.pending.push({ position, bytes: Buffer.concat(buffers) });
  }

  truncate(file: number, bytes: number): void {
    this.step();
    systemDisk.truncate(file, bytes);
    const content = this.files.get(file);
    if (content !== undefined) content.durable = content.durable.subarray(0, bytes);
  }

  sync(file: number, isSizeChanged: boolean): void {
    this.step();
    systemDisk.sync(file, isSizeChanged);
    const content = this.files.get(file);
    for (const { position, bytes } of content?.pending.splice(0) ?? []) apply(content as Content, position, bytes);
  }

  space(directory: string): { freeBytes: number; totalBytes: number } {
    return systemDisk.space(directory);
  }

  rename(from: string, to: string): void {
    this.step();
    systemDisk.rename(from, to);
    const content = this.names.get(from);
    if (content === undefined) return;
    this.names.delete(from);
    this.names.set(to, content);
    this.changes.push({ type: 'unlink', path: from }, { type: 'link', path: to, content });
  }

  remove(path: string): void {
    this.step();
    systemDisk.remove(path);
    this.names.delete(path);
    this.changes.push({ type: 'unlink', path });
  }

  syncDirectory(path: string): void {
    this.step();
    systemDisk.syncDirectory(path);
    this.commitNames(this.changes.length);
  }

  makeDirectory(path: string): void {
    systemDisk.makeDirectory(path);
  }

  list(path: string): string[] {
    return systemDisk.list(path);
  }

  /** Writes what a machine would find after the cut into another directory. */
  writeRemains(target: string, dice: Dice): void {
    this.commitNames(dice(this.changes.length + 1));
    for (const [path, content] of this.durableNames) {
      const remains: Content = { durable: Buffer.from(content.durable), pending: [] };
      for (const { position, bytes } of content.pending) {
        if (dice(2) === 0) apply(remains, position, bytes.subarray(0, dice(bytes.length + 1)));
      }
      const place = join(target, relative(this.root, path));
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, remains.durable);
    }
  }

  /** Changes of names reach a journalling file system in order. */
  private commitNames(count: number): void {
    for (const change of this.changes.splice(0, count)) {
      if (change.type === 'link') this.durableNames.set(change.path, change.content);
      else this.durableNames.delete(change.path);
    }
  }

  private step(): void {
    this.left -= 1;
    if (this.left < 0) throw new PowerCut();
  }
}

function apply(content: Content, position: number, bytes: Buffer): void {
  const end = Math.max(content.durable.length, position + bytes.length);
  const grown = Buffer.alloc(end);
  content.durable.copy(grown);
  bytes.copy(grown, position);
  content.durable = grown;
}
