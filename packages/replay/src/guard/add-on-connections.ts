import { isMainThread } from 'node:worker_threads';
import { type NativeConnection, NativeConnections } from '@reenact/instrumentation';
import { hostText } from './attempted-effect.ts';
import type { EffectJudge, GuardOwner } from './effect-judge.ts';
import { leadsHere } from './own-servers.ts';

const loopbackNames = ['localhost', '127.0.0.1', '::1'];

function isAllowed({ allowed }: GuardOwner, { host, port }: NativeConnection): boolean {
  const names = leadsHere(host) ? [host, ...loopbackNames] : [host];
  return names.some((name) => allowed.allows({ type: 'host', name: 'connect', host: name, port }));
}

/**
 * Finds what native add-ons connect to that nobody knows, where the whole process is a replay's: it cannot be refused, so the report
 * says that it happened, and the process ends before more of it does. Only on Linux; see {@link NativeConnections} for what is not found.
 */
export class AddOnConnections {
  /** Tell it of every socket that Node.js connects. */
  readonly connections = new NativeConnections();
  private readonly judge: EffectJudge;
  private readonly loaded = new Set<string>();
  private isOver = false;

  constructor(judge: EffectJudge) {
    this.judge = judge;
  }

  /** Call it before an add-on is loaded, and what it gives where that is none whose calls are judged; gives whether its connections are seen. */
  beforeLoad(): (name: string) => boolean {
    if (this.isOver || !isMainThread || process.platform !== 'linux') return () => false;
    if (this.judge.ownerOfProcess()?.stopProcess === undefined) return () => false;
    if (!this.connections.isWatching) this.connections.settle();
    return (name) => {
      this.loaded.add(name);
      this.connections.watch((connections) => this.found(connections));
      return true;
    };
  }

  /**
   * A thread is about to start: an add-on that it loads connects for the whole process. What threads are allowed to connect to by a name looks like that,
   * so that where a host is allowed nobody looks any more.
   */
  threadStarts(): void {
    if (this.judge.ownerOfProcess()?.allowed.namesHosts === true) this.giveUp();
    else this.beforeLoad()('what a worker thread loads');
  }

  /** Looks no more: an add-on was let connect, whose connections look as those of any other do. */
  giveUp(): void {
    this.isOver = true;
    if (!this.connections.isWatching) return;
    this.judge.note(
      'From here on nobody looks for connections of native add-ons: something was let connect that looks the same.',
    );
    this.stop();
  }

  /** Looks no more, until another add-on is loaded. */
  stop(): void {
    this.connections.unwatch();
  }

  private found(connections: readonly NativeConnection[]): void {
    const owner = this.judge.ownerOfProcess();
    if (owner?.stopProcess === undefined) return;
    const refused = connections.filter((connection) => !isAllowed(owner, connection));
    if (refused.length === 0) return;
    this.stop();
    for (const connection of refused) this.report(owner, connection);
    owner.stopProcess();
  }

  private report({ player }: GuardOwner, { host, port }: NativeConnection): void {
    const target = hostText(host, port);
    const names = [...this.loaded].join(', ');
    player.reportForbidden({
      message: `A native add-on connected to ${target} for real, and this process was ended: no boundary covers it, and what an add-on does cannot be refused beforehand. Loaded: ${names}.`,
      next: `Put a boundary such as tool() around the code that uses the add-on and record again: a replay then answers it. To let it happen: --allow-host ${target}. All that goes over it is real then.`,
      position: undefined,
      source: undefined,
      happened: true,
    });
  }
}
