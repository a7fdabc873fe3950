import type { TSchema } from 'typebox'

/** The kinds of a JSON value, as bits. */
export const kind = { text: 1, number: 2, boolean: 4, null: 8, object: 16, array: 32 } as const
const anyKind = 63

/** What the reader notes about a value. The keyword `x-note` of its schema says which. */
export const note = {
  none: 0,
  message: 1,
  part: 2,
  partType: 3,
  image: 4,
  url: 5,
  detail: 6,
  audio: 7,
  data: 8,
  inputs: 9,
  /** An item of the Responses API, and the members that tell whether it refers to a stored item. */
  item: 10,
  itemType: 11,
  itemId: 12,
  itemContent: 13,
  sealed: 14,
  /** Base64 of an image, without a URL around it (Messages). */
  imageData: 15,
  /** A text that is counted, such as the type of a tool. */
  label: 16,
  /** A tool (Messages), and its limit of calls. */
  tool: 17,
  callLimit: 18
}
export type Note = keyof typeof note

/** A member that an object may have. */
export interface KnownMember {
  name: string
  bytes: Uint8Array
  bit: number
  shape: Shape
}

/** A schema, prepared so that {@link JsonReader} needs one look-up per value. */
export interface Shape {
  /** Bits of {@link kind}. */
  kinds: number
  /** The allowed texts; null for any. */
  texts: readonly string[] | null
  minLength: number
  isInteger: boolean
  minimum: number
  maximum: number
  /** The members that an object may have, indexed by the length of their names; null for a free object. */
  members: ReadonlyArray<readonly KnownMember[] | undefined> | null
  knownNames: ReadonlySet<string>
  required: ReadonlyArray<KnownMember>
  /** Whether an object may have further members. */
  isOpen: boolean
  items: Shape | null
  minItems: number
  maxItems: number
  /** Whether all items must have the kind of the first. */
  isUniform: boolean
  note: number
  /** Whether the value may be long. The reader then keeps only its place. */
  isBulk: boolean
  /** Why other values have no price; null if they are only invalid. */
  unpriced: string | null
}

/** Any JSON. */
export const anyShape: Shape = {
  kinds: anyKind,
  texts: null,
  minLength: 0,
  isInteger: false,
  minimum: Number.NEGATIVE_INFINITY,
  maximum: Number.POSITIVE_INFINITY,
  members: null,
  knownNames: new Set(),
  required: [],
  isOpen: true,
  items: null,
  minItems: 0,
  maxItems: Number.POSITIVE_INFINITY,
  isUniform: false,
  note: 0,
  isBulk: false,
  unpriced: null
}

/** The parts of JSON Schema that request schemas use. */
type Schema = TSchema & {
  type?: string
  anyOf?: Schema[]
  enum?: string[]
  const?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  minimum?: number
  maximum?: number
  'x-note'?: Note
  'x-bulk'?: boolean
  'x-unpriced'?: string
}

/** Schemas share their parts: a part is prepared once. */
const shapes = new WeakMap<TSchema, Shape>()

/**
 * Prepares a schema for reading.
 *
 * @throws Error if the reader cannot check the schema in one pass: two kinds of object in one place, or an unknown
 * keyword
 */
export function shapeOf(from: TSchema): Shape {
  let shape = shapes.get(from)
  if (shape === undefined) {
    shape = notedShape(from as Schema)
    shapes.set(from, shape)
  }
  return shape
}

function notedShape(schema: Schema): Shape {
  const noted: Partial<Shape> = {}
  if (schema['x-note'] !== undefined) noted.note = note[schema['x-note']]
  if (schema['x-bulk'] === true) noted.isBulk = true
  if (schema['x-unpriced'] !== undefined) noted.unpriced = schema['x-unpriced']
  return { ...plainShape(schema), ...noted }
}

function plainShape(schema: Schema): Shape {
  if (schema.anyOf !== undefined) return schema.anyOf.map(shapeOf).reduce(eitherShape)
  const texts = schema.enum ?? (schema.const === undefined ? null : [schema.const])
  const none: Shape = { ...anyShape, kinds: 0 }
  if (texts !== null) return { ...none, kinds: kind.text, texts }
  switch (schema.type) {
    case undefined:
      return anyShape
    case 'string':
      return { ...none, kinds: kind.text, minLength: schema.minLength ?? 0 }
    case 'integer':
    case 'number': {
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
      return { ...none, kinds: kind.number, isInteger: schema.type === 'integer', minimum, maximum }
    }
    case 'boolean':
      return { ...none, kinds: kind.boolean }
    case 'null':
      return { ...none, kinds: kind.null }
    case 'array': {
      const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
      return { ...none, kinds: kind.array, items: shapeOf(items!), minItems, maxItems }
    }
    case 'object':
      return objectShape(schema, none)
    default:
      throw new Error(`the reader does not know the type ${schema.type}`)
  }
}

function objectShape({ properties, required = [], additionalProperties }: Schema, none: Shape): Shape {
  const free = { ...none, kinds: kind.object }
  if (properties === undefined || Object.keys(properties).length === 0) return free
  const isOpen = additionalProperties !== false
  const members: KnownMember[][] = []
  const requiredMembers: KnownMember[] = []
  for (const [index, [name, schema]] of Object.entries(properties).entries()) {
    // An open object has too many members for bits. The reader tells them apart by name.
    if (!isOpen && index > 30) throw new Error('an object has more members than bits')
    const member = { name, bytes: Buffer.from(name), bit: isOpen ? 0 : 1 << index, shape: shapeOf(schema) }
    if (member.shape.members !== null && member.shape.isOpen)
      throw new Error(`${name}: only the request itself is open`)
    members[name.length] = [...(members[name.length] ?? []), member]
    if (required.includes(name)) requiredMembers.push(member)
  }
  return { ...free, members, knownNames: new Set(Object.keys(properties)), required: requiredMembers, isOpen }
}

/** The shape of a value that may have either shape. */
function eitherShape(a: Shape, b: Shape): Shape {
  const shared = a.kinds & b.kinds
  if ((shared & ~(kind.text | kind.array)) !== 0) throw new Error('two schemas for values of one kind')
  const has = (bit: number): Shape => ((a.kinds & bit) !== 0 ? a : b)
  const { isInteger, minimum, maximum } = has(kind.number)
  const { members, knownNames, required, isOpen } = has(kind.object)
  const bothTexts = (shared & kind.text) !== 0
  const array = has(kind.array)
  const bothArrays = (shared & kind.array) !== 0
  return {
    ...anyShape,
    kinds: a.kinds | b.kinds,
    texts: bothTexts ? (a.texts === null || b.texts === null ? null : [...a.texts, ...b.texts]) : has(kind.text).texts,
    minLength: bothTexts ? Math.min(a.minLength, b.minLength) : has(kind.text).minLength,
    isInteger,
    minimum,
    maximum,
    members,
    knownNames,
    required,
    isOpen,
    items: bothArrays ? eitherShape(a.items!, b.items!) : array.items,
    minItems: array.minItems,
    maxItems: array.maxItems,
    isUniform: bothArrays || array.isUniform,
    note: a.note === note.none ? b.note : a.note,
    unpriced: a.unpriced ?? b.unpriced
  }
}
