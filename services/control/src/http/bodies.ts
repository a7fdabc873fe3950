import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  createBodyDecoder,
  decodingError,
  isEncoded,
  notUtf8,
  refuseCharset
} from '@tollgate/service/http/request-body.ts'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'

/**
 * Refuses requests with text that no database can return unchanged: NUL, which PostgreSQL does not store, and lone
 * surrogates, which UTF-8 cannot encode. So every text that reaches a handler can be stored and compared.
 */
export function refuseUnstorableText(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    // Requests without a route get 404 and reach no handler.
    if (request.is404) return done()
    const where = findUnstorable(request.params) ?? findUnstorable(request.query) ?? findUnstorable(request.body)
    if (where === null) done()
    else done(new ServiceError('invalid_request', { message: `${where}: has characters that are not allowed` }))
  })
}

/**
 * Finds the first text in a JSON value that cannot be stored. Values may be nested to any depth.
 *
 * @returns its path, such as `metadata.tenant`, or null
 */
export function findUnstorable(value: unknown): string | null {
  const rest: Array<[path: string, value: unknown]> = [['', value]]
  for (let entry = rest.pop(); entry !== undefined; entry = rest.pop()) {
    const [path, content] = entry
    if (typeof content === 'string') {
      if (!isStorable(content)) return path
    } else if (typeof content === 'object' && content !== null && !ArrayBuffer.isView(content)) {
      for (const [name, member] of Object.entries(content)) {
        if (!isStorable(name)) return path === '' ? 'a name' : `${path}: a name`
        rest.push([path === '' ? name : `${path}.${name}`, member])
      }
    }
  }
  return null
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Decodes compressed bodies. The body limit applies to the encoded and to the decoded size. */
export function decodeBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-encoding': encoding, 'content-length': length } = request.headers
    if (!isEncoded(encoding) || length === '0') {
      done(null, payload)
      return
    }
    try {
      done(null, decoded(request, encoding))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** @returns the decoded stream; Fastify compares its count of encoded bytes with the limit and with `content-length` */
function decoded({ raw, routeOptions }: FastifyRequest, encoding: string): RequestPayload {
  const { stream } = createBodyDecoder(encoding)
  let encodedBytes = 0
  const count = (chunk: Buffer) => {
    encodedBytes += chunk.length
  }
  const onClose = () => {
    if (!raw.complete) stream.destroy()
  }

  async function* inflate(): AsyncGenerator<Buffer> {
    let bytes = 0
    raw.on('data', count).once('close', onClose).pipe(stream)
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length
        yield chunk
        // Fastify has refused the body, and would read on.
        if (bytes > routeOptions.bodyLimit) return
      }
    } catch (cause) {
      throw decodingError(encoding, cause)
    } finally {
      raw.off('data', count).off('close', onClose).unpipe(stream)
      stream.destroy()
    }
    // The decoder ignores bytes after the end of the compressed data.
    if (stream.bytesWritten < encodedBytes) throw decodingError(encoding)
  }
  const body: RequestPayload = Readable.from(inflate(), { objectMode: false })
  // Fastify stops listening once it has refused a body.
  body.on('error', () => {})
  return Object.defineProperty(body, 'receivedEncodedLength', { get: () => encodedBytes })
}

/**
 * Reads JSON bodies, and nothing else. An empty body counts as no body, whatever its content type: clients send the
 * header by habit. The route's schema decides whether a body is required.
 */
export function readJsonBodies(app: FastifyInstance): void {
  // Refuses members that could change a prototype.
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined)
      return
    }
    const otherCharset = refuseCharset(request.headers['content-type'] ?? '')
    if (otherCharset !== null) done(otherCharset)
    // A lenient decoder would replace invalid UTF-8, so another text would be stored.
    else if (!isUtf8(body)) done(notUtf8())
    else parse(request, body.toString('utf8'), done)
  })
}
