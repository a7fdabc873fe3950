import assert from 'node:assert/strict'
import { test } from 'tap'
import { readCaptchaMessage } from './message.ts'

test('only tokens and possible heights are messages of the CAPTCHA', async () => {
  for (const message of [{ token: 'P1_eyJ0' }, { token: '' }, { height: 78 }]) {
    assert.deepEqual(readCaptchaMessage({ ...message, source: 'other' }), message)
  }
  for (const other of [null, undefined, 'token', {}, { token: 1 }, { height: '78' }, { height: 0 }, { height: 1e6 }]) {
    assert.equal(readCaptchaMessage(other), null, JSON.stringify(other))
  }
})
