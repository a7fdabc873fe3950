import assert from 'node:assert/strict'
import { test } from 'tap'
import { RedisAwayError } from './redis-link.ts'
import { RedisRefusedError, withRefusal } from './refused-error.ts'

test('a script that Redis refused counts as not sent, one that failed on its way does not', async () => {
  for (const message of [
    'MOVED 3999 127.0.0.1:6381',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'CLUSTERDOWN The cluster is down',
    "READONLY You can't write against a read only replica.",
    'NOREPLICAS Not enough good replicas to write.',
    "OOM command not allowed when used memory > 'maxmemory'."
  ]) {
    const refusal = withRefusal(Object.assign(new Error(message), { command: { args: ['a secret'] } }))
    assert.ok(refusal instanceof RedisRefusedError && refusal instanceof RedisAwayError, message)
    assert.equal((refusal.cause as Error).message, message)
    assert.ok(!('command' in (refusal.cause as Error)))
  }
  for (const message of [
    "OOM command not allowed when used memory > 'maxmemory'. script: f_5a, on @user_script:12.",
    'ERR user_script:3: not above 0: a rate script: f_5a, on @user_script:3.',
    'Connection is closed.',
    "Socket timeout. Expecting data, but didn't receive any in 1000ms."
  ]) {
    const error = new Error(message)
    assert.equal(withRefusal(error), error)
  }
})
