import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'tap'
import { addUser, startTestProject, type TestProject, testKeys } from '../test-project.ts'

const verifier = 'v'.repeat(64)
const challenge = hash('sha256', verifier, 'base64url')
const email = 'ada@example.com'
const target = 'http://localhost:3000/api/auth/callback?state=s'

const authorizeUrl = ({ url }: TestProject, more: Record<string, string> = {}) =>
  `${url}/auth/v1/authorize?${new URLSearchParams({
    ...{ provider: 'github', code_challenge: challenge, code_challenge_method: 's256', redirect_to: target },
    ...more
  })}`

/** Fills in the page's form. @returns the address that the browser is sent to */
async function choose(project: TestProject, form: Record<string, string>, more: Record<string, string> = {}) {
  const body = new URLSearchParams(form)
  const answer = await fetch(authorizeUrl(project, more), { method: 'POST', body, redirect: 'manual' })
  assert.equal(answer.status, 303, await answer.text())
  return new URL(answer.headers.get('location') ?? '')
}

async function exchange({ url }: TestProject, code: string | null, given = verifier) {
  const answer = await fetch(`${url}/auth/v1/token?grant_type=pkce`, {
    method: 'POST',
    headers: { apikey: testKeys.anonKey, 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ auth_code: code, code_verifier: given })
  })
  return { status: answer.status, body: (await answer.json()) as { code?: string; user?: { id: string } } }
}

const start = (t: Parameters<typeof startTestProject>[0]) => startTestProject(t, { providers: ['github'] })

test('a person signs in, and the code works once, with its verifier', async (t) => {
  const project = await start(t)
  const page = await (await fetch(authorizeUrl(project))).text()
  assert.match(page, /Sign in with github/)
  const back = await choose(project, { email, name: 'Ada' })
  assert.equal(`${back.origin}${back.pathname}`, 'http://localhost:3000/api/auth/callback')
  assert.equal(back.searchParams.get('state'), 's')
  const code = back.searchParams.get('code')
  assert.partialDeepStrictEqual(await exchange(project, code, 'w'.repeat(64)), {
    status: 400,
    body: { code: 'bad_code_verifier' }
  })
  const first = await exchange(project, code)
  assert.equal(first.status, 200)
  assert.partialDeepStrictEqual(await exchange(project, code), { status: 404, body: { code: 'flow_state_not_found' } })
  assert.match(await (await fetch(authorizeUrl(project))).text(), /Continue as ada@example\.com/)
  const again = await exchange(project, (await choose(project, { email, name: 'Ada' })).searchParams.get('code'))
  assert.equal(again.body.user?.id, first.body.user?.id)
  const late = (await choose(project, { email })).searchParams.get('code')
  project.advance(300_001)
  assert.partialDeepStrictEqual(await exchange(project, late), { status: 403, body: { code: 'flow_state_expired' } })
})

test('a verified address links to a confirmed user, and takes the password from an unconfirmed one', async (t) => {
  const project = await start(t)
  const password = 'correct horse'
  const confirmed = await addUser(project, email, password)
  const { body } = await exchange(project, (await choose(project, { email })).searchParams.get('code'))
  assert.equal(body.user?.id, confirmed.id)
  assert.equal((await project.client().auth.signInWithPassword({ email, password })).error, null)

  const squatted = 'grace@example.com'
  await project.client().auth.signUp({ email: squatted, password })
  await choose(project, { email: squatted })
  const refused = await project.client().auth.signInWithPassword({ email: squatted, password })
  assert.equal(refused.error?.code, 'invalid_credentials')
})

test('refusals return to the application; requests without PKCE or of another provider are refused', async (t) => {
  const project = await start(t)
  assert.equal((await choose(project, { deny: '1' })).searchParams.get('error'), 'access_denied')
  const unverified = await choose(project, { email, unverified: 'on' })
  assert.equal(unverified.searchParams.get('error_code'), 'provider_email_needs_verification')
  const elsewhere = await choose(project, { email }, { redirect_to: 'https://evil.example/' })
  assert.equal(elsewhere.origin, 'http://localhost:3000')
  const wrong: Record<string, string>[] = [
    { provider: 'google' },
    { code_challenge_method: '' },
    { code_challenge: 'short' }
  ]
  for (const more of wrong) {
    assert.equal((await fetch(authorizeUrl(project, more))).status, 400)
  }
  const settings = await fetch(`${project.url}/auth/v1/settings`, { headers: { apikey: testKeys.anonKey } })
  assert.partialDeepStrictEqual(await settings.json(), { external: { github: true } })
})
