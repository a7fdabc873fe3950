import assert from 'node:assert/strict'
import { test } from 'tap'
import { codeOf, problemOfCode } from './read-fields.ts'

function read(code: string): string {
  const data = new FormData()
  data.set('code', code)
  return codeOf(data)
}

test('a recovery code is read with dashes, with spaces, without either, and in either case', async () => {
  for (const typed of ['abcd-efgh-jkmn-pqr2', 'ABCD EFGH JKMN PQR2', ' abcdefghjkmnpqr2 ', 'Abcd–Efgh‑jkmn-\u00a0pqr2'])
    assert.equal(read(typed), 'abcd-efgh-jkmn-pqr2', typed)
  assert.equal(problemOfCode(read('abcd efgh jkmn pqr2')), null)
  assert.match(problemOfCode(read('abcd-efgh')) ?? '', /whole recovery code/)
})

test('the code of an app is read with spaces', async () => {
  assert.equal(read(' 123 456 '), '123456')
  assert.equal(problemOfCode('123456'), null)
  assert.match(problemOfCode('12345') ?? '', /6 digits/)
})
