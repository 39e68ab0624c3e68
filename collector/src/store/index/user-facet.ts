import { hash } from 'node:crypto';
import { FACET_CHARACTERS_MAX } from '../limits.ts';

/**
 * The id of a user as runs are found by it, and deleted: one that is longer than an index takes is known by its digest. Left out, as other values are, what is
 * of this user could not be deleted.
 */
export function userFacet(id: string): string {
  return id.length <= FACET_CHARACTERS_MAX ? id : `sha256:${hash('sha256', id)}`;
}
