import { type Attributes, type Context, createContextKey } from '@opentelemetry/api';
import { ATTR_SESSION_ID, ATTR_USER_ID } from '@reenact/semconv/core';
import { ATTR_GEN_AI_CONVERSATION_ID } from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_TENANT } from '@reenact/semconv/reenact';

/** Who a run is for. Kept in process as context values; never put on the wire by Reenact. */
export interface Identity {
  readonly userId?: string;
  readonly sessionId?: string;
  readonly conversationId?: string;
  readonly tenant?: string;
}

/** Names of everything an identity can say. */
export const IDENTITY_KEYS: ReadonlySet<string> = new Set<keyof Identity>([
  'userId',
  'sessionId',
  'conversationId',
  'tenant',
]);

const IDENTITY_KEY = createContextKey('reenact.identity.1');

/** What is said where nobody is named. */
const nobody: Identity = {};
const nothing: Attributes = {};

/** The identity set around this context; empty where none was. */
export function identityOf(context: Context): Identity {
  return (context.getValue(IDENTITY_KEY) as Identity | undefined) ?? nobody;
}

/** A context whose crossings carry this identity, on top of what was set around it. */
export function contextWithIdentity(context: Context, identity: Identity): Context {
  return context.setValue(IDENTITY_KEY, { ...identityOf(context), ...identity });
}

/** Whom a span in this context is for, as attributes: what is set around it wins over what its run was told. */
export function identityAttributes(context: Context, ofRun: Identity = nobody): Attributes {
  const around = identityOf(context);
  const isUnknown = around === nobody && Object.keys(ofRun).length === 0;
  return isUnknown ? nothing : attributesOf({ ...ofRun, ...around });
}

function attributesOf(identity: Identity): Attributes {
  const { userId, sessionId, conversationId, tenant } = identity;
  return {
    ...(userId === undefined ? {} : { [ATTR_USER_ID]: userId }),
    ...(sessionId === undefined ? {} : { [ATTR_SESSION_ID]: sessionId }),
    ...(conversationId === undefined ? {} : { [ATTR_GEN_AI_CONVERSATION_ID]: conversationId }),
    ...(tenant === undefined ? {} : { [ATTR_REENACT_TENANT]: tenant }),
  };
}
