import { MemberPatcher } from '@reenact/instrumentation';

/** What this package, whichever copy of it, has replaced in clients and servers. */
export const patchedMembers: MemberPatcher = new MemberPatcher(Symbol.for('reenact.mcp.patched.1'));
