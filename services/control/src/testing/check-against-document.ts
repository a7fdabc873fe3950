import { Readable } from 'node:stream'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import { assetsPrefix, captchaPath, pagePaths } from '../dashboard/serve-dashboard.ts'
import { sitePaths } from '../site/site-routes.ts'

const base = 'https://document.test/openapi.json'

export interface DocumentCheck {
  /** `METHOD /path` of every route, written as in the document. Omits pages, and HEAD and OPTIONS. */
  readonly routes: ReadonlySet<string>
  /** `METHOD /path status`, and the code of a failure, of every answer. */
  readonly seen: ReadonlySet<string>
  /** Answers and accepted bodies that differ from the document. */
  readonly violations: readonly string[]
}

/** Compares all requests and answers from now on with the application's OpenAPI document. Call it before listening. */
export function checkAgainstDocument(app: FastifyInstance): DocumentCheck {
  const routes = new Set<string>()
  const seen = new Set<string>()
  const violations: string[] = []
  let validate: Validate | null = null

  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) {
      const path = documentPath(url)
      if (one !== 'HEAD' && one !== 'OPTIONS' && !pages.has(path)) routes.add(`${one} ${path}`)
    }
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const { url } = request.routeOptions
    const { method } = request
    if (url === undefined || method === 'OPTIONS' || pages.has(documentPath(url))) return
    const path = documentPath(url)
    const operation = ['paths', path, method === 'HEAD' ? 'get' : method.toLowerCase()]
    const status = String(reply.statusCode)
    const isJson = /json/.test(String(reply.getHeader('content-type')))
    const body: unknown = isJson && typeof payload === 'string' && payload !== '' ? JSON.parse(payload) : null
    const code = (body as { error?: { code?: string } } | null)?.error?.code
    const what = [method, path, status, code].filter((part) => part !== undefined).join(' ')
    seen.add(what)

    const document = app.swagger() as OpenApiDocument
    validate ??= validator(document)
    const described = document.paths[path]?.[operation[2]!]
    if (described === undefined) {
      violations.push(`${what}: the document has no such operation`)
      return
    }
    const response = described.responses[status]
    if (response === undefined) violations.push(`${what}: the document has no such status`)
    // A refusal sent before its body has arrived is a stream that only the client can read.
    else if (
      response.content?.['application/json']?.schema !== undefined &&
      method !== 'HEAD' &&
      !(payload instanceof Readable)
    ) {
      const pointer = [...operation, 'responses', status, 'content', 'application/json', 'schema']
      const problem = isJson ? validate(pointer, body) : 'is not JSON'
      if (problem !== null) violations.push(`${what}: answer ${problem}`)
    }
    for (const name of response === undefined ? [] : Object.keys(reply.getHeaders())) {
      if (ownHeader.test(name) && !(name in (response?.headers ?? {}))) violations.push(`${what}: no header ${name}`)
    }
    if ((status === '429' || status === '503') && !/^[1-9]\d*$/.test(String(reply.getHeader('retry-after')))) {
      violations.push(`${what}: no Retry-After`)
    }
    if (reply.statusCode < 400 && described.requestBody?.content['application/json']?.schema !== undefined) {
      const isAbsent = request.body === undefined || request.body === null
      const problem = isAbsent
        ? described.requestBody.required
          ? 'is missing'
          : null
        : validate([...operation, 'requestBody', 'content', 'application/json', 'schema'], request.body)
      if (problem !== null) violations.push(`${what}: accepted a body that ${problem}`)
    }
  })
  return { routes, seen, violations }
}

/** Headers that the document must describe. */
const ownHeader = /^x-(request-id$|ratelimit-)/

/** `/api/keys/:id` as `/api/keys/{id}`; without the slash at the end of a prefix's root. */
const documentPath = (url: string): string => url.replace(/:([A-Za-z_]+)/g, '{$1}').replace(/(.)\/$/, '$1')

/** Pages and their files, which are not part of the API. */
const docs = ['/llms.txt', '/api/docs/gateway.json', '/api/docs/:page']
const pages = new Set(
  [...pagePaths, ...sitePaths, captchaPath, `${assetsPrefix}*`, '/api/unsubscribe', ...docs].map(documentPath)
)

/** Describes why a value does not match the schema at a pointer; null if it matches. */
type Validate = (pointer: string[], value: unknown) => string | null

/** By the schemas of a document: compiling them takes longer than most tests. */
const validators = new Map<string, Validate>()

/** As {@link createValidator}. All documents with the same schemas share one. */
export function validator(document: OpenApiDocument): Validate {
  const text = JSON.stringify([document.paths, document.webhooks, document.components])
  const validate = validators.get(text) ?? createValidator(document)
  validators.set(text, validate)
  return validate
}

/** @throws Error at a pointer that the document lacks, or whose schema is not valid */
function createValidator(document: OpenApiDocument): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ ...document }, base)
  /** By place, and by the text of the schema: many answers have the same one. */
  const checks = new Map<string, ValidateFunction>()
  return (pointer, value) => {
    const place = pointer.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const check = checks.get(place) ?? checkOf(pointer, place)
    return check(value) ? null : ajv.errorsText(check.errors, { dataVar: '' })
  }

  function checkOf(pointer: string[], place: string): ValidateFunction {
    const schema = pointer.reduce<unknown>(
      (outer, name) => (outer as Record<string, unknown> | undefined)?.[name],
      document
    )
    if (schema === undefined) throw new Error(`the document has no ${place}`)
    const text = JSON.stringify(schema)
    const check = checks.get(text) ?? ajv.getSchema(`${base}#/${place}`)!
    checks.set(place, check).set(text, check)
    return check
  }
}
