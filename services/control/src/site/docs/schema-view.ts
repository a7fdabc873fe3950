import { asSchema, describeRanges, type JsonSchema } from '@tollgate/contracts/openapi/document.ts'
import { type Html, html } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'

/** Named schemas of a document, by name. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>

/** Members of members are folded from this depth on. */
const openDepth = 1
/** No document is deeper, unless a schema contains itself. */
const maxDepth = 8

/** A schema as readers see it: its type in words, and its members as a list, folded where it is deep. */
export function viewSchema(schema: JsonSchema, named: NamedSchemas): Html {
  const own = resolve(schema, named)
  const members = viewMembers(own, named, 0)
  return members ?? html`<p class="text-sm">${typeOf(own, named)}${describe(own, named)}</p>`
}

/** Follows references to named schemas. */
export function resolve(schema: JsonSchema, named: NamedSchemas): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema
  return named[schema.$ref.split('/').at(-1)!] ?? {}
}

const listOf = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : [])

export const alternativesOf = (schema: JsonSchema): JsonSchema[] => listOf(schema.anyOf ?? schema.oneOf)
const isNull = ({ type }: JsonSchema): boolean => type === 'null'

/** What a schema says of itself, or its only alternative besides null. */
export function descriptionOf(schema: JsonSchema, named: NamedSchemas): string | undefined {
  const own = resolve(schema, named)
  if (typeof own.description === 'string') return own.description
  const [first, ...others] = alternativesOf(own).filter((one) => !isNull(one))
  return first === undefined || others.length > 0 ? undefined : descriptionOf(first, named)
}

/** The names of the members of a body, without those of its members. */
export function memberNames(schema: JsonSchema, named: NamedSchemas): string[] {
  const own = resolve(schema, named)
  return [...Object.keys(asSchema(own.properties)), ...alternativesOf(own).flatMap((one) => memberNames(one, named))]
}

/** The type in words, such as `array of string` or `"a" | "b"`. */
export function typeOf(schema: JsonSchema, named: NamedSchemas): string {
  const own = resolve(schema, named)
  if ('const' in own) return JSON.stringify(own.const)
  if (Array.isArray(own.enum)) return own.enum.map((value) => JSON.stringify(value)).join(' | ')
  const alternatives = alternativesOf(own)
  if (alternatives.length > 0) return [...new Set(alternatives.map((one) => typeOf(one, named)))].join(' | ')
  if (own.type === 'array') return `array of ${typeOf(asSchema(own.items), named)}`
  return own.type === undefined ? 'any' : [own.type].flat().join(' | ')
}

/**
 * The members of an object, of the objects in a list, or of each alternative that has some.
 *
 * @returns null if there are none
 */
function viewMembers(schema: JsonSchema, named: NamedSchemas, depth: number): Html | null {
  if (depth > maxDepth) return null
  const own = resolve(schema, named)
  const alternatives = alternativesOf(own).filter((one) => !isNull(one))
  if (alternatives.length > 0) {
    const views = alternatives.flatMap((one) => viewMembers(one, named, depth) ?? [])
    if (views.length <= 1) return views[0] ?? null
    return html`${views.map((view, index) => html`<p class="mt-3 text-[0.8125rem] font-medium text-ink-soft">${index === 0 ? 'Either' : 'or'}</p>${view}`)}`
  }
  if (own.type === 'array') return viewMembers(asSchema(own.items), named, depth)
  const properties = Object.entries(asSchema(own.properties))
  if (properties.length === 0) return null
  const required = new Set(listOf(own.required) as unknown as string[])
  return html`<ul class="members">${properties.map(([name, property]) =>
    viewMember({ name, isRequired: required.has(name), schema: asSchema(property) }, named, depth)
  )}</ul>`
}

interface Member {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: JsonSchema
}

function viewMember({ name, isRequired, schema }: Member, named: NamedSchemas, depth: number): Html {
  const own = resolve(schema, named)
  const members = viewMembers(own, named, depth + 1)
  const nested =
    members === null
      ? null
      : depth < openDepth
        ? members
        : html`<details><summary>Members of <code>${name}</code></summary>${members}</details>`
  return html`<li><p><code class="font-semibold">${name}</code> <span class="text-ink-soft">${typeOf(own, named)}</span>${isRequired && html` <span class="font-medium text-accent">required</span>`}</p>${describe(own, named)}${nested}</li>`
}

/** What a schema says of itself, and its bounds. */
function describe(schema: JsonSchema, named: NamedSchemas): Html | null {
  const bounds = boundsOf(schema)
  const text = [descriptionOf(schema, named), bounds === '' ? '' : `${bounds}.`]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join(' ')
  return text === '' ? null : html`<div class="text-ink-soft">${renderMarkdown(text)}</div>`
}

function boundsOf(schema: JsonSchema): string {
  const { format } = schema
  const text = [...(typeof format === 'string' ? [`Format: ${format}`] : []), ...describeRanges(schema)].join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
