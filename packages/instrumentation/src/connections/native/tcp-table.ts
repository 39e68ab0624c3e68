import { endianness } from 'node:os';

/** One TCP socket as the kernel tells of it, proc_pid_net(5). */
export interface TcpEntry {
  /** Of the socket, as the link of its descriptor names it; 0 where no process holds it any more. */
  readonly inode: number;
  readonly localPort: number;
  readonly isListening: boolean;
  /** Where it leads; port 0 where it leads nowhere. */
  readonly remoteHost: string;
  readonly remotePort: number;
}

/** `TCP_LISTEN` of the kernel's tcp_states.h, as the table writes it. */
const listening = '0A';
const mappedPrefix = '00000000000000000000ffff';

/** The kernel prints addresses in words of four bytes as the processor has them. */
function addressBytes(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  return endianness() === 'LE' ? bytes.swap32() : bytes;
}

function addressText(hex: string): string {
  const bytes = addressBytes(hex);
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.toString('hex').startsWith(mappedPrefix)) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** Reads `/proc/self/net/tcp` or `tcp6`. A line that is none of a socket is left out, as the first is. */
export function tcpEntries(table: string): TcpEntry[] {
  return table.split('\n').flatMap((line) => {
    const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
    const [, localPort] = local?.split(':') ?? [];
    const [remoteAddress, remotePort] = remote?.split(':') ?? [];
    if (localPort === undefined || remotePort === undefined || !/^(?:[\dA-F]{8}){1,4}$/i.test(remoteAddress ?? ''))
      return [];
    return [
      {
        inode: Number(inode),
        localPort: Number.parseInt(localPort, 16),
        isListening: state === listening,
        remoteHost: addressText(remoteAddress ?? ''),
        remotePort: Number.parseInt(remotePort, 16),
      },
    ];
  });
}
