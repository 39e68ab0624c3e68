import { MemberPatcher } from '@reenact/instrumentation';

/** What this package, whichever copy of it, has replaced in classes of the AI SDK. */
export const patchedMembers: MemberPatcher = new MemberPatcher(Symbol.for('reenact.ai-sdk.patched.1'));
