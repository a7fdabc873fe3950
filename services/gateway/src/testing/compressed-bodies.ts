import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { post } from './client.ts'
import { type TestGateway, testCatalog } from './start-gateway.ts'

/** Prices apart, the catalog of tests: large bodies have a high maximum cost. Only `pro` may hold 48 MiB. */
export const catalogOfLargeBodies = (() => {
  const caps = { requestNanos: 1e11, monthlyNanos: 1e14 }
  const { free, pro } = testCatalog.plans
  return {
    ...testCatalog,
    plans: { free: { ...free!, caps }, pro: { ...pro!, caps, limits: { ...pro!.limits, bodyMemoryMb: 48 } } }
  }
})()

/** By `content-encoding`. Brotli's default quality takes a hundred times as long. */
export const encoders = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: (bytes: string | Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: zstdCompressSync
}

export const postEncoded = (
  gateway: TestGateway,
  secret: string,
  encoding: string,
  body: Uint8Array<ArrayBuffer>
): Promise<Response> =>
  post(gateway, secret, '/chat/completions', '', {
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'content-encoding': encoding
    },
    body
  })
