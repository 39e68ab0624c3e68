import { diag } from '@opentelemetry/api';
import { processState } from '@reenact/trace-model';
import { TRAPS_KEPT_MAX } from '../limits.ts';
import { TRAPS, type Trap, type TrapKind } from './traps.ts';

type Listener = (trap: Trap) => void;

/** Told one by one: each is a mistake of its own, and who mended the first would be told of the next only then. */
const TOLD_EACH: ReadonlySet<TrapKind> = new Set(['unknown-variable', 'variable-value']);

/** Every trap found in this process, each once. One problem of each kind is told as a warning of the process, of variables all. */
class TrapLog {
  private readonly found = new Map<string, Trap>();
  private readonly told = new Set<TrapKind>();
  private readonly listeners = new Set<Listener>();

  /** Keeps a trap that its finder tells in words of its own. Never throws. */
  reportTold(kind: TrapKind, detail: string): void {
    this.told.add(kind);
    this.add({ kind, detail }, true);
  }

  /** Keeps a trap; the same one again changes nothing. Never throws. */
  report(kind: TrapKind, detail: string): void {
    this.add({ kind, detail }, this.told.has(kind) && !TOLD_EACH.has(kind));
  }

  private add(trap: Trap, isTold: boolean): void {
    const key = `${trap.kind} ${trap.detail}`;
    if (this.found.has(key) || this.found.size >= TRAPS_KEPT_MAX) return;
    this.found.set(key, trap);
    try {
      for (const listener of this.listeners) listener(trap);
      // Whoever listens explains it; nobody has to read the same twice.
      if (this.listeners.size === 0 && !isTold) this.tell(trap);
    } catch {
      // A listener or a logger that throws is not a reason to fail the host.
    }
  }

  /** Tells of every trap found so far, and of each later one until the returned function is called. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    for (const trap of this.found.values()) listener(trap);
    return () => void this.listeners.delete(listener);
  }

  private tell({ kind, detail }: Trap): void {
    this.told.add(kind);
    const { severity, what, fix } = TRAPS[kind];
    const text = `${what} (${detail}) ${fix} \`npx reenact doctor\` explains.`;
    if (severity === 'note') diag.info(`reenact: ${text}`);
    else
      process.emitWarning(text, { type: 'ReenactWarning', code: `REENACT_${kind.toUpperCase().replaceAll('-', '_')}` });
  }
}

/** The traps of this process, whichever copy of these packages finds them: the one in a bundle is heard by the doctor, too. */
export const trapLog: TrapLog = processState('trap-log.1', () => new TrapLog());
