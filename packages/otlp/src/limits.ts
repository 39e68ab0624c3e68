/** Deepest nesting of arrays and key-value lists in one attribute value; protobuf readers refuse at 100 messages. */
export const ANY_VALUE_DEPTH_MAX = 30;

/** Deepest nesting of a protobuf group, a wire form OTLP itself never uses. */
export const WIRE_GROUP_DEPTH_MAX = 30;

/** Deepest nesting of brackets in an OTLP/JSON body: the request's own levels plus one attribute value. */
export const JSON_DEPTH_MAX = 160;

/** Most spans, or log records, in one export request. */
export const ITEMS_PER_REQUEST_MAX = 262_144;

/** Most rejected items described one by one; further ones are only counted. */
export const REJECTED_DETAILS_MAX = 20;

/** How many items of a JSON request are read between two places where others may have their turn. */
export const ITEMS_PER_STEP = 512;
