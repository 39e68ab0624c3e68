import type { Socket } from 'node:dgram';
import { guarded } from '../../host/report-failure.ts';
import { disguised, type PatchSet } from '../../patching/patch-set.ts';
import { isTelemetryTarget } from '../../propagation/telemetry-hosts.ts';
import { connectingCode } from '../unseen/connecting-code.ts';
import { recordConnection } from '../unseen/record-connection.ts';
import { type DatagramTarget, datagramConnectTarget, sendTarget } from './datagram-target.ts';
import { noteDatagramTarget } from './own-targets.ts';

type Sending = (this: Socket, ...parameters: unknown[]) => unknown;

function watch(
  patches: PatchSet,
  key: 'send' | 'connect' | 'connectSync',
  targetOf: (socket: Socket, parameters: readonly unknown[]) => DatagramTarget,
): void {
  patches.replace<Sending>(process.getBuiltinModule('node:dgram').Socket.prototype, key, (original) => {
    const replacement: Sending = function (this: Socket, ...parameters) {
      recordConnection((isKnown) => {
        const { host, port } = targetOf(this, parameters);
        const place = `udp ${host}:${port}`;
        if (Number.isNaN(port) || isKnown(place) || isTelemetryTarget(host, port)) return undefined;
        const code = connectingCode(replacement);
        return code.type === 'code' ? { place, package: code.package } : undefined;
      });
      guarded('noting where a datagram goes', () => noteDatagramTarget(targetOf(this, parameters)), undefined);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(replacement, original);
  });
}

/** Notes where agents send datagrams to: nothing of UDP is recorded, and the guard of a replay refuses it. */
export function watchDatagrams(patches: PatchSet): void {
  watch(patches, 'send', sendTarget);
  watch(patches, 'connect', datagramConnectTarget);
  watch(patches, 'connectSync', datagramConnectTarget);
}
