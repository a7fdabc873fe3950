import assert from 'node:assert/strict'
import { type Test, test } from 'tap'
import { openDatabase } from '../identity/store/database.ts'
import { buildMailboxApp } from './app.ts'
import { createMailStore, type OutgoingMail } from './mail-store.ts'
import type { MailpitInfo, MailpitList, MailpitMessage } from './mailpit-types.ts'
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
  const get = async <Body>(path: string): Promise<Body> => {
    const response = await fetch(`${url}${path}`)
    assert.equal(response.status, 200, path)
    return response.json() as Promise<Body>
  }
  return { url, mails, get }
}

test('mails are listed newest first, in pages, with the fields of Mailpit', async (t) => {
  const { mails, get } = await openMailbox(t)
  for (let i = 0; i < 60; i++) mails.add(mailTo(`user${i}@example.com`), 1_000 * i)
  const list = await get<MailpitList>('/api/v1/messages')
  const { messages, ...counts } = list
  assert.deepEqual(counts, {
    total: 60,
    unread: 60,
    count: 50,
    messages_count: 60,
    messages_unread: 60,
    start: 0,
    tags: []
  })
  const { ID: id, MessageID: messageId, ...newest } = messages[0]!
  assert.match(id, /^[0-9a-z]{25}$/)
  assert.match(messageId, /@/)
  assert.deepEqual(newest, {
    Read: false,
    From: from,
    To: [{ Name: '', Address: 'user59@example.com' }],
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    Subject: 'Hello user59@example.com',
    Created: '1970-01-01T00:00:59.000Z',
    Tags: [],
    Username: '',
    Size: Buffer.byteLength(mailTo('user59@example.com').html),
    Attachments: 0,
    Snippet: 'Some & text here ( https://example.com/?a=1&b=2 )'
  })
  const page = await get<MailpitList>('/api/v1/messages?start=58&limit=5')
  assert.partialDeepStrictEqual(page, { count: 2, start: 58, total: 60 })
  assert.deepEqual(
    page.messages.map(({ To }) => To[0]?.Address),
    ['user1@example.com', 'user0@example.com']
  )
})

test('a mail is read by its id or as the latest, and is then marked as read', async (t) => {
  const { url, mails, get } = await openMailbox(t)
  mails.add(mailTo('a@example.com'), 0)
  mails.add(mailTo('b@example.com'), 1)
  const latest = await get<MailpitMessage>('/api/v1/message/latest')
  assert.partialDeepStrictEqual(latest, {
    To: [{ Address: 'b@example.com' }],
    Date: '1970-01-01T00:00:00.001Z',
    HTML: mailTo('b@example.com').html,
    Text: 'Some & text\nhere ( https://example.com/?a=1&b=2 )',
    ReturnPath: from.Address
  })
  assert.deepEqual([latest.Attachments, latest.Inline], [[], []])
  assert.deepEqual(await get(`/api/v1/message/${latest.ID}`), latest)
  assert.partialDeepStrictEqual(await get('/api/v1/message/latest?query=to:a@example.com'), {
    To: [{ Address: 'a@example.com' }]
  })
  assert.partialDeepStrictEqual(await get('/api/v1/info'), { Messages: 2, Unread: 0 } satisfies Partial<MailpitInfo>)
  const missing = await fetch(`${url}/api/v1/message/nothing`)
  assert.equal(missing.status, 404)
  const { Error: message } = (await missing.json()) as Record<string, unknown>
  assert.equal(typeof message, 'string')
})

test('a search finds parts of addresses, subjects and text', async (t) => {
  const { url, mails, get } = await openMailbox(t)
  mails.add(mailTo('ada@example.com', { subject: 'Confirm your address' }), 0)
  mails.add(mailTo('bob@example.com', { subject: 'Choose a new password' }), 1)
  const search = async (query: string) => {
    const { messages } = await get<MailpitList>(`/api/v1/search?query=${encodeURIComponent(query)}`)
    return messages.map(({ To }) => To[0]?.Address.split('@')[0])
  }
  assert.deepEqual(await search('to:ada@example.com'), ['ada'])
  assert.deepEqual(await search('to:"ADA@example.com"'), ['ada'])
  assert.deepEqual(await search('to:example.com'), ['bob', 'ada'])
  assert.deepEqual(await search('subject:"new password"'), ['bob'])
  assert.deepEqual(await search('from:tollgate subject:confirm'), ['ada'])
  assert.deepEqual(await search('addressed:bob'), ['bob'])
  assert.deepEqual(await search('some text -to:bob'), ['ada'])
  assert.deepEqual(await search('is:read'), [])
  assert.deepEqual(await search('is:unread'), ['bob', 'ada'])
  assert.deepEqual(await search('https://example.com/?a=1'), ['bob', 'ada'], 'an unknown field is searched as text')
  assert.deepEqual(await search('nothing'), [])
  assert.equal((await fetch(`${url}/api/v1/search`)).status, 400)
})

test('mails are deleted by id, or all of them', async (t) => {
  const { url, mails, get } = await openMailbox(t)
  for (const name of ['a', 'b', 'c']) mails.add(mailTo(`${name}@example.com`), 0)
  const { messages } = await get<MailpitList>('/api/v1/messages')
  const remove = async (body?: string) => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1/messages`, { method: 'DELETE', headers, body })
    assert.equal(await response.text(), 'ok')
    return (await get<MailpitList>('/api/v1/messages')).total
  }
  assert.equal(await remove(JSON.stringify({ IDs: [messages[0]?.ID] })), 2)
  assert.equal(await remove(), 0)
})

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

test('an empty mailbox says so', async (t) => {
  const { url } = await openMailbox(t)
  assert.match(await (await fetch(url)).text(), /No mail yet/)
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

test('only the newest mails are kept', async (t) => {
  const { mails } = await openMailbox(t)
  for (let i = 0; i < 1_010; i++) mails.add(mailTo(`user${i}@example.com`), i)
  const all = mails.all()
  assert.equal(all.length, 1_000)
  assert.equal(all.at(-1)?.to[0]?.Address, 'user10@example.com')
})
