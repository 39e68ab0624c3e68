import { MemberPatcher } from '../patching/member-patcher.ts';

/** The one patcher of functions that send or answer HTTP, so that others can tell which of them ask the gate already. */
export const httpMembers = new MemberPatcher(Symbol.for('reenact.http.patched.1'));
