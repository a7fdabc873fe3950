import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { defaultPasswordCost } from '@tollgate/sandbox/identity/passwords.ts'
import { defaultMinResponseTimes } from '../auth/auth-context.ts'
import type { RunningControl } from './running-control.ts'
import { startControl } from './start-control.ts'

/**
 * Prints how long answers take for known and for unknown addresses. If the two rows of a pair are alike, the time
 * reveals nothing. Run with `TAP_TIMEOUT=600 node services/control/src/testing/auth-times.ts [rounds]`.
 *
 * The identity server runs in the same process, so any additional work there shows as clearly as it can.
 */
const rounds = Number(process.argv[2] ?? 60)
const password = 'correct horse battery'
const address = () => `${randomUUID()}@example.com`

interface Case {
  name: string
  send(email: string): Promise<unknown>
}

function pairs({ call }: RunningControl): Case[] {
  const post = (path: string, body: Record<string, string>) => call('POST', `/api/auth/${path}`, { body })
  return [
    { name: 'login, known address', send: (email) => post('login', { email, password: 'wrong' }) },
    { name: 'login, unknown address', send: () => post('login', { email: address(), password: 'wrong' }) },
    { name: 'register, known address', send: (email) => post('register', { email, password, name: 'Ada' }) },
    { name: 'register, unknown address', send: () => post('register', { email: address(), password, name: 'Ada' }) },
    { name: 'forgot-password, known address', send: (email) => post('forgot-password', { email }) },
    { name: 'forgot-password, unknown address', send: () => post('forgot-password', { email: address() }) }
  ]
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!

const control = await startControl({ minResponseTimes: defaultMinResponseTimes, passwordCost: defaultPasswordCost })
const cases = pairs(control)
const times = new Map<string, number[]>(cases.map(({ name }) => [name, []]))
const users = await Promise.all(Array.from({ length: 4 }, () => control.signUp()))
for (let round = 0; round < rounds; round++) {
  // Random order, so that a slow request does not always affect the same one.
  for (const { name, send } of cases.toSorted(() => Math.random() - 0.5)) {
    const started = performance.now()
    await send(users[round % users.length]!.email)
    times.get(name)!.push(performance.now() - started)
    // Mails requested after the answer are sent meanwhile.
    await delay(50)
  }
}
for (const [name, measured] of times) {
  const sorted = measured.toSorted((one, other) => one - other)
  const quantiles = [0.5, 0.95, 0.99].map(
    (share) => `p${share * 100} ${quantile(sorted, share).toFixed(1).padStart(7)} ms`
  )
  process.stdout.write(`${name.padEnd(34)}${quantiles.join('  ')}\n`)
}
await control.close()
