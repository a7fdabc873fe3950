import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type Test, test } from 'tap'
import { createMailer } from './mailer.ts'

const mail = {
  id: 'd7b6a1a0',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Hello\n',
  html: '<p>Hello</p>',
  unsubscribeUrl: 'https://example.com/api/unsubscribe?token=t'
}
const about = { kind: 'budget', accountId: 'account-1' }
const password = 'password-of-the-mail-server'

type Line = { level: string; status?: number; code?: string; accountId?: string }

function openLog() {
  const lines: Line[] = []
  const write = (level: string) => (line: unknown) => void lines.push({ level, ...(line as object) })
  return { lines, log: { info: write('info'), warn: write('warn') } }
}

/** A mail server that answers some commands with refusals, each used once. */
async function startMailServer(t: Test, refusals: Array<[command: string, reply: string]> = []) {
  const received: string[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    const say = (reply: string) => socket.write(`${reply}\r\n`)
    let content: string[] | null = null
    socket.on('error', () => {})
    say('220 test')
    createInterface(socket).on('line', (line) => {
      const [command = ''] = line.split(' ')
      const refusal = refusals.findIndex(([refused]) => refused === command)
      if (content !== null) {
        if (line !== '.') return content.push(line)
        received.push(content.join('\n'))
        content = null
        say('250 taken')
      } else if (refusal !== -1) {
        say(refusals.splice(refusal, 1)[0]![1])
      } else if (command === 'EHLO') {
        say('250-test\r\n250 AUTH PLAIN')
      } else if (command === 'DATA') {
        content = []
        say('354 go on')
      } else {
        say(command === 'AUTH' ? '235 welcome' : '250 ok')
      }
      return undefined
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { received, port, disconnect: () => sockets.splice(0).map((socket) => socket.destroy()) }
}

function openMailer(t: Test, port: number) {
  const { lines, log } = openLog()
  const smtp = {
    host: '127.0.0.1',
    port,
    isTls: false,
    needsStartTls: false,
    login: { user: 'tollgate', password },
    from: 'Tollgate <no-reply@example.com>'
  }
  const mailer = createMailer({ smtp, log })
  t.after(() => mailer.stop())
  return { lines, mailer }
}

test('a mail has the headers that mail programs need, and the same id in every attempt', async (t) => {
  const { received, port } = await startMailServer(t, [
    ['MAIL', '451 try later'],
    ['RCPT', '450 busy']
  ])
  const { mailer } = openMailer(t, port)
  for (const status of ['451', '450']) {
    assert.deepEqual(await mailer.deliver(mail, about), { outcome: 'later', failure: status })
  }
  for (const unsubscribeUrl of [mail.unsubscribeUrl, null]) {
    assert.deepEqual(await mailer.deliver({ ...mail, unsubscribeUrl }, about), { outcome: 'sent' })
  }
  const [first, required] = received
  for (const header of [
    /^To: ada@example\.com$/m,
    /^Message-ID: <d7b6a1a0@example\.com>$/im,
    /^Auto-Submitted: auto-generated$/im,
    /^List-Unsubscribe: <https:\/\/example\.com\/api\/unsubscribe\?token=t>$/im,
    /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/im
  ]) {
    assert.match(first!, header)
  }
  assert.ok(!/list-unsubscribe/i.test(required!))
})

test('a refusal is logged without the password and the address. Only one of the recipient or the mail is final', async (t) => {
  const repeated = Buffer.from(`\0tollgate\0${password}`).toString('base64')
  const { port } = await startMailServer(t, [
    ['AUTH', `535 not with ${password} or ${repeated}`],
    ['MAIL', '553 not this sender'],
    ['RCPT', '550 nobody is ada@example.com']
  ])
  const { lines, mailer } = openMailer(t, port)
  assert.deepEqual(await mailer.deliver(mail, about), { outcome: 'later', failure: '535' })
  assert.deepEqual(await mailer.deliver(mail, about), { outcome: 'later', failure: '553' })
  assert.deepEqual(await mailer.deliver(mail, about), { outcome: 'refused', failure: '550' })
  assert.deepEqual(
    lines.map(({ status, accountId }) => [status, accountId]),
    [
      [535, 'account-1'],
      [553, 'account-1'],
      [550, 'account-1']
    ]
  )
  for (const secret of [password, repeated, mail.to]) assert.ok(!JSON.stringify(lines).includes(secret))
})

test('a connection that the server closed between two mails does no harm', async (t) => {
  const { received, port, disconnect } = await startMailServer(t)
  const { mailer } = openMailer(t, port)
  for (const _count of [1, 2]) {
    assert.deepEqual(await mailer.deliver(mail, about), { outcome: 'sent' })
    assert.equal(disconnect().length, 1)
  }
  assert.equal(received.length, 2)
})

test('a mail server that is away is asked again later', async (t) => {
  const { mailer } = openMailer(t, 9)
  assert.partialDeepStrictEqual(await mailer.deliver(mail, about), { outcome: 'later' })
})
