import { ReenactError } from '@reenact/trace-model';

/** Says that a request is over the limit, before or after decompression. */
export function tooLarge(bytesMax: number, what: string): ReenactError {
  return new ReenactError('too-large', `The request ${what} exceeds the limit of ${bytesMax} bytes.`, {
    next: 'Export smaller batches, or raise requestBytesMax.',
  });
}
