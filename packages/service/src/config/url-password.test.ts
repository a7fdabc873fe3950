import assert from 'node:assert/strict'
import { test } from 'tap'
import { checkDatabaseUrl, findUnencodedPassword } from './url-password.ts'

test('a reserved character in a password is named with its code, and the password is not repeated', async () => {
  for (const [url, cure] of [
    ['postgres://app:p@hunter2@db/tollgate', /"@".*%40/],
    ['postgres://app:p#hunter2@db/tollgate', /"#".*%23/],
    ['postgres://app:p/hunter2@db/tollgate', /"\/".*%2F/],
    ['postgres://app:p?hunter2@db/tollgate', /"\?".*%3F/],
    ['postgres://app:12#hunter2@db/tollgate', /"#".*%23/],
    ['redis://:p/hunter2@host:6379/0', /%2F/],
    ['rediss+sentinel://:p#hunter2@s1,s2/main', /%23/]
  ] as const) {
    const problem = findUnencodedPassword(url)
    assert.match(problem ?? '', cure, url)
    assert.doesNotMatch(problem ?? '', /hunter2/)
  }
})

test('correct URLs are accepted', async () => {
  for (const url of [
    'postgres://app:p%40ss@db:5432/tollgate?options=a@b',
    'postgres://db:5432/tollgate',
    'postgres://db?user=a@b',
    'postgres://app:p@one:5432,two:5433/tollgate',
    'pglite:/var/lib/tollgate@home',
    'pglite:memory',
    'postgresql:///tollgate'
  ]) {
    assert.equal(checkDatabaseUrl({ DATABASE_URL: url }), null, url)
  }
  assert.match(checkDatabaseUrl({ DATABASE_URL: 'postgres://app:p%ss@db/x' }) ?? '', /%25/)
})
