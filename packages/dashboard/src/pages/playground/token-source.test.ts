import assert from 'node:assert/strict'
import { test } from 'tap'
import { ApiError } from '../../api/api-error.ts'
import { createTokenSource, fixedKey, withToken } from './token-source.ts'

function world() {
  let time = 0
  let count = 0
  const source = createTokenSource(
    async () => ({ value: `token ${++count}`, expires_in: 900 }),
    () => time
  )
  return { source, pass: (ms: number) => (time += ms), count: () => count }
}
const refused = (code: string) => new ApiError(401, code, 'refused')

test('a token is kept until a minute before its end; calls at once share it', async () => {
  const { source, pass, count } = world()
  assert.deepEqual(await Promise.all([source.get(), source.get()]), ['token 1', 'token 1'])
  pass(840_000)
  assert.equal(await source.get(), 'token 1')
  pass(1)
  assert.equal(await source.get(), 'token 2')
  assert.equal(count(), 2)
})

test('a failed call for a token is repeated with the next call', async () => {
  let fails = true
  const source = createTokenSource(
    async () => {
      if (fails) throw new ApiError(503, 'state_unavailable', 'away')
      return { value: 'token', expires_in: 900 }
    },
    () => 0
  )
  await assert.rejects(source.get(), { code: 'state_unavailable' })
  fails = false
  assert.equal(await source.get(), 'token')
})

test('a refused token is replaced once, and a refused key never', async () => {
  const used: string[] = []
  const call = (accepted: string) => async (token: string) => {
    used.push(token)
    if (token !== accepted) throw refused('revoked_api_key')
    return 'answer'
  }
  const { source } = world()
  assert.equal(await withToken(source, call('token 2')), 'answer')
  await assert.rejects(withToken(source, call('none')), { code: 'revoked_api_key' })
  await assert.rejects(withToken(fixedKey('tg_x'), call('none')), { code: 'revoked_api_key' })
  assert.deepEqual(used, ['token 1', 'token 2', 'token 2', 'token 3', 'tg_x'])
})

test('another failure is not repeated', async () => {
  const { source } = world()
  let calls = 0
  await assert.rejects(
    withToken(source, async () => {
      calls++
      throw new ApiError(402, 'monthly_budget_exceeded', 'no')
    }),
    { code: 'monthly_budget_exceeded' }
  )
  assert.equal(calls, 1)
})
