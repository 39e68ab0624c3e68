import { z } from 'zod';

/** The path of a file. */
export const filePathSchema = z.string().min(1);

/** A tenant's name, as `isTenantName` has it. */
export const tenantSchema = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,127}$/, 'use letters, digits, ., - and _, at most 128');

/** What an operator calls something. */
export const givenNameSchema = z
  .string()
  .regex(/^[A-Za-z][\w-]*$/, 'use letters, digits, - and _, starting with a letter');
