import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startGateway } from '@tollgate/gateway/testing/start-gateway.ts'
import { makePackage } from '@tollgate/packaging/make-package.ts'
import { packagePlans } from '@tollgate/packaging/packages.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import t from 'tap'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const certificate = makeCertificate(folder)

// The package has only parts of undici, and the thread is a file of its own.
t.test('the packaged gateway speaks HTTP/2 with upstreams, and counts tokens in a thread', async (t) => {
  if (!need(t, 'OpenSSL', certificate)) return
  const { certFile, keyFile, caFile } = certificate!
  const outDir = join(folder, 'gateway')
  const plan = packagePlans.find(({ name }) => name === 'gateway')!
  await makePackage(plan, outDir)

  const versions: string[] = []
  const server = createSecureServer(
    { cert: readFileSync(certFile), key: readFileSync(keyFile) },
    (request, response) => {
      versions.push(`${request.httpVersion} ${request.method}`)
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' })
        // Without usage, so that the gateway estimates it.
        response.end(
          '{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"}}]}'
        )
      })
    }
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())

  // Only for what control would write to Redis.
  const seeding = await startGateway('http://127.0.0.1:1')
  t.teardown(() => seeding.close())
  const { secret } = await seeding.seedKey()
  const upstreamsFile = join(folder, 'upstreams.yaml')
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  writeFileSync(upstreamsFile, `upstreams: { test: { base_url: '${base}', http2: true, ca_file: '${caFile}' } }`)
  const [port, adminPort] = [await freePort(), await freePort()]
  const program = spawn(process.execPath, [join(outDir, 'main.js')], {
    env: {
      PATH: process.env.PATH,
      GATEWAY_PORT: String(port),
      GATEWAY_ADMIN_PORT: String(adminPort),
      REDIS_URL: seeding.redis.url,
      UPSTREAMS_FILE: upstreamsFile
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(async () => {
    if (program.exitCode === null && program.kill('SIGKILL')) await once(program, 'exit')
  })
  const messages: string[] = []
  for await (const line of createInterface({ input: program.stdout })) {
    const { msg, estimated } = JSON.parse(line) as { msg: string; estimated?: boolean }
    messages.push(msg)
    if (msg === 'listening') {
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hi' }] })
      })
      assert.equal(response.status, 200, await response.text())
    }
    if (msg === 'request') {
      assert.equal(estimated, true)
      break
    }
  }
  assert.ok(!messages.some((message) => message.startsWith('cannot count tokens')), messages.join('\n'))
  assert.ok(versions.includes('2.0 POST'), versions.join())
})
