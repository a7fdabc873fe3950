import assert from 'node:assert/strict'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import t from 'tap'
import { viewOf } from '../catalog/live-catalog.ts'
import { testCatalog } from '../testing/start-gateway.ts'
import { judgeCall } from './judge.ts'

const presented = 'a'.repeat(64)
const other = 'b'.repeat(64)
const account: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }
const key: KeyRecord = {
  status: 'active',
  digest: presented,
  previous: null,
  expiresAt: null,
  models: null,
  monthlyBudgetNanos: null,
  requestsPerMinute: null
}
const from = { ip: '203.0.113.7' }
const catalog = viewOf(1, testCatalog)

t.test('status, presented secret and account decide whether a key is valid', (t) => {
  const allowed = { allowed: true, endsAt: null, endedCode: 'expired_api_key' }
  const rotated = { ...key, digest: other, previous: { digest: presented, until: 500 } }
  assert.deepEqual(judgeKey({ key, account }, presented, from), allowed)
  assert.deepEqual(judgeKey({ key: { ...key, expiresAt: 900 }, account }, presented, from), { ...allowed, endsAt: 900 })
  assert.deepEqual(judgeKey({ key: rotated, account }, presented, from), {
    allowed: true,
    endsAt: 500,
    endedCode: 'revoked_api_key'
  })
  assert.deepEqual(judgeKey({ key: rotated, account }, other, from), allowed, 'the new secret has no grace')
  assert.deepEqual(judgeKey({ key: { ...rotated, expiresAt: 400 }, account }, presented, from), {
    ...allowed,
    endsAt: 400
  })
  const codes: Array<[KeyRecord | null, AccountRecord | null, string]> = [
    [null, account, 'invalid_api_key'],
    [{ ...key, status: 'revoked' }, account, 'revoked_api_key'],
    [{ ...rotated, status: 'revoked' }, account, 'revoked_api_key'],
    [{ ...key, digest: other }, account, 'revoked_api_key'],
    [{ ...key, status: 'paused' }, account, 'paused_api_key'],
    [{ ...key, status: 'paused', digest: other }, account, 'revoked_api_key'],
    [{ ...key, addresses: ['203.0.113.8'] }, account, 'ip_address_not_allowed'],
    [{ ...key, addresses: [] }, account, 'ip_address_not_allowed'],
    [key, null, 'state_unavailable'],
    [key, { ...account, status: 'suspended' }, 'account_suspended']
  ]
  for (const [key, account, code] of codes)
    assert.deepEqual(judgeKey({ key, account }, presented, from), { allowed: false, code })
  const listed = { key: { ...key, addresses: ['203.0.113.0/24'] }, account }
  assert.deepEqual(judgeKey(listed, presented, from), allowed)
  assert.deepEqual(judgeKey(listed, presented, null), allowed, 'for any address')
  const paused: AccountRecord = { ...account, status: 'suspended', isOwnerInTeam: true }
  const verdict = judgeKey({ key, account: paused }, presented, from)
  assert.partialDeepStrictEqual(verdict, { allowed: false, code: 'account_suspended' })
  assert.match(String(Reflect.get(verdict, 'message')), /personal account that is paused while its owner is in a team/)
  t.end()
})

t.test('a model must be of the endpoint’s kind, in the plan, and in the key’s own subset', (t) => {
  const judge = (model: string, models: string[] | null, plan: string) =>
    judgeCall({ key: { ...key, models }, account: { ...account, plan } }, presented, from, catalog, model, 'chat')
      .allowed
  assert.equal(judge('small', null, 'free'), true)
  assert.equal(judge('large', null, 'free'), false)
  assert.equal(judge('large', null, 'pro'), true)
  assert.equal(judge('large', ['small'], 'pro'), false)
  assert.equal(judge('large', ['large'], 'free'), false, 'a subset adds nothing to the plan')
  assert.equal(judge('small', [], 'pro'), false)
  assert.equal(judge('embedder', null, 'pro'), false, 'of another kind')
  assert.equal(judge('none', ['none'], 'pro'), false)
  assert.equal(judge('small', null, 'no longer sold'), true, 'an unknown plan counts as the free plan')
  assert.equal(judge('large', null, 'no longer sold'), false)
  t.end()
})

t.test('a plan that the catalog lacks counts as the free plan, also with the name of a member of every object', (t) => {
  for (const plan of ['removed', 'constructor', '__proto__', 'toString']) {
    assert.equal(catalog.plan(plan), testCatalog.plans.free)
    assert.equal(catalog.includes(plan, testCatalog.plans.free!.models[0]!), true)
  }
  t.end()
})
