import { request } from 'node:http'
import { createClient } from '@supabase/supabase-js'
import t from 'tap'
import { newClient, startTestProject, testKeys } from './test-project.ts'

const versioned = { 'x-supabase-api-version': '2024-01-01' }
const keyed = { apikey: testKeys.anonKey }

t.test('the gateway refuses requests without an API key of the project', async (t) => {
  const { url } = await startTestProject(t)
  for (const path of ['health', 'settings', 'user', 'admin/users']) {
    const response = await fetch(`${url}/auth/v1/${path}`)
    t.equal(response.status, 401, path)
    t.match(await response.json(), { message: 'No API key found in request' })
  }
  const { error } = await newClient(url, 'sb_publishable_other').auth.signInWithPassword({
    email: 'a@x.com',
    password: 'x'
  })
  t.match(error, { name: 'AuthApiError', status: 401, code: undefined, message: 'Invalid API key' })
  t.equal(
    (await fetch(`${url}/auth/v1/health?apikey=${testKeys.anonKey}`)).status,
    200,
    'the query parameter works, too'
  )
  t.match(await (await fetch(`${url}/auth/v1/health`, { headers: keyed })).json(), { name: 'GoTrue' })
})

t.test('the key set, mailed links and provider pages need no API key', async (t) => {
  const { url } = await startTestProject(t)
  t.equal((await fetch(`${url}/auth/v1/.well-known/jwks.json`)).status, 200)
  for (const path of ['verify', 'authorize?provider=github', 'callback']) {
    const response = await fetch(`${url}/auth/v1/${path}`, { redirect: 'manual' })
    t.equal(response.status, 400, path)
    t.match(await response.json(), { code: 400, error_code: String, msg: String })
  }
  t.equal((await fetch(`${url}/auth/v1/verify`, { method: 'POST' })).status, 401)
})

t.test('errors have the format of the requested API version', async (t) => {
  const { url } = await startTestProject(t)
  const ask = (headers: Record<string, string>) => fetch(`${url}/auth/v1/user`, { headers: { ...keyed, ...headers } })
  const current = await ask(versioned)
  t.equal(current.headers.get('x-supabase-api-version'), '2024-01-01')
  t.equal(current.headers.get('x-sb-error-code'), 'bad_jwt')
  t.match(await current.json(), { code: 'bad_jwt', message: String })
  t.equal((await ask({ 'x-supabase-api-version': '2030-01-01' })).headers.get('x-supabase-api-version'), '2024-01-01')
  for (const version of ['2023-12-31', 'latest']) {
    const old = await ask({ 'x-supabase-api-version': version })
    t.equal(old.headers.get('x-supabase-api-version'), null)
    t.equal(old.headers.get('x-sb-error-code'), 'bad_jwt')
    t.match(await old.json(), { code: 403, error_code: 'bad_jwt', msg: String })
  }
  const fine = await fetch(`${url}/auth/v1/health`, { headers: { ...keyed, ...versioned } })
  t.equal(fine.headers.get('x-supabase-api-version'), null, 'only errors have the header')
})

t.test('every body is read as JSON of the right types and of at most 1 MiB, whatever its content type', async (t) => {
  const { url } = await startTestProject(t)
  const post = async (body: string) => {
    const headers = { ...keyed, ...versioned, 'content-type': 'text/plain' }
    const response = await fetch(`${url}/auth/v1/signup`, { method: 'POST', headers, body })
    return { status: response.status, body: await response.json() }
  }
  const bad = { status: 400, body: { code: 'bad_json' } }
  t.match(await post('{'), bad)
  t.match(await post(''), bad)
  t.match(await post('[]'), bad)
  t.match(await post('{"email":5,"password":"correct horse"}'), bad)
  t.match(await post('{"email":null,"password":"correct horse","data":null,"unknown":1}'), {
    status: 422,
    body: { code: 'anonymous_provider_disabled' }
  })
  t.match(await post(JSON.stringify({ data: { x: 'x'.repeat(1_100_000) } })), {
    status: 413,
    body: { code: 'request_entity_too_large' }
  })
  t.match(await post('{"email":"a@example.com","password":"correct horse"}'), { status: 200 })
})

t.test('every path answers in JSON, and unsupported endpoints are named in the error', async (t) => {
  const { url } = await startTestProject(t)
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/rest/v1/users'],
    ['POST', '/auth/v1/sso'],
    ['DELETE', '/auth/v1/user']
  ]) {
    const response = await fetch(`${url}${path}`, { method, headers: { ...keyed, ...versioned } })
    t.equal(response.status, 404)
    t.match(await response.json(), { message: `${method} ${path} is not supported by the embedded identity server` })
  }
  const response = await fetch(`${url}/auth/v1/%zz`, { headers: { ...keyed, ...versioned } })
  t.equal(response.status, 400)
  t.match(await response.json(), { code: 'validation_failed', message: String })
})

t.test('tests can read the client address that a server with the secret key forwards', async (t) => {
  const { url } = await startTestProject(t)
  const signIn = async (key: string, forwardedFor: string) => {
    const client = createClient(url, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { headers: { 'Sb-Forwarded-For': forwardedFor } }
    })
    await client.auth.signInWithPassword({ email: 'a@example.com', password: 'x' })
    return (await fetch(`${url}/debug/forwarded-for`)).json()
  }
  const { anonKey, serviceRoleKey } = testKeys
  t.same(await signIn(anonKey, '203.0.113.1'), { forwarded_for: null }, 'ignored with the publishable key')
  t.same(await signIn(serviceRoleKey, 'unknown'), { forwarded_for: null }, 'not an address')
  t.same(await signIn(serviceRoleKey, '203.0.113.7, 10.0.0.1'), { forwarded_for: '203.0.113.7' })
  t.same(await signIn(serviceRoleKey, '2001:db8::1'), { forwarded_for: '2001:db8::1' })
})

t.test('it listens on 127.0.0.1 only', async (t) => {
  const { url, mailboxUrl } = await startTestProject(t)
  for (const address of [url, mailboxUrl]) {
    t.equal(new URL(address).hostname, '127.0.0.1')
    // A server on all interfaces would answer on this loopback address, too.
    const refused = new Promise((resolve) => {
      request({ host: '127.0.0.2', port: new URL(address).port }, () => resolve('answered'))
        .once('error', (error) => resolve('code' in error ? error.code : error))
        .end()
    })
    t.equal(await refused, 'ECONNREFUSED')
  }
})
