import { Readable } from 'node:stream'
import { createBodyDecoder, decodingError, isEncoded } from '@tollgate/service/http/request-body.ts'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'

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
