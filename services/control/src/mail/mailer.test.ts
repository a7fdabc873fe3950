import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type Test, test } from 'tap'
import { createMailer } from './mailer.ts'

const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello\n', html: '<p>Hello</p>' }
const about = { what: 'a test', accountId: 'account-1' }
const password = 'password-of-the-mail-server'

type Line = { level: string; status?: number; code?: string; accountId?: string }

/** A log that tells when it gets a line. */
function openLog() {
  const lines: Line[] = []
  let wake = () => {}
  const write = (level: string) => (line: unknown) => {
    lines.push({ level, ...(line as object) })
    wake()
  }
  return {
    lines,
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    async until(level: string, count = 1): Promise<void> {
      while (lines.filter((line) => line.level === level).length < count)
        await new Promise<void>((resolve) => (wake = resolve))
    }
  }
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

function openMailer(port: number, pausesMs: number[]) {
  const { lines, log, until } = openLog()
  const smtp = {
    ...{ host: '127.0.0.1', port, isTls: false, needsStartTls: false },
    login: { user: 'tollgate', password },
    from: 'Tollgate <no-reply@example.com>'
  }
  return { lines, until, mailer: createMailer({ smtp, log, pausesMs }) }
}

test('a mail that the server refuses for now is sent again', async (t) => {
  const { received, port } = await startMailServer(t, [
    ['MAIL', '451 try later'],
    ['RCPT', '450 busy']
  ])
  const { lines, until, mailer } = openMailer(port, [1, 1, 1])
  assert.equal(mailer.send(mail, about), true)
  await until('info')
  await mailer.stop()
  assert.equal(received.length, 1)
  assert.match(received[0]!, /^To: ada@example\.com$/m)
  assert.match(received[0]!, /^Auto-Submitted: auto-generated$/im)
  assert.deepEqual(
    lines.map(({ level, status }) => [level, status]),
    [
      ['warn', 451],
      ['warn', 450],
      ['info', undefined]
    ]
  )
})

test('a final refusal is logged without the password and the address', async (t) => {
  const repeated = Buffer.from(`\0tollgate\0${password}`).toString('base64')
  const { port } = await startMailServer(t, [
    ['AUTH', `535 not with ${password} or ${repeated}`],
    ['RCPT', '550 nobody is ada@example.com']
  ])
  const { lines, until, mailer } = openMailer(port, [1, 1, 1])
  mailer.send(mail, about)
  await until('error')
  mailer.send(mail, about)
  await mailer.stop()
  assert.deepEqual(
    lines.map(({ level, status, accountId }) => [level, status, accountId]),
    [
      ['error', 535, 'account-1'],
      ['error', 550, 'account-1']
    ]
  )
  for (const secret of [password, repeated, mail.to]) assert.ok(!JSON.stringify(lines).includes(secret))
})

test('a stop ends the pauses between attempts, and a mail gets one more attempt', async (t) => {
  const { received, port } = await startMailServer(t, [['MAIL', '451 try later']])
  const hour = 3_600_000
  const { until, mailer } = openMailer(port, [hour, hour])
  mailer.send(mail, about)
  await until('warn')
  await mailer.stop()
  assert.equal(received.length, 1)
})

test('a connection that the server closed between two mails does no harm', async (t) => {
  const { received, port, disconnect } = await startMailServer(t)
  const { until, mailer } = openMailer(port, [1, 1, 1])
  for (const count of [1, 2]) {
    mailer.send(mail, about)
    await until('info', count)
    assert.equal(disconnect().length, 1)
  }
  await mailer.stop()
  assert.equal(received.length, 2)
})

test('a mail server that is away is no failure for the caller', async () => {
  const { lines, mailer } = openMailer(9, [1, 1])
  assert.equal(mailer.send(mail, about), true)
  await mailer.stop()
  assert.deepEqual(lines.map(({ level }) => level).at(-1), 'error')
})
