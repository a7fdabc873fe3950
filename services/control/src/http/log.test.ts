import assert from 'node:assert/strict'
import { DrizzleQueryError } from 'drizzle-orm'
import { test } from 'tap'
import { createLog, describeError } from './log.ts'

test('members named like a secret are not logged, at the top or inside', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const secrets = {
    password: 's3cret',
    cookie: 's3cret',
    authorization: 's3cret',
    token_hash: 's3cret',
    value: 's3cret'
  }
  log.info(secrets, 'top')
  log.info({ body: secrets, kept: 'visible' }, 'inside')
  log.info({ request: { headers: { ...secrets, 'set-cookie': ['s3cret'] } } }, 'deeper')
  assert.equal(lines.length, 3)
  assert.equal(lines.join('').includes('s3cret'), false)
  assert(lines[1]!.includes('visible'))
})

test('a failed query is logged with its cause and without its parameters', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const error = new DrizzleQueryError('select $1', ['s3cret'], cause)
  assert(error.message.includes('s3cret'), 'else the test proves nothing')
  const described = describeError(error)
  assert.equal(JSON.stringify(described).includes('s3cret'), false)
  assert.equal(described.message, 'Failed query: select $1')
  assert.equal(described.cause?.code, 'ECONNREFUSED')
  assert.match(String(described.stack), /^ {4}at /)
})

test('any thrown value can be logged', async () => {
  for (const thrown of [null, undefined, 'text', 7, {}, Object.create(null)]) {
    assert.equal(typeof describeError(thrown).message, 'string')
  }
})
