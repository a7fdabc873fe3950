import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'tap'
import { demoUser } from '../demo-data/add-demo-data.ts'
import { demoOperator } from './demo.ts'
import { createLineFilter, describeCommands, describeSystem, type SummaryOptions } from './terminal-output.ts'

const entry = (level: number, msg: string, more = {}) => JSON.stringify({ level, time: 1, msg, ...more })

test('problems: warnings, errors with their cause, and lines outside the log are shown', async () => {
  const show = createLineFilter('problems')
  assert.equal(show('control', entry(30, 'listening')), null)
  assert.equal(show('control', entry(40, 'slow')), '[control] warn: slow')
  assert.equal(
    show('gateway', entry(50, 'redis', { err: { message: 'connect ECONNREFUSED' } })),
    '[gateway] error: redis: connect ECONNREFUSED'
  )
  assert.equal(show('models', 'Error: at large'), '[models] Error: at large')
  assert.equal(show('models', '{"no":"level"}'), '[models] {"no":"level"}')
  assert.equal(show('models', ''), null)
})

test('a repeated problem of a program is skipped, until another problem comes', async () => {
  const show = createLineFilter('problems')
  assert.ok(show('gateway', entry(40, 'redis')))
  assert.equal(show('gateway', entry(40, 'redis')), null)
  assert.ok(show('control', entry(40, 'redis')))
  assert.ok(show('gateway', entry(40, 'catalog')))
  assert.ok(show('gateway', entry(40, 'redis')))
})

test('all: every line is shown', async () => {
  const show = createLineFilter('all')
  assert.equal(show('control', entry(30, 'listening')), '[control] info: listening')
  assert.equal(show('control', entry(30, 'listening')), '[control] info: listening')
})

const options: SummaryOptions = {
  addresses: {
    control: 'http://localhost:3000',
    controls: ['http://127.0.0.1:3000'],
    controlAdmins: ['http://127.0.0.1:9091'],
    gateway: 'http://localhost:8080',
    gateways: ['http://127.0.0.1:8080'],
    gatewayAdmins: ['http://127.0.0.1:9090'],
    identity: 'http://127.0.0.1:4021',
    mailbox: 'http://localhost:4024',
    payments: 'http://127.0.0.1:4025',
    models: 'http://127.0.0.1:4010',
    redis: 'redis://:secret@127.0.0.1:6390',
    database: 'postgres://user:secret@127.0.0.1/x'
  },
  embedded: new Set(['identity', 'payments', 'models']),
  dataDir: '/home/me/.tollgate',
  workspaceRoot: '/home/me',
  user: { ...demoUser, plan: 'pro' },
  model: 'gpt-5-nano',
  seconds: 3.21
}

test('the summary shows addresses, mailbox, demo user and embedded parts, and no password of a real part', async () => {
  const text = describeSystem(options)
  for (const part of [
    'Website            http://localhost:3000\n',
    'localhost:8080/v1',
    'localhost:4024',
    '127.0.0.1:4025',
    demoUser.email,
    demoUser.password,
    `Demo operator      ${demoOperator.email}, same password\n`
  ]) {
    assert.ok(text.includes(part), part)
  }
  assert.match(text, /Embedded .*identity server, payments server, model server;/)
  assert.doesNotMatch(text, /secret/)
  for (const { shell } of describeCommands(options)) assert.ok(text.includes(`\n\n${shell}\n\n`))
})

test('the last lines say which page to open, and how to sign in', async () => {
  const lastLines = (text: string) => text.trimEnd().split('\n').slice(-2)
  assert.deepEqual(lastLines(describeSystem(options)), [
    'Open http://localhost:3000 in your browser.',
    `Sign in as ${demoUser.email} with the password ${demoUser.password}`
  ])
  assert.deepEqual(lastLines(describeSystem({ ...options, user: null })), [
    'Open http://localhost:3000 in your browser.',
    'Create an account, or sign in.'
  ])
})

test('with a real identity provider there is a sign-up command instead of a demo user', async () => {
  const text = describeSystem({
    ...options,
    user: null,
    addresses: { ...options.addresses, mailbox: null, payments: null }
  })
  assert.ok(!text.includes(demoUser.email) && !text.includes(demoOperator.email))
  assert.doesNotMatch(text, /4242/)
  assert.match(text, /api\/auth\/register/)
})

test('without a chat model there are no chat commands', async () => {
  assert.doesNotMatch(describeSystem({ ...options, model: null }), /chat/)
})

test('the commands are valid shell, also with special characters in paths and addresses', async () => {
  const strange = "/home/it's me/$HOME `x`"
  for (const user of [options.user, null]) {
    for (const { shell } of describeCommands({ ...options, user, dataDir: strange, workspaceRoot: strange })) {
      const { status, stderr } = spawnSync('sh', ['-n'], { input: shell, encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      assert.doesNotMatch(shell, /^\s*$|^\s*#/m)
      // Unquoted text must not be expanded either.
      assert.ok(!shell.includes(strange))
    }
  }
})
