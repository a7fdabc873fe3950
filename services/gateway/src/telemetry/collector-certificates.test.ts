import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { need } from '@tollgate/sandbox/need.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import { openTracing } from '@tollgate/service/tracing/open-tracing.ts'
import { test } from 'tap'

test('spans reach a collector whose certificates OpenTelemetry’s variables name', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-traces-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const made = makeCertificate(directory)
  if (!need(t, 'OpenSSL', made)) return
  const tls = { cert: readFileSync(made.certFile), key: readFileSync(made.keyFile) }
  const asked = Promise.withResolvers<boolean>()
  const collector = createServer({ ...tls, ca: tls.cert, requestCert: true }, (request, answer) => {
    asked.resolve((request.socket as TLSSocket).authorized)
    request.resume().on('end', () => answer.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  t.after(() => collector.close())
  const variables = {
    OTEL_EXPORTER_OTLP_CERTIFICATE: made.certFile,
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: made.certFile,
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: made.keyFile
  }
  Object.assign(process.env, variables)
  t.after(() => {
    for (const name of Object.keys(variables)) delete process.env[name]
  })
  const url = `https://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`
  const dropped: number[] = []
  const tracing = await openTracing(
    { url, sampler: 'always_on', ratio: 1, delayMs: 1 },
    { name: 'tests', version: '1', onDropped: (count) => dropped.push(count) }
  )
  tracing!.serve('request', {}, {}, performance.now()).end()
  assert.equal(await asked.promise, true)
  await tracing!.close()
  assert.deepEqual(dropped, [])
})
