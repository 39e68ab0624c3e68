import { isIP } from 'node:net';
import { z } from 'zod';

/** What a shell puts in before a program sees it. There is none here: a folder of that name would be made. */
const PUT_IN_BY_A_SHELL = /^(~|\$\w+|\$\{\w+\})($|[\\/])/;

/** The path of a file or folder. */
export const filePathSchema = z
  .string()
  .min(1)
  .refine((path) => !PUT_IN_BY_A_SHELL.test(path), {
    message:
      'unlike in a shell, ~ and $ stand for no folder here; write the whole path, or put ./ before it where that is its name',
  });

/** An address or a name to listen on: what a URL has beside it would be looked up as one. */
export const hostSchema = z
  .string()
  .refine((host) => isIP(host) !== 0 || /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(host), {
    message: 'write an address or a name alone, without a scheme, a port or brackets',
  });

/** A tenant's name, as `isTenantName` has it. */
export const tenantSchema = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,127}$/, 'use letters, digits, ., - and _, at most 128');

/** What an operator calls something. */
export const givenNameSchema = z
  .string()
  .regex(/^[A-Za-z][\w-]*$/, 'use letters, digits, - and _, starting with a letter');

/** A URL with one of some schemes. What has such a scheme and is none is not told to begin with it. */
export function urlSchema(protocol: RegExp, howToWrite: string) {
  return z
    .url({
      protocol,
      error: ({ input }) =>
        protocol.test(String(input).split(':', 1)[0]?.toLowerCase() ?? '')
          ? 'this cannot be read as a URL: look at its host, and at its port, which is 65535 at most'
          : howToWrite,
    })
    .refine((url) => URL.parse(url)?.port !== '0', {
      message:
        'nothing can be reached at port 0, which only asks a server to pick one: write the port that it listens on',
    });
}
