import { processState } from '@reenact/trace-model';

/** What is known in this process of the ids that copies of bson make; shared between all copies of this package. */
interface ObjectIds {
  /** In a replay: what is to stand behind the time in an id that is made now, 16 hexadecimal digits; undefined where the class decides. */
  served: () => string | undefined;
  /** Classes whose ids are kept. */
  readonly watched: WeakSet<object>;
}

/** The ids of this process. A replay puts a function of its own in the place of `served`. */
export const objectIds: ObjectIds = processState('object-ids.1', () => ({
  served: () => undefined,
  watched: new WeakSet(),
}));
