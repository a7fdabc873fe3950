import assert from 'node:assert/strict'
import { test } from 'tap'
import { noteServerTime, now } from './clock.ts'

const hourMs = 3_600_000

test('a wrong clock of the browser is corrected by the clock of the server, until it is right again', async () => {
  const server = new Date(Date.now() + 48 * hourMs)
  noteServerTime(server.toUTCString())
  assert.ok(Math.abs(now().getTime() - server.getTime()) < hourMs)
  noteServerTime(null)
  assert.ok(Math.abs(now().getTime() - server.getTime()) < hourMs, 'an answer without a date changes nothing')
  noteServerTime(new Date().toUTCString())
  assert.ok(Math.abs(now().getTime() - Date.now()) < hourMs)
})
