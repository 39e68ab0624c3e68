import { MemberPatcher } from '@reenact/instrumentation';

/** What this package, whichever copy of it, has replaced in clients and client classes. */
export const patchedMembers: MemberPatcher = new MemberPatcher(Symbol.for('reenact.openai.patched.1'));
