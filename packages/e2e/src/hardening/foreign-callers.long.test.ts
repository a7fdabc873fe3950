import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type OpenApiDocument, operationsOf } from '@tollgate/contracts/openapi/document.ts'
import type { Answer } from '@tollgate/control/testing/call-control.ts'
import { onDatabase } from '@tollgate/control/testing/databases.ts'
import { startControl } from '@tollgate/control/testing/start-control.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { goodBodies } from './bodies.ts'

const day = 24 * 3600 * 1000
const publicUrl = 'https://app.service.example'
const codeOf = ({ body }: Answer) => (body as { error?: { code?: string } }).error?.code

const lookAlikes = [
  'https://service.example',
  'https://evil-service.example',
  'https://evilservice.example',
  'https://service.example.evil.com',
  'https://app.service.example.evil.com',
  'https://app.service.example:444',
  'https://app.service.example@evil.com',
  'https://app.service.example/',
  'https://appXservice.example',
  'https://app.service.examples',
  'http://app.service.example',
  'HTTPS://APP.SERVICE.EXAMPLE',
  'https://app.service.example, https://evil.com',
  'https://-.service.example',
  'https://a_b.service.example',
  'https://xn--.service.example.',
  'file://app.service.example',
  'null',
  ''
]

onDatabase('foreign callers', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), publicUrl, serviceDomain: 'service.example' })
  t.after(() => control.close())
  const { call } = control
  const document = (await call('GET', '/api/openapi.json')).body as OpenApiDocument
  const operations = operationsOf(document)
  const path = (template: string) => template.replace(/\{\w+\}/g, 'x')
  const bodyFor = (method: string, template: string) =>
    method === 'GET' ? undefined : (goodBodies[`${method} ${template}`] ?? {})
  const ask = (method: string, template: string, options: Parameters<typeof call>[2]) =>
    call(method as 'POST', path(template), { body: bodyFor(method, template), ...options })

  await t.test('only the unchanged cookie of a sign-in is accepted', async () => {
    const user = await control.signUp()
    const token = user.cookie.split('=')[1]!
    const signedOut = await control.signIn(user)
    await call('POST', '/api/auth/signout', { cookie: signedOut })
    const random = randomBytes(32).toString('base64url')
    const cookies = [
      'svc_session=',
      'svc_session',
      `svc_session=${random}`,
      `svc_session=${token.slice(0, -1)}`,
      `svc_session=${token.slice(1)}`,
      `svc_session=${token}A`,
      `svc_session=${token.slice(0, -1)}=`,
      `svc_session="${token}"`,
      `svc_session=%${token}`,
      `svc_session=${token}%00`,
      `svc_session=${[...token].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')}`,
      `svc_session=${[...token].reverse().join('')}`,
      `SVC_SESSION=${token}`,
      `__Host-svc_session=${token}`,
      `xsvc_session=${token}`,
      `svc_session.=${token}`,
      `svc_session=${token}; svc_session=${token}`,
      `svc_session=${random}; svc_session=${token}`,
      `svc_session=${token}; svc_session=${random}`,
      `svc_session=${token}; svc_session=`,
      `svc_session=' or 1=1--`,
      `svc_session=${'A'.repeat(8000)}`,
      signedOut
    ]
    const guarded = operations.filter(({ operation }) => operation.security.some((scheme) => 'session' in scheme))
    assert.ok(guarded.length > 10)
    for (const { method, path: template } of guarded) {
      for (const cookie of [undefined, ...cookies]) {
        const answer = await ask(method, template, { cookie })
        const refusal = template.startsWith('/api/admin/') ? [404, 'not_found'] : [401, 'not_authenticated']
        assert.deepEqual([answer.status, codeOf(answer)], refusal, `${method} ${template} ${cookie}`)
      }
    }
    assert.equal((await call('GET', '/api/auth/me', { cookie: user.cookie })).status, 200)
    assert.equal((await call('GET', '/api/auth/me', { cookie: `a=b; ${user.cookie}; c=d` })).status, 200)
  })

  await t.test('cookies from before a password reset and expired cookies are refused', async () => {
    const user = await control.signUp()
    const { mailboxUrl } = control.identity
    const newerThan = await latestMail(mailboxUrl, user.email)
    await call('POST', '/api/auth/forgot-password', { body: { email: user.email } })
    const link = linkIn(await latestMail(mailboxUrl, user.email, { newerThan }))
    const token = link.searchParams.get('token_hash') ?? link.searchParams.get('token')
    const password = 'another horse battery'
    const reset = await call('POST', '/api/auth/reset-password', { body: { token_hash: token, password } })
    assert.deepEqual([reset.status, reset.body], [200, { ok: true }])
    assert.equal(codeOf(await call('GET', '/api/auth/me', { cookie: user.cookie })), 'not_authenticated')
    const cookie = await control.signIn({ email: user.email, password })
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)
    control.passTime(8 * day)
    assert.equal(codeOf(await call('GET', '/api/auth/me', { cookie })), 'not_authenticated')
  })

  await t.test('a page of another origin cannot change anything with a cookie, however similar its name', async () => {
    const { cookie } = await control.signUp()
    // Operations with a signature or a webhook secret are not for pages.
    const unsafe = operations.filter(
      ({ method, operation }) =>
        method !== 'GET' && !operation.security.some((scheme) => 'signature' in scheme || 'webhookSecret' in scheme)
    )
    for (const { method, path: template } of unsafe) {
      for (const origin of lookAlikes) {
        const answer = await ask(method, template, { cookie, origin })
        assert.equal(codeOf(answer), 'csrf_rejected', `${method} ${template} ${origin}: ${answer.status}`)
        assert.equal(answer.status, 403)
        assert.equal(answer.headers['access-control-allow-origin'], undefined, origin)
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b']) {
        const headers = { 'content-type': type }
        const answer = await ask(method, template, { cookie, origin: 'https://evil.com', headers })
        assert.equal(codeOf(answer), 'csrf_rejected', `${method} ${template} as a form`)
      }
    }
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)
    assert.deepEqual((await call('GET', '/api/keys', { cookie })).body, { keys: [], next_cursor: null })
  })

  await t.test('a page of another origin cannot read answers', async () => {
    const { cookie } = await control.signUp()
    for (const { method, path: template } of operations.filter(({ method }) => method === 'GET')) {
      for (const origin of lookAlikes) {
        const { headers } = await ask(method, template, { cookie, origin })
        assert.equal(headers['access-control-allow-origin'], undefined, `${template} ${origin}`)
        assert.equal(headers['access-control-allow-credentials'], undefined, `${template} ${origin}`)
      }
    }
  })

  await t.test('links in mails, redirects and answers follow the configuration, not the Host header', async () => {
    const hosts = [
      'evil.example',
      'app.service.example.evil.example',
      'evil.example:443',
      'evil.example@app.service.example'
    ]
    for (const [index, host] of hosts.entries()) {
      const headers = {
        host,
        'x-forwarded-host': host,
        'x-forwarded-proto': 'http',
        'x-forwarded-server': host,
        forwarded: `host=${host};proto=http`,
        'x-original-url': '/api/keys',
        'x-rewrite-url': '/api/keys'
      }
      const email = `host-${index}@example.com`
      const body = { email, password: 'correct horse battery', name: 'Eve' }
      const answers: unknown[] = []
      answers.push(await call('POST', '/api/auth/register', { body, headers }))
      const { mailboxUrl } = control.identity
      const newerThan = await latestMail(mailboxUrl, email)
      answers.push(newerThan)
      const opened = await call('GET', await control.confirmationLink(email), { headers })
      assert.equal(opened.status, 303)
      assert.match(String(opened.headers.location), /^\/confirm#/)
      const confirmed = await control.confirm(body, { headers })
      assert.equal(confirmed.status, 200)
      answers.push(opened)
      answers.push(confirmed)
      const login = await call('POST', '/api/auth/login', { body: { email, password: body.password }, headers })
      const cookie = login.cookies[0]!.split(';')[0]!
      assert.match(login.cookies[0]!, /; Domain=service\.example; .*; Secure;/)
      answers.push(login, await call('GET', '/api/auth/me', { cookie, headers }))
      answers.push(await call('GET', '/login', { headers }), await call('GET', '/docs/api', { headers }))
      answers.push(await call('GET', '/api/openapi.json', { headers }))
      await call('POST', '/api/auth/forgot-password', { body: { email }, headers })
      answers.push(await latestMail(mailboxUrl, email, { newerThan }))
      assert.doesNotMatch(JSON.stringify(answers), /evil\.example/)
    }
  })

  await t.test('text is kept and given back unchanged, as JSON that browsers never show as a page', async () => {
    const texts = [
      `'; drop table keys; --`,
      `" onmouseover="alert(1)`,
      '<script>alert(document.cookie)</script>',
      '<img src=x onerror=alert(1)>',
      '{{7*7}}<%= 7*7 %>#{7*7}',
      '\\u0000 \\" \\n %00 %s $1 :name ?',
      '../../etc/passwd',
      '\u202eright to left\u202c',
      '\u2028line\u2029separators',
      'Zoë 測試 🧪👩‍👩‍👧',
      ' spaces at both ends ',
      '__proto__'
    ]
    const user = await control.signUp({ plan: 'enterprise' })
    for (const text of texts) {
      const created = await call('POST', '/api/keys', { cookie: user.cookie, body: { label: text } })
      assert.equal(created.status, 201, text)
      const listed = await call('GET', '/api/keys', { cookie: user.cookie })
      assert.equal((listed.body as { keys: Array<{ label: string }> }).keys[0]!.label, text)
      assert.match(String(listed.headers['content-type']), /^application\/json/)
      assert.equal(listed.headers['x-content-type-options'], 'nosniff')
      assert.match(String(listed.headers['content-security-policy']), /default-src 'none'/)
      const renamed = await call('PATCH', '/api/auth/me', { cookie: user.cookie, body: { name: text } })
      assert.equal(renamed.status, 200, text)
      const me = await call('GET', '/api/auth/me', { cookie: user.cookie })
      assert.equal((me.body as { user: { name: string } }).user.name, text)
    }
  })

  await t.test('ids of another account are not found, so nobody learns that they exist', async () => {
    const owner = await control.signUp({ plan: 'team' })
    const other = await control.signUp({ plan: 'team' })
    const created = await call('POST', '/api/keys', { cookie: owner.cookie, body: { label: 'mine' } })
    const invited = await call('POST', '/api/team/seats', { cookie: owner.cookie, body: { email: 'x@example.com' } })
    const ids = [
      (created.body as { key: { id: string } }).key.id,
      (invited.body as { invitation: { id: string } }).invitation.id,
      owner.id
    ]
    const withId = operations.filter(({ path: template }) => template.includes('{id}'))
    assert.ok(withId.length >= 2)
    for (const { method, path: template } of withId) {
      for (const id of ids) {
        const answer = await call(method as 'POST', template.replace('{id}', id), {
          cookie: other.cookie,
          body: bodyFor(method, template)
        })
        assert.equal(answer.status, 404, `${method} ${template} ${id}`)
        assert.equal(codeOf(answer), 'not_found')
      }
    }
    assert.equal((await call('GET', '/api/keys', { cookie: owner.cookie })).status, 200)
    const { keys } = (await call('GET', '/api/keys', { cookie: owner.cookie })).body as { keys: unknown[] }
    assert.equal(keys.length, 1)
  })

  await t.test('all answers matched the OpenAPI document, and none was 5xx', async () => {
    assert.deepEqual([...new Set(control.document.violations)], [])
    assert.deepEqual(
      [...control.document.seen].filter((what) => / 5\d\d /.test(what)),
      []
    )
  })
})
