import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Test, test } from 'tap'
import { freePort } from '../free-port.ts'
import { latestMail } from '../mailbox/read-mail.ts'
import { nodeVariables } from '../node-variables.ts'
import { newClient } from './test-project.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

async function prepare(t: Test) {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-identity-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const [port, mailboxPort] = [await freePort(), await freePort()]
  const env: Record<string, string> = {
    SANDBOX_IDENTITY_PORT: String(port),
    SANDBOX_MAILBOX_PORT: String(mailboxPort),
    SANDBOX_SMTP_PORT: String(await freePort()),
    TOLLGATE_DATA_DIR: directory,
    PUBLIC_URL: 'https://app.example.com/',
    SUPABASE_ANON_KEY: 'sb_publishable_main',
    SUPABASE_SERVICE_ROLE_KEY: 'sb_secret_main'
  }
  return { env, port, url: `http://127.0.0.1:${port}`, mailboxUrl: `http://127.0.0.1:${mailboxPort}` }
}

function run(t: Test, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [program], {
    env: { ...nodeVariables(), ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  const [line] = await once(child.stdout, 'data')
  return String(line)
}

/** Runs a program that fails at its start, and returns its output. */
async function failure(t: Test, env: Record<string, string>) {
  const child = run(t, env)
  if (child.stderr === null) throw new Error('no standard error')
  const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code, message }
}

test('it prints when it is ready, stops on SIGTERM and SIGINT, and keeps its data even if it is killed', async (t) => {
  const { env, url, mailboxUrl } = await prepare(t)
  for (const [round, signal] of (['SIGKILL', 'SIGTERM', 'SIGINT'] as const).entries()) {
    const child = run(t, env)
    assert.equal(await firstLine(child), `identity is ready at ${url}; its mailbox is at ${mailboxUrl}\n`)
    const email = `user${round}@example.com`
    const signUp = await newClient(url, 'sb_publishable_main').auth.signUp({ email, password: 'correct horse' })
    assert.equal(signUp.error, null)
    const { data } = await newClient(url, 'sb_secret_main').auth.admin.listUsers()
    assert.equal(data.users.length, round + 1, 'the users of earlier runs exist')
    assert.ok(
      (await latestMail(mailboxUrl, 'user0@example.com')).HTML.includes('https://app.example.com/api/auth/confirm?')
    )
    const ended = once(child, 'exit')
    child.kill(signal)
    assert.deepEqual(await ended, signal === 'SIGKILL' ? [null, 'SIGKILL'] : [0, null], signal)
  }
})

test('its mails have the brand of the settings, as text', async (t) => {
  const { env, url, mailboxUrl } = await prepare(t)
  const name = 'Acme & Söhne <b>AI</b> {{ .Token }}'
  const brand = {
    BRAND_NAME: name,
    BRAND_LOGO_URL: 'https://acme.example/logo.png',
    BRAND_COLOR: '#FFD400',
    SUPPORT_URL: 'mailto:help@acme.example',
    LEGAL_URL: 'https://acme.example/legal'
  }
  await firstLine(run(t, { ...env, ...brand }))
  const { auth } = newClient(url, 'sb_publishable_main')
  assert.equal((await auth.signUp({ email: 'user@example.com', password: 'correct horse' })).error, null)
  const { From, HTML, Text } = await latestMail(mailboxUrl, 'user@example.com')
  assert.deepEqual(From, { Name: name, Address: 'no-reply@mails.test' })
  assert.ok(Text.includes(`Someone registered user@example.com at ${name}.`), Text)
  assert.doesNotMatch(HTML, /tollgate|<b>|\{\{/i)
  for (const part of [
    `<img src="${brand.BRAND_LOGO_URL}"`,
    'background:#ffd400;color:#111111;',
    `href="${brand.SUPPORT_URL}"`,
    `href="${brand.LEGAL_URL}"`
  ]) {
    assert.ok(HTML.includes(part), part)
  }
})

test('it refuses production, missing keys, equal keys and unknown templates, and names each', async (t) => {
  const { env } = await prepare(t)
  const production = await failure(t, { ...env, NODE_ENV: 'production' })
  assert.equal(production.code, 1)
  assert.match(production.message, /NODE_ENV/)
  const incomplete = await failure(t, { ...env, SUPABASE_ANON_KEY: '', SANDBOX_MAIL_TEMPLATES: 'none' })
  assert.equal(incomplete.code, 1)
  assert.match(incomplete.message, /SUPABASE_ANON_KEY/)
  assert.match(incomplete.message, /SANDBOX_MAIL_TEMPLATES/)
  const equal = await failure(t, { ...env, SUPABASE_ANON_KEY: 'sb_secret_main' })
  assert.match(equal.message, /SUPABASE_SERVICE_ROLE_KEY/)
})

test('a taken port is reported with its variable', async (t) => {
  const { env, port } = await prepare(t)
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => new Promise((resolve) => other.close(resolve)))
  const identity = await failure(t, env)
  assert.equal(identity.code, 1)
  assert.ok(identity.message.includes(`Port ${port} (SANDBOX_IDENTITY_PORT) is in use`))
  const free = { ...env, SANDBOX_IDENTITY_PORT: String(await freePort()) }
  for (const variable of ['SANDBOX_MAILBOX_PORT', 'SANDBOX_SMTP_PORT']) {
    const { code, message } = await failure(t, { ...free, [variable]: String(port) })
    assert.equal(code, 1)
    assert.ok(message.includes(`Port ${port} (${variable}) is in use`))
  }
})
