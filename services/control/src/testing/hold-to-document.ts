import { Readable } from 'node:stream'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import { assetsPrefix, pagePaths } from '../dashboard/page-paths.ts'

const base = 'https://document.test/openapi.json'

export type DocumentCheck = {
  /** `METHOD /path` of every route that answers, as a document writes it; pages and what follows from GET left out. */
  readonly routes: ReadonlySet<string>
  /** `METHOD /path status`, with the code of a failure after it, of everything that was answered. */
  readonly seen: ReadonlySet<string>
  /** What was answered, or accepted, and is not as the document says. */
  readonly violations: readonly string[]
}

/**
 * Compares every request that is answered from now on, and its answer, with the document that the application serves.
 * To be called before anything is listened to.
 */
export function holdToDocument(app: FastifyInstance): DocumentCheck {
  const routes = new Set<string>()
  const seen = new Set<string>()
  const violations: string[] = []
  let validate: ((pointer: string[], value: unknown) => string | null) | null = null

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
    // A refusal that is sent while its request arrives is a stream, which only the client reads.
    else if (
      response.content?.['application/json']?.schema !== undefined &&
      method !== 'HEAD' &&
      !(payload instanceof Readable)
    ) {
      const pointer = [...operation, 'responses', status, 'content', 'application/json', 'schema']
      const problem = isJson ? validate(pointer, body) : 'the answer is not JSON'
      if (problem !== null) violations.push(`${what}: answer ${problem}`)
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

/** `/api/keys/:id` as `/api/keys/{id}`, and a prefix's root without the slash at its end. */
const documentPath = (url: string): string => url.replace(/:([A-Za-z_]+)/g, '{$1}').replace(/(.)\/$/, '$1')

/** What is not part of the API: pages for people, and their files. */
const pages = new Set([...pagePaths, `${assetsPrefix}*`, '/api/reference'].map(documentPath))

/** @returns a function that says what is wrong with a value by the schema at a place in the document; null if nothing */
function validator(document: OpenApiDocument): (pointer: string[], value: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ ...document }, base)
  return (pointer, value) => {
    const place = pointer.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const check = ajv.getSchema(`${base}#/${place}`)
    if (check === undefined) throw new Error(`the document has no ${place}`)
    return check(value) ? null : ajv.errorsText(check.errors, { dataVar: '' })
  }
}
