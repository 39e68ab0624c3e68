import { statSync } from 'node:fs';
import { errorsIn, toReenactError } from '@reenact/trace-model';
import type { Log } from '../logging/log.ts';

/** What a reloadable value is made of. */
export interface ReloadableOptions<Value> {
  /** Names the value in the log. */
  readonly name: string;
  /** The files that `load` reads. */
  readonly files: readonly string[];
  /**
   * Makes the value of what the files hold now; `previous` is undefined the first time. Throws where they cannot be used.
   */
  readonly load: (previous: Value | undefined) => Value;
  readonly log: Log;
}

/**
 * A value made of files, and made again when they change. Files that cannot be used change nothing but a line in the log: the
 * value stays as it was.
 */
export class Reloadable<Value> {
  private readonly options: ReloadableOptions<Value>;
  private readonly listeners: ((value: Value) => void)[] = [];
  private value: Value;
  /** How the files looked when they were last loaded, or tried. */
  private tried: string;
  /** How they looked at the last check. */
  private seen: string;

  /** Loads for the first time. Throws what `load` throws. */
  constructor(options: ReloadableOptions<Value>) {
    this.options = options;
    this.tried = lookAt(options.files);
    this.seen = this.tried;
    this.value = options.load(undefined);
  }

  /** What the files held when they were last usable. */
  get current(): Value {
    return this.value;
  }

  /** Calls `listener` with every value after the current one. */
  onReloaded(listener: (value: Value) => void): void {
    this.listeners.push(listener);
  }

  /** Loads again, whether or not anything changed. Never throws. */
  reload(): void {
    if (this.options.files.length > 0) this.load(lookAt(this.options.files));
  }

  /**
   * Loads again when the files are not what was last tried and have stayed the same since the last check: a certificate and its
   * key are seldom replaced in one moment. Never throws.
   */
  check(): void {
    const look = lookAt(this.options.files);
    const isSettled = look === this.seen;
    this.seen = look;
    if (isSettled && look !== this.tried) this.load(look);
  }

  private load(look: string): void {
    const { name, load, log } = this.options;
    // Set in any case: files that cannot be used are reported once, not at every check.
    this.tried = look;
    try {
      const next = load(this.value);
      this.value = next;
      for (const listener of this.listeners) listener(next);
      log.info('reloaded', { what: name });
    } catch (thrown) {
      for (const { message, where = '' } of errorsIn(toReenactError(thrown)))
        log.error('reload refused', { what: name, where, message, next: `The ${name} in use stay as they were.` });
    }
  }
}

/** Tells changed files from those before without reading them. */
function lookAt(files: readonly string[]): string {
  const looks = files.map((file) => {
    try {
      const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
      return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    } catch {
      return 'unreadable';
    }
  });
  return looks.join(', ');
}
