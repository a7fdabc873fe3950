import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'tap'
import { startIdentity } from './identity/start-identity.ts'
import { startModels } from './models/start-models.ts'
import { isOwnHost } from './own-host.ts'
import { startPayments } from './payments/start-payments.ts'

/** Sends a request with this `Host`, as a browser does after DNS rebinding. */
async function ask(url: string, host: string, path: string, headers: Record<string, string> = {}) {
  const { port } = new URL(url)
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers: { ...headers, host } }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asking.once('error', reject).end()
  })
}

test('only localhost and the loopback addresses count as own hosts', async () => {
  for (const host of ['localhost', 'LOCALHOST:4024', '127.0.0.1:4024', '[::1]:80', 'localhost:1'])
    assert.ok(isOwnHost(host), host)
  for (const host of [
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:4024',
    'localhost@evil.example',
    '127.0.0.1.nip.io:4024',
    '127.0.0.2',
    '0.0.0.0',
    'localhost:',
    ' localhost',
    'localhost:80:80',
    'localhost, evil.example'
  ]) {
    assert.equal(isOwnHost(host), false, String(host))
  }
})

test('the embedded servers listen on 127.0.0.1 only, and refuse requests with a foreign Host', async (t) => {
  const identity = await startIdentity({
    port: 0,
    mailboxPort: 0,
    siteUrl: 'http://localhost:3000',
    anonKey: 'anon-key',
    serviceRoleKey: 'service-role-key'
  })
  t.teardown(() => identity.close())
  const payments = await startPayments({ port: 0, apiKey: 'sk_test_x' })
  t.teardown(() => payments.close())
  const models = await startModels({ port: 0 })
  t.teardown(() => models.close())
  for (const url of [identity.url, identity.mailboxUrl, payments.url, models.url]) {
    // A server on all interfaces would answer on this loopback address, too.
    await assert.rejects(fetch(url.replace('127.0.0.1', '127.0.0.2')), (error: Error) => {
      return (error.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    })
  }
  for (const [url, path, headers, status] of [
    [identity.mailboxUrl, '/', {}, 200],
    [identity.mailboxUrl, '/api/v1/messages', {}, 200],
    [identity.url, '/auth/v1/health', { apikey: 'anon-key' }, 200],
    [payments.url, '/v1/prices', { authorization: 'Bearer sk_test_x' }, 200],
    [models.url, '/v1/models', { authorization: 'Bearer sandbox' }, 200],
    [models.url, '/sandbox/requests', {}, 200]
  ] as const) {
    const { host } = new URL(url)
    assert.equal((await ask(url, host, path, headers)).status, status, `${host}${path}`)
    for (const foreign of ['evil.example', host.replace('127.0.0.1', 'rebound.evil.example')]) {
      const answer = await ask(url, foreign, path, headers)
      assert.equal(answer.status, 421, `${foreign}${path}`)
      assert.match(answer.body, /^This server answers requests to localhost/)
    }
  }
})
