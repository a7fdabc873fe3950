import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

test('thousands of idle connections do not keep others out', async (t) => {
  const descriptors = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' })) || 10_500
  // Both ends are in this process.
  const count = Math.min(5000, Math.floor((descriptors - 500) / 2))
  const control = await startControl()
  t.after(() => control.close())
  const port = Number(new URL(control.url).port)
  const idle: Socket[] = []
  t.after(() => {
    for (const socket of idle) socket.destroy()
  })
  while (idle.length < count) {
    const some = Array.from({ length: Math.min(100, count - idle.length) }, () => connect(port, '127.0.0.1'))
    idle.push(...some)
    await Promise.all(some.map((socket) => once(socket, 'connect')))
  }
  const user = await control.signUp()
  const answer = await fetch(`${control.url}/api/auth/me`, { headers: { cookie: user.cookie, connection: 'close' } })
  assert.equal(answer.status, 200)
  assert.equal(((await answer.json()) as { user: { id: string } }).user.id, user.id)
  assert.ok(idle.every((socket) => !socket.destroyed))
})
