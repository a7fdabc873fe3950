import assert from 'node:assert/strict'
import { test } from 'tap'
import { codeOf } from '../testing/call-control.ts'
import { startControl } from '../testing/start-control.ts'

const publicUrl = 'https://app.service.example'
const extra = 'http://localhost:5173'
const allowed = ['https://app.service.example', 'https://shop.service.example', 'https://a.b.service.example', extra]
const foreign = [
  'https://service.example',
  'https://evil-service.example',
  'https://shop.service.example.evil.com',
  'https://shop.service.example:444',
  'http://shop.service.example',
  'http://localhost:5174',
  'null'
]

test('cross-origin requests', async (t) => {
  const control = await startControl({ publicUrl, serviceDomain: 'service.example', extraOrigins: [extra] })
  t.after(() => control.close())
  const { call } = control
  const user = await control.signUp()
  const { cookie } = user

  await t.test('over https the cookie is secure and shared with subdomains, also when it is cleared', async () => {
    const { email, password } = user
    const login = await call('POST', '/api/auth/login', { body: { email, password } })
    assert.match(
      login.cookies[0]!,
      /^svc_session=[\w-]{43}; Max-Age=2592000; Domain=service\.example; Path=\/; HttpOnly; Secure; SameSite=Lax$/
    )
    const signout = await call('POST', '/api/auth/signout', { cookie: login.cookies[0]!.split(';')[0] })
    assert.match(
      signout.cookies[0]!,
      /^svc_session=; Max-Age=0; Domain=service\.example; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/
    )
    assert.equal(login.headers['strict-transport-security'], 'max-age=31536000; includeSubDomains')
  })

  await t.test('only allowed origins may read answers with the cookie', async () => {
    for (const path of ['/api/auth/me', '/api/keys', '/api/auth/no-such-path']) {
      for (const origin of allowed) {
        const { headers } = await call('GET', path, { cookie, origin })
        assert.equal(headers['access-control-allow-origin'], origin)
        assert.equal(headers['access-control-allow-credentials'], 'true')
        assert.match(String(headers.vary), /\bOrigin\b/)
      }
      for (const origin of foreign) {
        const { headers } = await call('GET', path, { cookie, origin })
        assert.equal(headers['access-control-allow-origin'], undefined, `${path} ${origin}`)
        assert.equal(headers['access-control-allow-credentials'], undefined)
        assert.match(String(headers.vary), /\bOrigin\b/)
      }
    }
  })

  await t.test(
    'a pre-flight from an allowed origin may be cached for 24 hours; any other gets no permission',
    async () => {
      const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
      for (const path of ['/api/auth/login', '/api/keys', '/api/keys/some-id']) {
        for (const origin of allowed) {
          const answer = await call('OPTIONS', path, { origin, headers })
          assert.equal(answer.status, 204)
          assert.equal(answer.headers['access-control-max-age'], '86400')
          assert.equal(answer.headers['access-control-allow-origin'], origin)
          assert.match(String(answer.headers['access-control-allow-methods']), /POST.*DELETE/)
          assert.match(String(answer.headers['access-control-allow-headers']), /content-type/)
        }
        for (const origin of foreign) {
          const answer = await call('OPTIONS', path, { origin, headers })
          assert.equal(answer.status, 404)
          assert.equal(answer.headers['access-control-allow-origin'], undefined)
          assert.equal(answer.headers['access-control-max-age'], undefined)
        }
      }
    }
  )

  await t.test('a webhook has no CORS, even for the pre-flight of an allowed origin', async () => {
    const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    const answer = await call('OPTIONS', '/api/billing/webhook', { origin: extra, headers })
    assert.deepEqual([answer.status, codeOf(answer)], [405, 'method_not_allowed'])
    const added = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-') || name === 'vary')
    assert.deepEqual(added, [])
    const beside = await call('OPTIONS', '/api/billing/plan', { origin: extra, headers })
    assert.equal(beside.headers['access-control-allow-origin'], extra)
  })

  await t.test('there is no CORS outside the API', async () => {
    for (const path of ['/', '/login', '/livez', '/no-such-path', '/api/no-such-path']) {
      const { headers } = await call('GET', path, { origin: allowed[1] })
      assert.equal(headers['access-control-allow-origin'], undefined, path)
    }
  })

  await t.test('a change with the cookie needs an allowed origin or no origin', async () => {
    for (const origin of foreign) {
      const { email, password } = user
      for (const [path, body] of [
        ['/api/auth/signout'],
        ['/api/auth/login', { email, password }],
        ['/api/keys', { label: 'x' }]
      ] as const) {
        const answer = await call('POST', path, { cookie, origin, body })
        assert.equal(answer.status, 403, `${path} ${origin}`)
        assert.equal(codeOf(answer), 'csrf_rejected')
        assert.deepEqual(answer.cookies, [])
      }
      const remove = await call('DELETE', '/api/keys/some-id', { cookie, origin })
      assert.equal(codeOf(remove), 'csrf_rejected')
    }
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)

    for (const origin of [...allowed, undefined]) {
      const own = await control.signIn(user)
      assert.equal((await call('POST', '/api/auth/signout', { cookie: own, origin })).status, 200)
      assert.equal((await call('GET', '/api/auth/me', { cookie: own })).status, 401)
    }
  })

  await t.test(
    'a change with the cookie but without an origin is refused if the browser says that another site sent it',
    async () => {
      const signout = (own: string, site: string, origin?: string) =>
        call('POST', '/api/auth/signout', { cookie: own, origin, headers: { 'sec-fetch-site': site } })
      const refused = await signout(cookie, 'cross-site')
      assert.deepEqual([refused.status, codeOf(refused)], [403, 'csrf_rejected'])
      for (const [method, path] of [
        ['POST', '/api/keys'],
        ['PATCH', '/api/account'],
        ['DELETE', '/api/keys/some-id'],
        ['POST', '/api/billing/checkout'],
        ['POST', '/api/team/seats']
      ] as const) {
        const answer = await call(method, path, { cookie, headers: { 'sec-fetch-site': 'cross-site' } })
        assert.deepEqual([answer.status, codeOf(answer)], [403, 'csrf_rejected'], path)
      }
      const headers = { 'sec-fetch-site': 'cross-site' }
      assert.equal((await call('GET', '/api/auth/me', { cookie, headers })).status, 200, 'a link from another site')
      for (const site of ['same-origin', 'same-site', 'none']) {
        assert.equal((await signout(await control.signIn(user), site)).status, 200, site)
      }
      assert.equal((await signout(await control.signIn(user), 'cross-site', extra)).status, 200, 'an allowed origin')
    }
  )

  await t.test('every origin may send a read with the cookie', async () => {
    for (const origin of foreign) assert.equal((await call('GET', '/api/auth/me', { cookie, origin })).status, 200)
  })
})
