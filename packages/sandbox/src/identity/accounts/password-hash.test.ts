import t from 'tap'
import { defaultPasswordCost as cost, hashPassword, isPasswordOf } from './password-hash.ts'

t.test('a hash matches only its password, and each hash is different', async (t) => {
  const [one, two] = await Promise.all([hashPassword('correct horse', cost), hashPassword('correct horse', cost)])
  t.not(one, two)
  t.notMatch(one, 'correct')
  t.equal(await isPasswordOf('correct horse', one, cost), true)
  t.equal(await isPasswordOf('correct horse', two, cost), true)
  t.equal(await isPasswordOf('correct hors', one, cost), false)
  t.equal(await isPasswordOf('', one, cost), false)
})

t.test('without a hash no password matches, and the check takes as long', async (t) => {
  const hash = await hashPassword('correct horse', cost)
  const timed = async (of: string | null) => {
    const start = performance.now()
    t.equal(await isPasswordOf('wrong', of, cost), false)
    return performance.now() - start
  }
  let known = Number.POSITIVE_INFINITY
  let unknown = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    known = Math.min(known, await timed(hash))
    unknown = Math.min(unknown, await timed(null))
  }
  t.ok(unknown > known / 3, `${unknown} ms without a hash, ${known} ms with one`)
})
