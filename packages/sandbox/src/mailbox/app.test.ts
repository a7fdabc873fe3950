import assert from 'node:assert/strict'
import { type Test, test } from 'tap'
import { openDatabase } from '../identity/user-store.ts'
import { buildMailboxApp } from './app.ts'
import { createMailStore, type OutgoingMail } from './mail-store.ts'
import { latestMail, linkIn } from './read-mail.ts'

const from = { Name: 'Tollgate', Address: 'no-reply@tollgate.test' }

function mailTo(address: string, values: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    from,
    to: [{ Name: '', Address: address }],
    subject: `Hello ${address}`,
    html: '<title>t</title><p>Some &amp; text</p><a href="https://example.com/?a=1&amp;b=2">here</a>',
    ...values
  }
}

async function openMailbox(t: Test) {
  const database = openDatabase(null)
  const mails = createMailStore(database)
  const app = buildMailboxApp(mails)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    await app.close()
    database.close()
  })
  return { url, mails }
}

test('the pages show mails with their links, and no script of a mail runs', async (t) => {
  const { url, mails } = await openMailbox(t)
  const evil = '<script>alert(1)</script>'
  mails.add(
    mailTo(`x${evil}@example.com`, {
      subject: evil,
      html: `${evil}<p>&lt;script&gt;</p><a href="javascript:alert(1)">a</a><a href="https://example.com/?a=1&amp;b=%22">b</a>"></iframe>`
    }),
    0
  )
  mails.add(mailTo('newer@example.com'), 1)
  const list = await fetch(url)
  assert.match(list.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(list.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const listHtml = await list.text()
  assert.doesNotMatch(listHtml, /<script/)
  assert.ok(listHtml.indexOf('newer@example.com') < listHtml.indexOf('&lt;script&gt;'), 'newest first')

  const id = mails.all().at(-1)?.id
  const mail = await fetch(`${url}/mail/${id}`)
  const html = await mail.text()
  assert.match(mail.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.doesNotMatch(html, /<script/)
  assert.doesNotMatch(html, /href="javascript:/)
  assert.ok(html.includes('<a href="https://example.com/?a=1&amp;b=%22" rel="noreferrer">'))
  assert.match(html, /srcdoc="&lt;base target=&quot;_blank&quot;&gt;&lt;script&gt;/)
  assert.equal(html.match(/<\/iframe>/g)?.length, 1, 'a mail cannot close its frame')
  assert.doesNotMatch(html, /sandbox="[^"]*(scripts|same-origin|top-navigation)/)
  assert.equal(mails.byId(id ?? '')?.isRead, true)
  assert.equal((await fetch(`${url}/mail/nothing`)).status, 404)
  assert.match((await fetch(`${url}/nothing`)).headers.get('content-type') ?? '', /^text\/html/)
  assert.match((await fetch(`${url}/api/v2/nothing`)).headers.get('content-type') ?? '', /^application\/json/)
})

test('latestMail waits for a mail to exactly this address, and linkIn finds its first link', async (t) => {
  const { url, mails } = await openMailbox(t)
  mails.add(mailTo('not-ada@example.com'), 0)
  await assert.rejects(latestMail(url, 'ada@example.com', { timeoutMs: 30 }), { message: /ada@example\.com/ })
  const waiting = latestMail(url, 'Ada@example.com')
  mails.add(mailTo('ada@example.com'), 1)
  const first = await waiting
  assert.equal(first.Subject, 'Hello ada@example.com')
  assert.equal(linkIn(first).href, 'https://example.com/?a=1&b=2')
  await assert.rejects(latestMail(url, 'ada@example.com', { timeoutMs: 30, newerThan: first }))
  assert.throws(() => linkIn({ HTML: '<p>none</p>', Subject: 's' }), { message: /"s" has no link/ })
})
