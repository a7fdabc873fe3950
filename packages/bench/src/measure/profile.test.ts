import assert from 'node:assert/strict'
import { test } from 'tap'
import { type CpuProfile, summarizeProfile } from './profile.ts'

const undici = 'file:///repo/node_modules/.pnpm/undici@8.12.4/node_modules/undici/lib/dispatcher/client.js'
const own = 'file:///repo/services/gateway/src/relay/relay.ts'

const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: { functionName: '(idle)', url: '', lineNumber: -1 } },
    { id: 2, callFrame: { functionName: 'write', url: undici, lineNumber: 41 } },
    { id: 3, callFrame: { functionName: 'write', url: undici, lineNumber: 41 } },
    { id: 4, callFrame: { functionName: '', url: own, lineNumber: 9 } },
    { id: 5, callFrame: { functionName: 'writev', url: '', lineNumber: -1 } },
    { id: 6, callFrame: { functionName: 'emit', url: 'node:internal/streams/readable', lineNumber: 0 } },
    { id: 7, callFrame: { functionName: '(garbage collector)', url: '', lineNumber: -1 } }
  ],
  samples: [1, 2, 3, 4, 2, 5, 3, 6, 3, 5, 1, 7, 1]
}

test('the time of a function is summed over all its callers, and idle time is left out', async () => {
  const { functions, busySamples } = summarizeProfile(profile)
  assert.equal(busySamples, 10)
  assert.deepEqual(functions[0], { name: 'write undici/lib/dispatcher/client.js:42', share: 0.5 })
  assert.ok(functions.some(({ name }) => name === '(anonymous) gateway/src/relay/relay.ts:10'))
  assert.ok(functions.every(({ name }) => name !== '(idle)'))
})

test('the shares of functions, and of packages, add up to 1', async () => {
  const { functions, packages } = summarizeProfile(profile)
  for (const list of [functions, packages]) {
    assert.ok(Math.abs(list.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-12)
  }
  assert.deepEqual(packages.map(({ name }) => name).sort(), [
    '(garbage collector)',
    '(native functions)',
    'gateway/src/relay',
    'node:internal/streams',
    'undici'
  ])
})
