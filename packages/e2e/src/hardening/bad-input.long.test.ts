import assert from 'node:assert/strict'
import { type JsonSchema, type OpenApiDocument, operationsOf } from '@tollgate/contracts/openapi/document.ts'
import { onDatabase } from '@tollgate/control/testing/databases.ts'
import { startControl } from '@tollgate/control/testing/start-control.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { goodBodies } from './bodies.ts'

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)

const json = { 'content-type': 'application/json' }
interface Case {
  name: string
  payload: string | Buffer
  headers?: Record<string, string>
  codes: string[]
}

/** Bodies that every operation refuses. */
const badBodies: Case[] = [
  ...['{', '{"label":', '{"label":"x"', "{'label':'x'}", 'nul', 'NaN', '{} {}', '{"a":1,}', '\ufeff'].map(
    (payload) => ({
      name: `not JSON: ${payload}`,
      payload,
      codes: ['invalid_json']
    })
  ),
  { name: 'a raw NUL', payload: '{"label":"a\0b"}', codes: ['invalid_json'] },
  {
    name: 'not UTF-8',
    payload: Buffer.from([...Buffer.from('{"label":"'), 0xc3, 0x28, 0x22, 0x7d]),
    codes: ['invalid_json']
  },
  { name: 'a member __proto__', payload: '{"__proto__":{"isAdmin":true}}', codes: ['invalid_json'] },
  { name: 'a member __proto__ inside', payload: '{"label":{"__proto__":{"isAdmin":true}}}', codes: ['invalid_json'] },
  {
    name: 'a member __proto__ in disguise',
    payload: '{"\\u005f_proto__":{"isAdmin":true}}',
    codes: ['invalid_json']
  },
  {
    name: 'a prototype by its constructor',
    payload: '{"constructor":{"prototype":{"isAdmin":true}}}',
    codes: ['invalid_json']
  },
  { name: 'more than is read', payload: JSON.stringify({ label: 'x'.repeat(70_000) }), codes: ['request_too_large'] },
  { name: 'deep nesting', payload: `${'['.repeat(30_000)}${']'.repeat(30_000)}`, codes: ['invalid_request'] },
  {
    name: 'deep nesting in a member',
    payload: `{"label":${'{"a":'.repeat(9000)}1${'}'.repeat(9001)}`,
    codes: ['invalid_request']
  },
  ...['[]', '[{}]', '"text"', '1', 'true'].map((payload) => ({
    name: `JSON ${payload}`,
    payload,
    codes: ['invalid_request']
  })),
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    '/'
  ].map((type) => ({
    name: `content type ${type}`,
    payload: '{}',
    headers: { 'content-type': type },
    codes: ['unsupported_media_type']
  })),
  { name: 'no content type', payload: '{}', headers: { 'content-type': '' }, codes: ['unsupported_media_type'] }
]

const mistyped = [null, 1, -1, 1.5, 1e308, 'x', '', true, [], {}, ['x'], { x: 1 }]
const longText = 'x'.repeat(10_240)
/** Mail programs and trackers add parameters to links in mails, and sign-in providers to their answers. */
const openQueries = new Set(['/api/auth/confirm', '/api/auth/callback'])
const identityWebhookSecret = 'the-webhook-secret-of-the-tests'

