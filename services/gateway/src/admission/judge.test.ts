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
const catalog = viewOf(1, testCatalog)

t.test('a key is judged by its status, the secret that was presented, and its account', (t) => {
  const allowed = { allowed: true, endsAt: null, endedCode: 'expired_api_key' }
  const rotated = { ...key, digest: other, previous: { digest: presented, until: 500 } }
  t.same(judgeKey({ key, account }, presented), allowed)
  t.same(judgeKey({ key: { ...key, expiresAt: 900 }, account }, presented), { ...allowed, endsAt: 900 })
  t.same(judgeKey({ key: rotated, account }, presented), { allowed: true, endsAt: 500, endedCode: 'revoked_api_key' })
  t.same(judgeKey({ key: rotated, account }, other), allowed, 'the new secret has no grace to run out')
  t.same(judgeKey({ key: { ...rotated, expiresAt: 400 }, account }, presented), { ...allowed, endsAt: 400 })
  const codes: Array<[KeyRecord | null, AccountRecord | null, string]> = [
    [null, account, 'invalid_api_key'],
    [{ ...key, status: 'revoked' }, account, 'revoked_api_key'],
    [{ ...rotated, status: 'revoked' }, account, 'revoked_api_key'],
    [{ ...key, digest: other }, account, 'revoked_api_key'],
    [key, null, 'state_unavailable'],
    [key, { ...account, status: 'suspended' }, 'account_suspended']
  ]
  for (const [key, account, code] of codes) t.same(judgeKey({ key, account }, presented), { allowed: false, code })
  const paused: AccountRecord = { ...account, status: 'suspended', isOwnerInTeam: true }
  t.match(judgeKey({ key, account: paused }, presented), {
    allowed: false,
    code: 'account_suspended',
    message: /personal account that is paused while its owner is in a team/
  })
  t.end()
})

t.test('a model must be of the endpoint’s kind, in the plan, and in the key’s own subset', (t) => {
  const judge = (model: string, models: string[] | null, plan: string) =>
    judgeCall({ key: { ...key, models }, account: { ...account, plan } }, presented, catalog, model, 'chat').allowed
  t.equal(judge('small', null, 'free'), true)
  t.equal(judge('large', null, 'free'), false)
  t.equal(judge('large', null, 'pro'), true)
  t.equal(judge('large', ['small'], 'pro'), false)
  t.equal(judge('large', ['large'], 'free'), false, 'a subset adds nothing to the plan')
  t.equal(judge('small', [], 'pro'), false)
  t.equal(judge('embedder', null, 'pro'), false, 'of another kind')
  t.equal(judge('none', ['none'], 'pro'), false)
  t.equal(judge('small', null, 'no longer sold'), true, 'a plan that is gone counts as the free one')
  t.equal(judge('large', null, 'no longer sold'), false)
  t.end()
})
