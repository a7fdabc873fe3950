import assert from 'node:assert/strict'
import type { AuthMFAEnrollTOTPResponse } from '@supabase/supabase-js'
import { test } from 'tap'
import { addUser, assertAuthError, startTestProject } from '../test-project.ts'
import { totpCode } from '../tokens/totp.ts'

const email = 'ada@example.com'
const password = 'correct horse'

type Totp = NonNullable<AuthMFAEnrollTOTPResponse['data']>

async function startProject(t: Parameters<typeof startTestProject>[0]) {
  let passedMs = 0
  const now = () => Date.now() + passedMs
  const project = await startTestProject(t, { now })
  const { id: userId } = await addUser(project, email, password)
  const signIn = async () => {
    const { auth } = project.client()
    const { data, error } = await auth.signInWithPassword({ email, password })
    if (error !== null) throw error
    return { auth, user: data.user }
  }
  const enrol = async ({ mfa }: Awaited<ReturnType<typeof signIn>>['auth'], friendlyName?: string): Promise<Totp> => {
    const { data, error } = await mfa.enroll({
      factorType: 'totp',
      ...(friendlyName !== undefined && { friendlyName })
    })
    if (error !== null) throw error
    return data
  }
  const advance = (ms: number) => {
    passedMs += ms
  }
  return { project, userId, now, signIn, enrol, advance }
}

test('a factor is enrolled, verified and then part of the user', async (t) => {
  const { now, signIn, enrol } = await startProject(t)
  const { auth, user } = await signIn()
  assert.equal(user.factors, undefined)
  const { id, totp, type } = await enrol(auth, 'phone')
  assert.equal(type, 'totp')
  assert.match(totp.uri, /^otpauth:\/\/totp\/localhost%3A3000:ada%40example\.com\?/)
  assert.equal(new URL(totp.uri).searchParams.get('secret'), totp.secret)
  assert.match(totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg/)
  assert.partialDeepStrictEqual((await auth.mfa.getAuthenticatorAssuranceLevel()).data, { currentLevel: 'aal1' })

  const wrong = await auth.mfa.challengeAndVerify({ factorId: id, code: '12345x' })
  assertAuthError(wrong.error, { status: 422, code: 'mfa_verification_failed' })
  const right = await auth.mfa.challengeAndVerify({ factorId: id, code: totpCode(totp.secret, now()) })
  assert.equal(right.error, null)
  assert.partialDeepStrictEqual((await auth.mfa.getAuthenticatorAssuranceLevel()).data, {
    currentLevel: 'aal2',
    nextLevel: 'aal2'
  })
  const { user: later } = await signIn()
  assert.partialDeepStrictEqual(later.factors, [
    { id, factor_type: 'totp', status: 'verified', friendly_name: 'phone' }
  ])
  assert.ok(!JSON.stringify(later).includes(totp.secret))
})

test('verifying ends sessions without a second factor, and removes factors that were not verified', async (t) => {
  const { now, signIn, enrol } = await startProject(t)
  const other = await signIn()
  const { auth } = await signIn()
  await enrol(auth, 'left over')
  const { id, totp } = await enrol(auth)
  assert.equal((await auth.mfa.challengeAndVerify({ factorId: id, code: totpCode(totp.secret, now()) })).error, null)
  assertAuthError((await other.auth.getUser()).error, { name: 'AuthSessionMissingError' })
  assert.deepEqual(
    (await auth.mfa.listFactors()).data?.all.map((factor) => factor.id),
    [id]
  )
})

test('a challenge works once, for five minutes; the same code works for another challenge', async (t) => {
  const { now, signIn, enrol, advance } = await startProject(t)
  const { auth } = await signIn()
  const { id: factorId, totp } = await enrol(auth)
  const challenge = async () => (await auth.mfa.challenge({ factorId })).data!.id
  const verify = async (challengeId: string, code = totpCode(totp.secret, now())) =>
    (await auth.mfa.verify({ factorId, challengeId, code })).error
  const first = await challenge()
  const code = totpCode(totp.secret, now())
  assert.equal(await verify(first, code), null)
  assertAuthError(await verify(first), { status: 422, code: 'mfa_ip_address_mismatch' })
  assert.equal(await verify(await challenge(), code), null, 'GoTrue does not remember codes')
  const old = await challenge()
  advance(300_000)
  assertAuthError(await verify(old), { status: 422, code: 'mfa_challenge_expired' })
  assertAuthError(await verify('6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'), {
    status: 422,
    code: 'mfa_factor_not_found'
  })
})

test('only sessions with a second factor can change verified factors', async (t) => {
  const { now, signIn, enrol } = await startProject(t)
  const { auth } = await signIn()
  const { id: factorId, totp } = await enrol(auth, 'one')
  assertAuthError((await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'one' })).error, {
    status: 422,
    code: 'mfa_factor_name_conflict'
  })
  await auth.mfa.challengeAndVerify({ factorId, code: totpCode(totp.secret, now()) })
  const { auth: low } = await signIn()
  assertAuthError((await low.mfa.enroll({ factorType: 'totp' })).error, { status: 403, code: 'insufficient_aal' })
  assertAuthError((await low.mfa.unenroll({ factorId })).error, { status: 422, code: 'insufficient_aal' })
  assertAuthError((await low.updateUser({ password: 'battery staple' })).error, {
    status: 401,
    code: 'insufficient_aal'
  })
  assert.equal((await auth.mfa.unenroll({ factorId })).error, null)
  assertAuthError((await auth.mfa.unenroll({ factorId })).error, { status: 404, code: 'mfa_factor_not_found' })
  assert.equal((await signIn()).user.factors, undefined)
})

test('an operator lists and removes factors', async (t) => {
  const { project, userId, now, signIn, enrol } = await startProject(t)
  const { auth } = await signIn()
  const { id, totp } = await enrol(auth)
  await auth.mfa.challengeAndVerify({ factorId: id, code: totpCode(totp.secret, now()) })
  const { admin } = project.admin().auth
  assert.partialDeepStrictEqual((await admin.getUserById(userId)).data.user?.factors, [{ id, status: 'verified' }])
  assert.partialDeepStrictEqual((await admin.mfa.listFactors({ userId })).data?.factors, [{ id }])
  assertAuthError((await project.client().auth.admin.mfa.listFactors({ userId })).error, {
    status: 403,
    code: 'not_admin'
  })
  assert.equal((await admin.mfa.deleteFactor({ userId, id })).error, null)
  assert.deepEqual((await admin.mfa.listFactors({ userId })).data?.factors, [])
})

test('other kinds of factors and invalid requests are refused', async (t) => {
  const { signIn, enrol, project } = await startProject(t)
  const { auth } = await signIn()
  assertAuthError((await auth.mfa.enroll({ factorType: 'phone', phone: '+491' })).error, {
    code: 'mfa_phone_enroll_not_enabled'
  })
  assertAuthError((await auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'x' })).error, {
    code: 'mfa_webauthn_enroll_not_enabled'
  })
  const { id: factorId } = await enrol(auth)
  const challengeId = (await auth.mfa.challenge({ factorId })).data!.id
  assertAuthError((await auth.mfa.verify({ factorId, challengeId, code: '' })).error, { code: 'validation_failed' })
  assert.notEqual((await project.admin().auth.mfa.enroll({ factorType: 'totp' })).error, null)
})