onDatabase('bad input', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), identityWebhookSecret })
  t.after(() => control.close())
  const { cookie } = await control.signUpOperator()
  const document = (await control.call('GET', '/api/openapi.json')).body as OpenApiDocument
  const operations = operationsOf(document)
  const isSigned = ({ operation }: (typeof operations)[number]) => operation.security.some((one) => 'signature' in one)
  const isReport = ({ operation }: (typeof operations)[number]) =>
    operation.security.some((one) => 'webhookSecret' in one)
  const withBody = operations.filter(
    (operation) => operation.method !== 'GET' && !isSigned(operation) && !isReport(operation)
  )

  const send = async (method: string, path: string, { payload, headers = json }: Pick<Case, 'payload' | 'headers'>) => {
    const response = await control.app.inject({
      method: method as 'POST',
      url: path,
      headers: { cookie, ...headers },
      payload
    })
    return { status: response.statusCode, code: codeIn(response.body), text: response.body }
  }
  const path = (template: string) => template.replace(/\{\w+\}/g, 'x')

  await t.test('every operation with a body is tested', async () => {
    assert.deepEqual(
      withBody.map(({ method, path: template }) => `${method} ${template}`).filter((name) => !(name in goodBodies)),
      []
    )
  })

  for (const { method, path: template, operation } of withBody) {
    const name = `${method} ${template}`
    const good = goodBodies[name] ?? {}
    const schema = operation.requestBody?.content['application/json']?.schema ?? {}
    const accepts = ajv.compile({ ...schema, components: document.components })

    await t.test(`${name}: invalid bodies are refused with the right code`, async () => {
      for (const one of badBodies) {
        const answer = await send(method, path(template), one)
        // Catalogs may be longer than other bodies.
        const codes = template.startsWith('/api/admin/catalog') ? [...one.codes, 'invalid_request'] : one.codes
        assert.ok(codes.includes(answer.code ?? ''), `${one.name}: ${answer.status} ${answer.text.slice(0, 200)}`)
      }
      assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined)
    })

    await t.test(`${name}: missing, unknown, mistyped and out-of-bounds members are refused by name`, async () => {
      assert.ok(accepts(good), `${name}: ${ajv.errorsText(accepts.errors)}`)
      const bodies: Array<[member: string, body: Record<string, unknown>]> = [
        ['surprise', { ...good, surprise: 1 }],
        ['Label', { ...good, Label: 'x' }]
      ]
      for (const member of membersOf(schema)) {
        const { [member]: _left, ...rest } = good
        bodies.push([member, rest])
        for (const value of [...mistyped, longText]) bodies.push([member, { ...good, [member]: value }])
      }
      for (const [member, body] of bodies) {
        if (accepts(body)) continue
        const answer = await send(method, path(template), { payload: JSON.stringify(body) })
        assert.equal(
          answer.code,
          'invalid_request',
          `${JSON.stringify(body).slice(0, 80)}: ${answer.text.slice(0, 200)}`
        )
        assert.equal(answer.status, 400)
        if (Object.keys(good).length > 0 && !('anyOf' in schema)) {
          assert.ok(answer.text.includes(member), `${member}: ${answer.text}`)
        }
      }
    })

    await t.test(`${name}: text that cannot be stored is refused in every member`, async () => {
      for (const member of membersOf(schema)) {
        for (const bad of ['\\u0000', 'a\\u0000b', '\\ud800', 'x\\udfff', '\\udc00\\ud800']) {
          const payload = JSON.stringify({ ...good, [member]: '?' }).replace('"?"', `"${bad}"`)
          const answer = await send(method, path(template), { payload })
          assert.equal(answer.code, 'invalid_request', `${payload}: ${answer.text}`)
        }
      }
    })
  }

  await t.test('invalid reports of the identity provider are refused, with its secret and without', async () => {
    const [{ method, path: template }, ...others] = operations.filter(isReport) as [(typeof operations)[number]]
    assert.deepEqual([template, others], ['/api/auth/webhook', []])
    for (const bad of badBodies) {
      for (const authorization of ['', `Bearer ${identityWebhookSecret}`]) {
        const answer = await send(method, template, { ...bad, headers: { ...json, ...bad.headers, authorization } })
        // Reports may be longer than other bodies.
        const codes = authorization === '' ? ['invalid_webhook_secret'] : [...bad.codes, 'invalid_request']
        assert.ok(codes.includes(answer.code ?? ''), `${bad.name}: ${answer.status} ${answer.text.slice(0, 200)}`)
      }
    }
  })

  await t.test('anything that the payment provider did not sign is refused for that reason', async () => {
    const signed = operations.filter(isSigned)
    assert.ok(signed.length > 0)
    const headers = { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'a'.repeat(64)}` }
    for (const { method, path: template } of signed) {
      for (const bad of badBodies) {
        for (const others of [{}, headers]) {
          const answer = await send(method, template, { ...bad, headers: { ...json, ...bad.headers, ...others } })
          // Any content type is accepted, but it must be a valid one.
          const isInvalidType =
            ['', '/'].includes(bad.headers?.['content-type'] ?? 'none') && 'stripe-signature' in others
          const code = isInvalidType ? 'unsupported_media_type' : 'invalid_signature'
          assert.equal(answer.code, code, `${bad.name}: ${answer.status} ${answer.text}`)
        }
      }
    }
  })

  await t.test('a body may name its charset, and an empty body counts as no body', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const payload = JSON.stringify({ email: 'nobody@example.com', password: 'x' })
    assert.equal((await send('POST', '/api/auth/login', { payload, headers })).code, 'invalid_credentials')
    assert.equal((await send('POST', '/api/auth/login', { payload: '' })).code, 'invalid_request')
  })

  const ids = [
    'x',
    'key_000000000000000000000000',
    '00000000-0000-4000-8000-000000000000',
    "'%20or%201=1;--",
    "';drop%20table%20keys;--",
    '%00',
    'key_00000000000000000000000%00',
    '%ff%fe',
    '%',
    '%zz',
    '%2e%2e%2fauth%2fme',
    '..%5c..%5c',
    '__proto__',
    'constructor',
    '%F0%9F%98%80',
    'x'.repeat(100),
    'x'.repeat(101),
    'x'.repeat(4000)
  ]
  for (const { method, path: template } of operations.filter(({ path: template }) => template.includes('{'))) {
    await t.test(`${method} ${template}: an invalid id is not found`, async () => {
      for (const id of ids) {
        const body = JSON.stringify(goodBodies[`${method} ${template}`] ?? {})
        const answer = await send(
          method,
          template.replace(/\{\w+\}/g, () => id),
          { payload: body }
        )
        const isUnstorable = answer.code === 'invalid_request' && id.includes('%00')
        assert.ok(
          isUnstorable || answer.code === 'not_found' || answer.code === 'invitation_invalid',
          `${id}: ${answer.status} ${answer.text}`
        )
      }
    })
  }

  for (const { method, path: template, operation } of operations.filter(({ method }) => method === 'GET')) {
    const parameters = (operation.parameters ?? []).filter(({ in: place }) => place === 'query')
    const accepted = new Set(parameters.map(({ name }) => name))
    await t.test(`${method} ${template}: no query makes it answer 5xx`, async () => {
      const others = ['surprise', '__proto__', 'a[b]', 'metadata.tenant', 'metadata.']
      const values = ['', '%00', '%ff', '%', "'or'1'='1", '[]', '-1', '1e9', '💥', 'x'.repeat(3000)]
      for (const name of [...accepted, ...others]) {
        for (const value of accepted.has(name) ? values : values.slice(0, 3)) {
          for (const query of accepted.has(name)
            ? [`${name}=${value}`, `${name}=1&${name}=${value}`, name]
            : [`${name}=${value}`]) {
            const response = await control.app.inject({
              method: 'GET',
              url: `${path(template)}?${query}`,
              headers: { cookie }
            })
            assert.ok(response.statusCode < 500, `${query}: ${response.statusCode} ${response.body}`)
          }
        }
      }
      for (const name of ['surprise', '__proto__x', 'Limit']) {
        const answer = await send('GET', `${path(template)}?${name}=1`, { payload: '', headers: {} })
        if (parameters.length > 0 && !openQueries.has(template)) {
          assert.equal(answer.code, 'invalid_request', `${name}: ${answer.text}`)
        }
      }
    })
  }

  await t.test('unknown paths get 404 in the common error shape', async () => {
    for (const url of [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/keys/x/y/z',
      '/api//keys',
      '/api/auth',
      '/api/%6beys%00',
      '/API/KEYS',
      '/%',
      '/%c0%af'
    ]) {
      const response = await control.app.inject({ method: 'PUT', url, headers: { cookie } })
      assert.equal(response.statusCode, 404, url)
      assert.equal(codeIn(response.body), 'not_found', url)
    }
  })

  await t.test('all answers matched the OpenAPI document, and none was 5xx', async () => {
    assert.deepEqual([...new Set(control.document.violations)], [])
    const failures = [...control.document.seen].filter((what) => / 5\d\d /.test(what))
    assert.deepEqual(failures, [])
  })
})

/** The members of a body, in all its alternatives. */
function membersOf(schema: JsonSchema): string[] {
  const alternatives = Array.isArray(schema.anyOf) ? (schema.anyOf as JsonSchema[]) : [schema]
  return [...new Set(alternatives.flatMap(({ properties }) => Object.keys((properties as object) ?? {})))]
}

function codeIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { code?: string } }).error?.code
  } catch {
    return undefined
  }
}
