import { ReenactError } from '@reenact/trace-model';

/** Reads a port from a flag. Throws ReenactError `bad-argument`. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ReenactError('bad-argument', `"${text}" is not a port.`, {
      where: text,
      next: 'Give a number from 0 to 65535; 0 picks a free one.',
    });
  }
  return port;
}
