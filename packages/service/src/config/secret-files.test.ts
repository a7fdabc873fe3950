import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'tap'
import { Type } from 'typebox'
import { ConfigError, loadConfig } from './load-config.ts'
import {
  checkDatabaseUrl,
  fileVariableOf,
  findUnencodedPassword,
  readSecretFiles,
  secretVariables
} from './secret-files.ts'
import { findUnknownVariables } from './unknown-variables.ts'

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

const schema = Type.Object({ REDIS_URL: Type.String({ where: 'Set it' }), SMTP_URL: Type.String({ default: '' }) })

test('a secret may be in a file that NAME_FILE names', async (t) => {
  const directory = t.testdir({ redis: 'redis://:p@host\n', windows: 'smtp://host\r\n' })
  const files = { REDIS_URL_FILE: join(directory, 'redis'), SMTP_URL_FILE: join(directory, 'windows') }
  assert.deepEqual({ ...loadConfig(schema, files) }, { REDIS_URL: 'redis://:p@host', SMTP_URL: 'smtp://host' })
  // A program that gets these variables finds each secret once.
  assert.deepEqual(readSecretFiles({ ...files, PATH: '/bin' }).env, {
    REDIS_URL: 'redis://:p@host',
    SMTP_URL: 'smtp://host',
    PATH: '/bin'
  })
  assert.deepEqual(
    findUnknownVariables(Object.fromEntries(secretVariables.map((name) => [fileVariableOf(name), 'x']))),
    []
  )
})

test('a file that cannot be read, that is empty or that is one of two values stops the start, and is not repeated', async (t) => {
  const directory = t.testdir({ empty: '\n', good: 'redis://host' })
  const problemsOf = (env: Record<string, string>): readonly string[] => {
    try {
      loadConfig(schema, env)
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.problems
    }
    return []
  }
  const good = join(directory, 'good')
  assert.deepEqual(problemsOf({ REDIS_URL_FILE: 'redis://:hunter2@host' }), [
    'REDIS_URL_FILE: the file cannot be read (ENOENT)'
  ])
  assert.deepEqual(problemsOf({ REDIS_URL_FILE: join(directory, 'empty') }), ['REDIS_URL_FILE: the file is empty'])
  assert.deepEqual(problemsOf({ REDIS_URL_FILE: good, REDIS_URL: 'redis://other' }), [
    'REDIS_URL_FILE: REDIS_URL is set, too. Remove one of them'
  ])
  // An empty variable counts as absent, in both places.
  assert.deepEqual(problemsOf({ REDIS_URL_FILE: good, REDIS_URL: '', SMTP_URL_FILE: '' }), [])
  // What this program does not read stays unread.
  assert.deepEqual(problemsOf({ REDIS_URL_FILE: good, DATABASE_URL_FILE: '/nonexistent' }), [])
})
