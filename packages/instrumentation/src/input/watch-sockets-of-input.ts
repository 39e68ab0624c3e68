import { Socket } from 'node:net';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import type { InputTape } from './input-tape.ts';
import type { OwnReads } from './own-reads.ts';

const STDIN = 0;

type Read = (this: Socket, length: number) => void;

function readsInput(socket: Socket): boolean {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null && Reflect.get(handle, 'fd') === STDIN;
}

/** Notes that a socket, or a terminal, which the program has opened over the descriptor of standard input reads what is not recorded. */
export function watchSocketsOfInput(patches: PatchSet, tape: InputTape, ownReads: OwnReads): void {
  patches.replace<Read>(Socket.prototype, '_read', (original) => {
    const read: Read = function (this: Socket, length) {
      if (!ownReads.isUnderWay && guarded('noting who reads standard input', () => readsInput(this), false)) tape.cut();
      Reflect.apply(original, this, [length]);
    };
    return disguised(read, original);
  });
}
