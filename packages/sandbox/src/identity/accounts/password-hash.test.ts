import assert from 'node:assert/strict'
import { test } from 'tap'
import { defaultPasswordCost as cost, hashPassword, isPasswordOf } from './password-hash.ts'

test('a hash matches only its password, and each hash is different', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse', cost), hashPassword('correct horse', cost)])
  assert.notEqual(one, two)
  assert.doesNotMatch(one, /correct/)
  assert.equal(await isPasswordOf('correct horse', one, cost), true)
  assert.equal(await isPasswordOf('correct horse', two, cost), true)
  assert.equal(await isPasswordOf('correct hors', one, cost), false)
  assert.equal(await isPasswordOf('', one, cost), false)
})

test('without a hash no password matches, and the check takes equally long', async () => {
  const hash = await hashPassword('correct horse', cost)
  const timed = async (of: string | null) => {
    const start = performance.now()
    assert.equal(await isPasswordOf('wrong', of, cost), false)
    return performance.now() - start
  }
  let known = Number.POSITIVE_INFINITY
  let unknown = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    known = Math.min(known, await timed(hash))
    unknown = Math.min(unknown, await timed(null))
  }
  assert.ok(unknown > known / 3, `${unknown} ms without a hash, ${known} ms with one`)
})
