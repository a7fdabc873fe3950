import assert from 'node:assert/strict'
import { request } from 'node:http'
import { createClient } from '@supabase/supabase-js'
import { test } from 'tap'
import { assertAuthError, newClient, startTestProject, testKeys } from './test-project.ts'

const versioned = { 'x-supabase-api-version': '2024-01-01' }
const keyed = { apikey: testKeys.anonKey }

test('the gateway refuses requests without an API key of the project', async (t) => {
  const { url } = await startTestProject(t)
  for (const path of ['health', 'settings', 'user', 'admin/users']) {
    const response = await fetch(`${url}/auth/v1/${path}`)
    assert.equal(response.status, 401, path)
    assert.partialDeepStrictEqual(await response.json(), { message: 'No API key found in request' })
  }
  const { error } = await newClient(url, 'sb_publishable_other').auth.signInWithPassword({
    email: 'a@x.com',
    password: 'x'
  })
  assertAuthError(error, { name: 'AuthApiError', status: 401, code: undefined, message: 'Invalid API key' })
  assert.equal(
    (await fetch(`${url}/auth/v1/health?apikey=${testKeys.anonKey}`)).status,
    200,
    'the query parameter works, too'
  )
  assert.partialDeepStrictEqual(await (await fetch(`${url}/auth/v1/health`, { headers: keyed })).json(), {
    name: 'GoTrue'
  })
})

test('the key set, mailed links and provider pages need no API key', async (t) => {
  const { url } = await startTestProject(t)
  assert.equal((await fetch(`${url}/auth/v1/.well-known/jwks.json`)).status, 200)
  for (const path of ['verify', 'authorize?provider=github', 'callback']) {
    const response = await fetch(`${url}/auth/v1/${path}`, { redirect: 'manual' })
    assert.equal(response.status, 400, path)
    const { code, error_code: errorCode, msg } = (await response.json()) as Record<string, unknown>
    assert.deepEqual([code, typeof errorCode, typeof msg], [400, 'string', 'string'])
  }
  assert.equal((await fetch(`${url}/auth/v1/verify`, { method: 'POST' })).status, 401)
})

test('errors have the format of the requested API version', async (t) => {
  const { url } = await startTestProject(t)
  const ask = (headers: Record<string, string>) => fetch(`${url}/auth/v1/user`, { headers: { ...keyed, ...headers } })
  const current = await ask(versioned)
  assert.equal(current.headers.get('x-supabase-api-version'), '2024-01-01')
  assert.equal(current.headers.get('x-sb-error-code'), 'bad_jwt')
  const { code, message } = (await current.json()) as Record<string, unknown>
  assert.deepEqual([code, typeof message], ['bad_jwt', 'string'])
  assert.equal(
    (await ask({ 'x-supabase-api-version': '2030-01-01' })).headers.get('x-supabase-api-version'),
    '2024-01-01'
  )
  for (const version of ['2023-12-31', 'latest']) {
    const old = await ask({ 'x-supabase-api-version': version })
    assert.equal(old.headers.get('x-supabase-api-version'), null)
    assert.equal(old.headers.get('x-sb-error-code'), 'bad_jwt')
    const { code, error_code: errorCode, msg } = (await old.json()) as Record<string, unknown>
    assert.deepEqual([code, errorCode, typeof msg], [403, 'bad_jwt', 'string'])
  }
  const fine = await fetch(`${url}/auth/v1/health`, { headers: { ...keyed, ...versioned } })
  assert.equal(fine.headers.get('x-supabase-api-version'), null, 'only errors have the header')
})

test('every body is read as JSON of the right types and of at most 1 MiB, whatever its content type', async (t) => {
  const { url } = await startTestProject(t)
  const post = async (body: string) => {
    const headers = { ...keyed, ...versioned, 'content-type': 'text/plain' }
    const response = await fetch(`${url}/auth/v1/signup`, { method: 'POST', headers, body })
    return { status: response.status, body: await response.json() }
  }
  const bad = { status: 400, body: { code: 'bad_json' } }
  assert.partialDeepStrictEqual(await post('{'), bad)
  assert.partialDeepStrictEqual(await post(''), bad)
  assert.partialDeepStrictEqual(await post('[]'), bad)
  assert.partialDeepStrictEqual(await post('{"email":5,"password":"correct horse"}'), bad)
  assert.partialDeepStrictEqual(await post('{"email":null,"password":"correct horse","data":null,"unknown":1}'), {
    status: 422,
    body: { code: 'anonymous_provider_disabled' }
  })
  assert.partialDeepStrictEqual(await post(JSON.stringify({ data: { x: 'x'.repeat(1_100_000) } })), {
    status: 413,
    body: { code: 'request_entity_too_large' }
  })
  assert.partialDeepStrictEqual(await post('{"email":"a@example.com","password":"correct horse"}'), { status: 200 })
})

test('every path answers in JSON, and unsupported endpoints are named in the error', async (t) => {
  const { url } = await startTestProject(t)
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/rest/v1/users'],
    ['POST', '/auth/v1/sso'],
    ['DELETE', '/auth/v1/user']
  ]) {
    const response = await fetch(`${url}${path}`, { method, headers: { ...keyed, ...versioned } })
    assert.equal(response.status, 404)
    assert.partialDeepStrictEqual(await response.json(), {
      message: `${method} ${path} is not supported by the embedded identity server`
    })
  }
  const response = await fetch(`${url}/auth/v1/%zz`, { headers: { ...keyed, ...versioned } })
  assert.equal(response.status, 400)
  const { code, message } = (await response.json()) as Record<string, unknown>
  assert.deepEqual([code, typeof message], ['validation_failed', 'string'])
})

test('tests can read the client address that a server with the secret key forwards', async (t) => {
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
  assert.deepEqual(await signIn(anonKey, '203.0.113.1'), { forwarded_for: null }, 'ignored with the publishable key')
  assert.deepEqual(await signIn(serviceRoleKey, 'unknown'), { forwarded_for: null }, 'not an address')
  assert.deepEqual(await signIn(serviceRoleKey, '203.0.113.7, 10.0.0.1'), { forwarded_for: '203.0.113.7' })
  assert.deepEqual(await signIn(serviceRoleKey, '2001:db8::1'), { forwarded_for: '2001:db8::1' })
})

test('it listens on 127.0.0.1 only', async (t) => {
  const { url, mailboxUrl } = await startTestProject(t)
  for (const address of [url, mailboxUrl]) {
    assert.equal(new URL(address).hostname, '127.0.0.1')
    // A server on all interfaces would answer on this loopback address, too.
    const refused = new Promise((resolve) => {
      request({ host: '127.0.0.2', port: new URL(address).port }, () => resolve('answered'))
        .once('error', (error) => resolve('code' in error ? error.code : error))
        .end()
    })
    assert.equal(await refused, 'ECONNREFUSED')
  }
})
