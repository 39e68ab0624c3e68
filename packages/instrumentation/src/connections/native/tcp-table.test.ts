import { endianness } from 'node:os';
import { describe, expect, it } from 'vitest';
import { tcpEntries } from './tcp-table.ts';

/** As `cat /proc/net/tcp` prints it on x86: a listening socket, one that is connected, one that has closed. */
const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:10DE 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 540145 1 0000000000000000 100 0 0 10 0
   1: 0502000A:B2C4 0A0B0C5D:01BB 01 00000000:00000000 02:0000A0B1 00000000  1000        0 541367 2 0000000000000000 20 4 30 10 -1
   2: 0502000A:B2C6 0A0B0C5D:01BB 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0000000000000000
`;
const tcp6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7 1 0000000000000000 100 0 0 10 0
   1: B80D0120000000000000000001000000:C001 B80D0120000000000000000002000000:01BB 01 00000000:00000000 00:00000000 00000000     0        0 8 1 0000000000000000 20 4 30 10 -1
   2: 0000000000000000FFFF00000100007F:C002 0000000000000000FFFF00000100007F:270F 01 00000000:00000000 00:00000000 00000000     0        0 9 1 0000000000000000 20 4 30 10 -1
`;

describe.skipIf(endianness() !== 'LE')('the table of TCP sockets, as little-endian machines have it', () => {
  it('names what listens and where connections lead', () => {
    expect(tcpEntries(tcp)).toEqual([
      { inode: 540145, localPort: 4318, isListening: true, remoteHost: '0.0.0.0', remotePort: 0 },
      { inode: 541367, localPort: 45764, isListening: false, remoteHost: '93.12.11.10', remotePort: 443 },
      { inode: 0, localPort: 45766, isListening: false, remoteHost: '93.12.11.10', remotePort: 443 },
    ]);
  });

  it('reads addresses of IPv6, and those of IPv4 among them as such', () => {
    expect(tcpEntries(tcp6).map(({ remoteHost, remotePort }) => [remoteHost, remotePort])).toEqual([
      ['::', 0],
      ['2001:db8::2', 443],
      ['127.0.0.1', 9999],
    ]);
  });

  it('leaves out what is no socket', () => {
    expect(tcpEntries('')).toEqual([]);
    expect(tcpEntries('0: zz:10 01\n\n 1: 0100007F 0100007F 01')).toEqual([]);
  });
});
