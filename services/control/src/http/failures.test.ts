import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { ErrorResponse } from '@tollgate/contracts/http/error.ts'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { version } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { Value } from 'typebox/value'
import type { Answer } from '../testing/call-control.ts'
import { startControl } from '../testing/start-control.ts'

const complete = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }
const json = { 'content-type': 'application/json' }

interface Failure {
  status: number
  code: string
  message?: RegExp
}

function assertFailure(answer: Answer, { status, code, message }: Failure, what: string): void {
  assert.equal(answer.status, status, what)
  assert(Value.Check(ErrorResponse, answer.body), `${what}: ${JSON.stringify(answer.body)}`)
  assert.deepEqual(Object.keys(answer.body), ['error'], what)
  assert.equal(answer.body.error.code, code, what)
  if (message !== undefined) assert.match(answer.body.error.message, message, what)
  assert.match(String(answer.headers['x-request-id']), /^req_[0-9a-f-]{36}$/, what)
}

test('failures', async (t) => {
  const control = await startControl({ allowedHosts: ['localhost', '127.0.0.1', '[::1]'] })
  t.after(() => control.close())
  const { call } = control

  /** Sends a body exactly as written. */
  async function post(path: string, payload: string | Buffer, headers: Record<string, string> = json): Promise<Answer> {
    const {
      statusCode: status,
      headers: answered,
      body
    } = await control.app.inject({ method: 'POST', url: path, headers, payload })
    return { status, headers: answered, body: JSON.parse(body), cookies: [] }
  }

  await t.test('a field that is missing, mistyped, too long or unknown is named', async () => {
    const cases: Array<[body: unknown, message: RegExp]> = [
      [{ ...complete, name: undefined }, /^name: missing/],
      [{ ...complete, email: undefined }, /^email: missing/],
      [{ ...complete, password: undefined }, /^password: missing/],
      [{ ...complete, email: 7 }, /^email: must be string/],
      [{ ...complete, email: ['ada@example.com'] }, /^email: must be string/],
      [{ ...complete, email: null }, /^email: must be string/],
      [{ ...complete, password: 12345678 }, /^password: must be string/],
      [{ ...complete, name: true }, /^name: must be string/],
      [{ ...complete, name: '' }, /^name: /],
      [{ ...complete, name: 'x'.repeat(201) }, /^name: /],
      [{ ...complete, name: 'a\u0000b' }, /^name: has characters that are not allowed/],
      [{ ...complete, email: 'a\u0000@example.com' }, /^email: has characters/],
      [{ ...complete, email: `${'x'.repeat(255)}@example.com` }, /^email: /],
      [{ ...complete, plan: 'enterprise' }, /^plan: unknown member/],
      [{ ...complete, constructor: 1 }, /^constructor: unknown member/],
      [[], /must be object/],
      ['text', /must be object/],
      [null, /must be object/],
      [7, /must be object/]
    ]
    for (const [body, message] of cases) {
      assertFailure(
        await call('POST', '/api/auth/register', { body }),
        { status: 400, code: 'invalid_request', message },
        JSON.stringify(body)
      )
    }
    assertFailure(
      await call('POST', '/api/auth/signout', { body: { surprise: true } }),
      { status: 400, code: 'invalid_request', message: /surprise: unknown member/ },
      'signout'
    )
  })

  await t.test('a body that is not JSON is refused as invalid_json', async () => {
    for (const payload of [
      '{',
      '{"email":',
      'email=a',
      '{"a":1}x',
      '\u0000',
      '{"__proto__":{"x":1}}',
      '{"constructor":{"prototype":{}}}'
    ]) {
      assertFailure(await post('/api/auth/login', payload), { status: 400, code: 'invalid_json' }, payload)
    }
    assertFailure(
      await post('/api/auth/login', Buffer.from([0xff, 0xfe, 0x7b])),
      { status: 400, code: 'invalid_json' },
      'bytes'
    )
    assertFailure(await post('/api/auth/login', ''), { status: 400, code: 'invalid_request' }, 'empty')
  })

  await t.test('a body in another encoding is refused with words', async () => {
    const payload = JSON.stringify(complete)
    for (const [body, type, message] of [
      [Buffer.from([0x7b, 0xff]), json['content-type'], /^The request body is not valid UTF-8\. Encode it as UTF-8/],
      [payload, 'application/json; charset=utf-16', /^The Content-Type names another charset than UTF-8\./]
    ] as const) {
      const answer = await post('/api/auth/login', body, { 'content-type': type })
      assert.match((answer.body as { error: { message: string } }).error.message, message)
    }
    for (const [body, type] of [
      [`\ufeff${payload}`, 'application/json'],
      [payload, 'application/json;charset="UTF-8"']
    ] as const) {
      const answer = await post('/api/auth/register', body, { 'content-type': type })
      assert.equal(answer.status, 200, 'a byte order mark is skipped')
    }
  })

  await t.test('a request for the other service, or with the other kind of key, is told where it belongs', async () => {
    const [inference, management] = [generateSecret('inference'), generateSecret('management')]
    const gateway = /Set the base URL of your client to http:\/\/localhost:8080\/v1 \(for clients of Anthropic's API/
    const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })
    for (const [method, path, options, status, code, message] of [
      ['POST', '/v1/chat/completions', { body: {} }, 404, 'not_found', gateway],
      ['GET', '/v1/models', {}, 404, 'not_found', gateway],
      ['GET', '/v1', {}, 404, 'not_found', gateway],
      ['POST', '/chat/completions', { body: {} }, 404, 'not_found', gateway],
      [
        'GET',
        '/api/keys',
        bearer(inference),
        401,
        'invalid_api_key',
        /^This is an inference key \(tg_…\)\. It calls models at http:\/\/localhost:8080\/v1\. Here, send a management key/
      ],
      [
        'GET',
        '/api/auth/me',
        bearer(management),
        401,
        'not_authenticated',
        /^A management key \(tgm_…\) cannot do this\./
      ],
      ['GET', '/api/account', bearer(inference), 401, 'not_authenticated', /^An inference key \(tg_…\) cannot do this/],
      ['GET', '/api/account', bearer('x'), 401, 'not_authenticated', /^Your session is missing/]
    ] as const) {
      assertFailure(await call(method, path, options), { status, code, message }, `${method} ${path}`)
    }
  })

  await t.test('of several forms of a body, the answer is about the one that the caller meant', async () => {
    const { cookie } = await control.signUpOperator()
    const reason = 'It leaked'
    for (const [path, body, message] of [
      ['/api/admin/keys/revoke', { id: 'key_1' }, /^reason: missing$/],
      ['/api/admin/keys/revoke', { hash: 'a'.repeat(64) }, /^reason: missing$/],
      ['/api/admin/keys/revoke', { reason }, /^id, value or hash: missing$/],
      ['/api/admin/keys/revoke', { reason, value: '' }, /^value: must NOT have fewer than 1 characters$/],
      ['/api/admin/keys/revoke', { reason, value: 'x', note: 1 }, /^note: unknown member$/],
      ['/api/admin/keys/revoke', { reason: ' ', value: 'x' }, /^reason: must have a visible character/],
      ['/api/keys', { label: ' \u200b\n' }, /^label: must have a visible character$/]
    ] as const) {
      const answer = await call('POST', path, { cookie, body })
      assertFailure(answer, { status: 400, code: 'invalid_request', message }, JSON.stringify(body))
    }
  })

  await t.test('only JSON is accepted', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml'
    ]) {
      const answer = await post('/api/auth/login', JSON.stringify(complete), { 'content-type': type })
      assertFailure(answer, { status: 415, code: 'unsupported_media_type' }, type)
    }
    const answer = await post('/api/auth/login', JSON.stringify(complete), {})
    assertFailure(answer, { status: 415, code: 'unsupported_media_type' }, 'none')
  })

  await t.test('a body beyond the limit is refused', async () => {
    const answer = await call('POST', '/api/auth/login', { body: { ...complete, name: 'x'.repeat(70_000) } })
    assertFailure(answer, { status: 413, code: 'request_too_large' }, 'large')
  })

  await t.test('unknown paths get 404 in the same shape', async () => {
    for (const [method, path] of [
      ['GET', '/no-such-path'],
      ['GET', '/api'],
      ['GET', '/api/auth'],
      ['GET', '/api/auth/%zz'],
      ['GET', '/%c0%ae%c0%ae/etc/passwd'],
      ['GET', `/${'x'.repeat(5000)}`]
    ] as const) {
      assertFailure(await call(method, path), { status: 404, code: 'not_found' }, `${method} ${path.slice(0, 40)}`)
    }
    const named = await call('POST', '/api/nothing?token=s3cret')
    assertFailure(
      named,
      { status: 404, code: 'not_found', message: /^There is no endpoint POST \/api\/nothing\.$/ },
      'named'
    )
  })

  await t.test('another method of an endpoint is 405 with Allow', async () => {
    for (const [method, path, allow] of [
      ['GET', '/api/auth/login', 'POST, OPTIONS'],
      ['GET', '/api/auth/webhook', 'POST'],
      ['GET', '/api/billing/webhook', 'POST'],
      ['PUT', '/api/auth/me', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
      ['PUT', '/api/keys/', 'GET, HEAD, POST, OPTIONS'],
      ['POST', '/api/keys/key_1?token=s3cret', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
      ['POST', '/livez', 'GET, HEAD'],
      ['DELETE', '/', 'GET, HEAD']
    ] as const) {
      const answer = await call(method, path)
      const message = new RegExp(`^${path.split('?')[0]} does not take ${method}\\. Use ${allow}\\.$`)
      assertFailure(answer, { status: 405, code: 'method_not_allowed', message }, `${method} ${path}`)
      assert.equal(answer.headers.allow, allow)
    }
  })

  await t.test('a slash at the end of a path makes no difference', async () => {
    const user = await control.signUp()
    for (const path of ['/api/auth/me', '/api/keys', '/livez', '/login', '/api/openapi.json']) {
      const plain = await call('GET', path, { cookie: user.cookie })
      const slashed = await call('GET', `${path}/`, { cookie: user.cookie })
      assert.equal(slashed.status, plain.status, path)
      assert.deepEqual(slashed.body, plain.body, path)
    }
  })

  await t.test('every answer has our own request id and security headers, and is not cached', async () => {
    for (const path of ['/livez', '/', '/login', '/api/auth/me', '/no-such-path']) {
      const { headers } = await call('GET', path, { headers: { 'x-request-id': 'chosen' } })
      assert.match(String(headers['x-request-id']), /^req_[0-9a-f-]{36}$/)
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; /)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['strict-transport-security'], undefined)
      assert.equal(headers['x-powered-by'], undefined)
    }
  })

  await t.test('with ALLOWED_HOSTS, pages and API are not served at other host names', async () => {
    const ask = async (host: string, url: string) => control.app.inject({ url, headers: { host } })
    for (const host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:1', '[::1]:3000']) {
      assert.equal((await ask(host, '/livez')).statusCode, 200, host)
    }
    for (const host of ['evil.example', 'localhost.evil.example', 'localhost@evil.example', 'localhost:3000:1']) {
      for (const url of ['/livez', '/', '/api/openapi.json', '/nothing']) {
        const { statusCode, headers, body } = await ask(host, url)
        assertFailure(
          { status: statusCode, headers, body: JSON.parse(body), cookies: [] },
          { status: 421, code: 'unknown_host' },
          `${host}${url}`
        )
      }
    }
  })

  await t.test('invalid HTTP and oversized headers get the error shape too', async () => {
    for (const [sent, status] of [
      ['nonsense\r\n\r\n', '400 Bad Request'],
      [`GET / HTTP/1.1\r\nhost: x\r\nlarge: ${'x'.repeat(20_000)}\r\n\r\n`, '413 Payload Too Large']
    ] as const) {
      const socket = connect(Number(new URL(control.url).port), '127.0.0.1')
      let received = ''
      socket.setEncoding('utf8').on('data', (text: string) => {
        received += text
      })
      socket.write(sent)
      await new Promise((resolve) => socket.on('close', resolve))
      const [head = '', body = ''] = received.split('\r\n\r\n')
      assert.ok(head.startsWith(`HTTP/1.1 ${status}\r\n`), head)
      assert.match(head, /x-request-id: req_/)
      assert(Value.Check(ErrorResponse, JSON.parse(body)))
    }
  })

  await t.test('an unexpected error is 500 without details', async () => {
    const { orm } = control.database
    const hidden = orm.select
    orm.select = () => {
      throw new TypeError('secret detail')
    }
    t.after(() => {
      orm.select = hidden
    })
    const cookie = `svc_session=${'A'.repeat(43)}`
    const answer = await call('GET', '/api/auth/me', { cookie })
    orm.select = hidden
    assertFailure(answer, { status: 500, code: 'internal_error' }, 'unforeseen')
    assert.equal(JSON.stringify(answer.body).includes('secret detail'), false)
    assert(control.logged.some((line) => line.includes('secret detail') && line.includes('"level":50')))
  })

  await t.test('probes answer, and say what is unavailable', async () => {
    const probe = async (path: string) => {
      const answer = await fetch(control.adminUrl + path)
      return [answer.status, await answer.json()]
    }
    const ready = { started: true, stopping: false, database: true, redis: true, problems: [] }
    assert.deepEqual((await call('GET', '/livez')).body, { ok: true, version })
    assert.deepEqual(await probe('/livez'), [200, { ok: true, version }])
    assert.deepEqual(await probe('/readyz'), [200, ready])
    assert.equal((await call('GET', '/readyz')).status, 404, 'clients do not see the state')
    control.redis.client.disconnect()
    await once(control.redis.client, 'close')
    // Without Redis, control still answers what it reads from the database.
    assert.deepEqual(await probe('/readyz'), [200, { ...ready, redis: false }])
    assert.deepEqual(await probe('/livez'), [200, { ok: true, version }])
    // Sessions do not depend on Redis.
    const user = await control.signUp({ plan: 'pro' })
    assert.equal((await call('GET', '/api/auth/me', { cookie: user.cookie })).status, 200)
  })
})
