import { patternWords } from '@tollgate/contracts/http/patterns.ts'
import type { FastifyError, FastifyRequest } from 'fastify'

type Invalid = NonNullable<FastifyError['validation']>[number]

/** Describes the first problem of a request that does not match its schema: `name: missing`. */
export function describeInvalid(
  problems: readonly Invalid[],
  context: FastifyError['validationContext'] = 'body',
  { body, routeOptions }: Pick<FastifyRequest, 'body' | 'routeOptions'>
): string {
  const where = context === 'querystring' ? 'query' : context
  const meant = context === 'body' ? problemsOfMeant(problems, routeOptions.schema?.body, body) : problems
  // Alternatives deeper in a schema: the first problem may be about another one than the caller meant.
  const problem = meant.find(({ keyword }) => keyword === 'additionalProperties') ?? meant[0]
  if (problem === undefined) return `The request's ${where} is not valid.`
  const path = problem.instancePath.slice(1).replaceAll('/', '.')
  const { additionalProperty, pattern } = problem.params
  if (problem.keyword === 'required') return `${missingOf(meant, path)}: missing`
  if (typeof additionalProperty === 'string') return `${join(path, additionalProperty)}: unknown member`
  if (path === '') return `The request's ${where} ${problem.message ?? 'is not valid'}.`
  return `${path}: ${problem.keyword === 'pattern' ? describePattern(pattern) : problem.message}`
}

interface Alternative {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** The problems of the alternatives that a body resembles most, by the members that it has and lacks. */
function problemsOfMeant(problems: readonly Invalid[], schema: unknown, body: unknown): readonly Invalid[] {
  const { anyOf } = (schema ?? {}) as { anyOf?: readonly Alternative[] }
  if (anyOf === undefined || typeof body !== 'object' || body === null) return problems
  const likeness = anyOf.map(({ properties = {}, required = [] }) => {
    const known = Object.keys(body).filter((name) => Object.hasOwn(properties, name))
    return known.length - required.filter((name) => !Object.hasOwn(body, name)).length
  })
  const best = Math.max(...likeness)
  const places = likeness.flatMap((one, index) => (one === best ? [`#/anyOf/${index}/`] : []))
  const meant = problems.filter(({ schemaPath }) => places.some((place) => schemaPath.startsWith(place)))
  return meant.length === 0 ? problems : meant
}

/** The members that are missing, one for each alternative: `id, value or hash`. */
function missingOf(problems: readonly Invalid[], path: string): string {
  const names = problems
    .filter(
      ({ keyword, instancePath }) => keyword === 'required' && instancePath.slice(1).replaceAll('/', '.') === path
    )
    .map(({ params }) => join(path, String(params.missingProperty)))
  const [last, ...others] = [...new Set(names)].reverse()
  return others.length === 0 ? String(last) : `${others.reverse().join(', ')} or ${last}`
}

/** A pattern does not help people, and the message must not reveal more about the value. */
const describePattern = (pattern: unknown): string =>
  patternWords.get(String(pattern)) ?? 'has characters that are not allowed'

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
