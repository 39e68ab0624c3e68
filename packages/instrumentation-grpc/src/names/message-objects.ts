import { type MessageNames, redactMessage } from '@reenact/instrumentation';

/** The object that the bytes of a message were made from or read into. */
const objects = new WeakMap<Uint8Array, object>();
/** Who waits for what bytes are read into. */
const waiting = new WeakMap<Uint8Array, () => void>();

/** How a message becomes bytes. */
export type Serialize = (this: unknown, value: unknown) => unknown;
/** How bytes become a message. */
export type Deserialize = (this: unknown, bytes: Buffer) => unknown;

function note(bytes: unknown, object: unknown): void {
  if (bytes instanceof Uint8Array && typeof object === 'object' && object !== null) objects.set(bytes, object);
}

/** By what they stand for: interceptors see the same function at each call of a method. */
const serializers = new WeakMap<Serialize, Serialize>();
const deserializers = new WeakMap<Deserialize, Deserialize>();

/** Serializes as before, and notes what each message was made from. */
export function notingSerialize(original: Serialize): Serialize {
  const noting: Serialize = serializers.get(original) ?? serializer(original);
  serializers.set(original, noting);
  return noting;
}

function serializer(original: Serialize): Serialize {
  return function serialize(value) {
    const bytes = Reflect.apply(original, this, [value]);
    note(bytes, value);
    return bytes;
  };
}

/** Reads messages as before, and notes what each became, of which whoever waits for it is told. */
export function notingDeserialize(original: Deserialize): Deserialize {
  const noting: Deserialize = deserializers.get(original) ?? deserializer(original);
  deserializers.set(original, noting);
  return noting;
}

function deserializer(original: Deserialize): Deserialize {
  return function deserialize(bytes) {
    const message = Reflect.apply(original, this, [bytes]);
    note(bytes, message);
    waiting.get(bytes)?.();
    return message;
  };
}

/** Calls `keep` before `handOn` where nobody notes what the message is read into; else once while that runs: as soon as it is known, or when it is over. */
export function whenRead(message: Uint8Array, isNoted: boolean, keep: () => void, handOn: () => void): void {
  if (!isNoted) {
    keep();
    handOn();
    return;
  }
  waiting.set(message, () => {
    waiting.delete(message);
    keep();
  });
  try {
    handOn();
  } finally {
    waiting.get(message)?.();
  }
}

/** A message as it may leave the process: its fields are named by its definition, else by its object. Never throws. */
export function redactNamed(message: Uint8Array, names: MessageNames | undefined): Uint8Array {
  return redactMessage(message, { names, object: names === undefined ? objects.get(message) : undefined });
}
