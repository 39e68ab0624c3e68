import type { ModelledObject } from '@reenact/trace-model';
import { guarded } from '../../host/report-failure.ts';
import { type DriverClasses, loadedCopies } from '../object/driver-classes.ts';

/** Where the classes of Mongoose are found. */
export const mongooseClasses: DriverClasses = { packageName: 'mongoose', exported: ['Mongoose'], errors: /Error$/ };

/** Before the name of a model. */
const PREFIX = 'mongoose:';

/** What of the class of its documents is used. */
interface Model {
  readonly modelName: string;
  hydrate(fields: object): object;
}

/** As it is in the database: nothing that the schema makes of it when it is shown. */
const asStored = {
  depopulate: false,
  flattenMaps: false,
  flattenObjectIds: false,
  getters: false,
  minimize: false,
  transform: false,
  virtuals: false,
};

/** What of a document is used. */
interface MongooseDocument {
  readonly $isNew: boolean;
  readonly $__: { readonly selected?: unknown };
  isModified(): boolean;
  $populated?(): unknown;
  $getPopulatedDocs(): readonly unknown[];
  toObject(options: object): object;
}

function isModel(value: unknown): value is Model {
  if (typeof value !== 'function') return false;
  return typeof Reflect.get(value, 'modelName') === 'string' && typeof Reflect.get(value, 'hydrate') === 'function';
}

function isDocument(value: object): value is MongooseDocument {
  return ['isModified', 'toObject', '$getPopulatedDocs'].every(
    (name) => typeof Reflect.get(value, name) === 'function',
  );
}

/** What a model makes a document of, as the database has it; undefined for what is none. It shows little: what it has stands behind accessors. */
export function mongooseDocument(value: object): ModelledObject | undefined {
  const model: unknown = value.constructor;
  if (!isModel(model) || !isDocument(value)) return undefined;
  const isWhole = !value.$isNew && !value.isModified() && value.$__.selected === undefined;
  return {
    name: `${PREFIX}${model.modelName}`,
    fields: value.toObject(asStored),
    isPartial: !isWhole || value.$getPopulatedDocs().length > 0,
  };
}

function modelNamed(name: string): Model | undefined {
  for (const exports of Array.from(loadedCopies(mongooseClasses)).flat()) {
    const connections: unknown = Reflect.get(exports, 'connections');
    if (!Array.isArray(connections)) continue;
    for (const { models } of connections as { readonly models?: Readonly<Record<string, unknown>> }[]) {
      const model = models?.[name];
      if (isModel(model)) return model;
    }
  }
  return undefined;
}

/** Makes a document again, where its model is defined. Nothing is asked of a database. */
export function mongooseMaker(name: string): ((fields: object) => object) | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const model = guarded('looking for a model', () => modelNamed(name.slice(PREFIX.length)), undefined);
  return model && ((fields) => guarded('making a document', () => model.hydrate(fields), fields));
}
