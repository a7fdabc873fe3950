import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { type Test, test } from 'tap'
import { openDatabase } from '../identity/store/database.ts'
import { PortTakenError } from '../port-taken-error.ts'
import { createMailStore } from './mail-store.ts'
import { startSmtp } from './start-smtp.ts'

async function open(t: Test) {
  const database = openDatabase(null)
  const mails = createMailStore(database)
  const options = { port: 0, now: () => 0, warn: () => {} }
  const smtp = await startSmtp(mails, options)
  t.after(async () => {
    await smtp.close()
    database.close()
  })
  return { mails, options, port: Number(new URL(smtp.url).port) }
}

/** Sends commands one by one. @returns the status of each answer */
async function talk(port: number, commands: string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  const answers: string[] = []
  const rest = [...commands]
  for await (const line of createInterface(socket)) {
    if (line[3] === '-') continue
    answers.push(line.slice(0, 3))
    const next = rest.shift()
    if (next !== undefined) socket.write(`${next}\r\n`)
  }
  return answers
}

const envelope = ['EHLO test', 'MAIL FROM:<from@example.com>', 'RCPT TO:<ada@example.com>', 'DATA']

test('a mail that arrives by SMTP is in the mailbox, without HTML too', async (t) => {
  const { mails, port } = await open(t)
  const mail =
    'From: Control <from@example.com>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\nOne <two>\r\n..three\r\n.'
  const answers = await talk(port, [...envelope, mail, 'QUIT'])
  assert.deepEqual(answers, ['220', '250', '250', '250', '354', '250', '221'])
  const [received, ...others] = mails.all()
  assert.equal(others.length, 0)
  assert.partialDeepStrictEqual(received, {
    from: { Name: 'Control', Address: 'from@example.com' },
    to: [{ Name: '', Address: 'ada@example.com' }],
    subject: 'Grüße',
    html: '<pre>One &lt;two&gt;\n.three\n</pre>'
  })
})

test('a taken port is reported', async (t) => {
  const { mails, options, port } = await open(t)
  await assert.rejects(startSmtp(mails, { ...options, port }), PortTakenError)
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'data')
  socket.destroy()
})
