import t, { type Test } from 'tap'
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
    t.equal(response.status, 200, path)
    return response.json() as Promise<Body>
  }
  return { url, mails, get }
}

t.test('mails are listed newest first, in pages, with the fields of Mailpit', async (t) => {
  const { mails, get } = await openMailbox(t)
  for (let i = 0; i < 60; i++) mails.add(mailTo(`user${i}@example.com`), 1_000 * i)
  const list = await get<MailpitList>('/api/v1/messages')
  t.match(list, { total: 60, unread: 60, count: 50, messages_count: 60, messages_unread: 60, start: 0, tags: [] })
  t.match(list.messages[0], {
    ID: /^[0-9a-z]{25}$/,
    MessageID: /@/,
    Read: false,
    From: from,
    To: [{ Name: '', Address: 'user59@example.com' }],
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    Subject: 'Hello user59@example.com',
    Created: '1970-01-01T00:00:59.000Z',
    Tags: [],
    Attachments: 0,
    Snippet: 'Some & text here ( https://example.com/?a=1&b=2 )'
  })
  const page = await get<MailpitList>('/api/v1/messages?start=58&limit=5')
  t.match(page, { count: 2, start: 58, total: 60 })
  t.same(
    page.messages.map(({ To }) => To[0]?.Address),
    ['user1@example.com', 'user0@example.com']
  )
})

t.test('a mail is read by its id or as the latest, and is then marked as read', async (t) => {
  const { url, mails, get } = await openMailbox(t)
  mails.add(mailTo('a@example.com'), 0)
  mails.add(mailTo('b@example.com'), 1)
  const latest = await get<MailpitMessage>('/api/v1/message/latest')
  t.match(latest, {
    To: [{ Address: 'b@example.com' }],
    Date: '1970-01-01T00:00:00.001Z',
    HTML: mailTo('b@example.com').html,
    Text: 'Some & text\nhere ( https://example.com/?a=1&b=2 )',
    Attachments: [],
    Inline: [],
    ReturnPath: from.Address
  })
  t.same(await get(`/api/v1/message/${latest.ID}`), latest)
  t.match(await get('/api/v1/message/latest?query=to:a@example.com'), { To: [{ Address: 'a@example.com' }] })
  t.match(await get('/api/v1/info'), { Messages: 2, Unread: 0 } satisfies Partial<MailpitInfo>)
  const missing = await fetch(`${url}/api/v1/message/nothing`)
  t.equal(missing.status, 404)
  t.match(await missing.json(), { Error: String })
})

t.test('a search finds parts of addresses, subjects and text', async (t) => {
  const { url, mails, get } = await openMailbox(t)
  mails.add(mailTo('ada@example.com', { subject: 'Confirm your address' }), 0)
  mails.add(mailTo('bob@example.com', { subject: 'Choose a new password' }), 1)
  const search = async (query: string) => {
    const { messages } = await get<MailpitList>(`/api/v1/search?query=${encodeURIComponent(query)}`)
    return messages.map(({ To }) => To[0]?.Address.split('@')[0])
  }
  t.same(await search('to:ada@example.com'), ['ada'])
  t.same(await search('to:"ADA@example.com"'), ['ada'])
  t.same(await search('to:example.com'), ['bob', 'ada'])
  t.same(await search('subject:"new password"'), ['bob'])
  t.same(await search('from:tollgate subject:confirm'), ['ada'])
  t.same(await search('addressed:bob'), ['bob'])
  t.same(await search('some text -to:bob'), ['ada'])
  t.same(await search('is:read'), [])
  t.same(await search('is:unread'), ['bob', 'ada'])
  t.same(await search('https://example.com/?a=1'), ['bob', 'ada'], 'an unknown field is searched as text')
  t.same(await search('nothing'), [])
  t.equal((await fetch(`${url}/api/v1/search`)).status, 400)
})

t.test('mails are deleted by id, or all of them', async (t) => {
  const { url, mails, get } = await openMailbox(t)
  for (const name of ['a', 'b', 'c']) mails.add(mailTo(`${name}@example.com`), 0)
  const { messages } = await get<MailpitList>('/api/v1/messages')
  const remove = async (body?: string) => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1/messages`, { method: 'DELETE', headers, body })
    t.equal(await response.text(), 'ok')
    return (await get<MailpitList>('/api/v1/messages')).total
  }
  t.equal(await remove(JSON.stringify({ IDs: [messages[0]?.ID] })), 2)
  t.equal(await remove(), 0)
})

t.test('the pages show mails with their links, and no script of a mail runs', async (t) => {
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
  t.match(list.headers.get('content-type'), /^text\/html/)
  t.match(list.headers.get('content-security-policy'), "default-src 'none'")
  const listHtml = await list.text()
  t.notMatch(listHtml, '<script')
  t.ok(listHtml.indexOf('newer@example.com') < listHtml.indexOf('&lt;script&gt;'), 'newest first')

  const id = mails.all().at(-1)?.id
  const mail = await fetch(`${url}/mail/${id}`)
  const html = await mail.text()
  t.match(mail.headers.get('content-security-policy'), "default-src 'none'")
  t.notMatch(html, '<script')
  t.notMatch(html, 'href="javascript:')
  t.match(html, '<a href="https://example.com/?a=1&amp;b=%22" rel="noreferrer">')
  t.match(html, 'srcdoc="&lt;base target=&quot;_blank&quot;&gt;&lt;script&gt;')
  t.equal(html.match(/<\/iframe>/g)?.length, 1, 'a mail cannot close its frame')
  t.notMatch(html, /sandbox="[^"]*(scripts|same-origin|top-navigation)/)
  t.equal(mails.byId(id ?? '')?.isRead, true)
  t.equal((await fetch(`${url}/mail/nothing`)).status, 404)
  t.match((await fetch(`${url}/nothing`)).headers.get('content-type'), /^text\/html/)
  t.match((await fetch(`${url}/api/v2/nothing`)).headers.get('content-type'), /^application\/json/)
})

t.test('an empty mailbox says so', async (t) => {
  const { url } = await openMailbox(t)
  t.match(await (await fetch(url)).text(), 'No mail yet')
})

t.test('latestMail waits for a mail to exactly this address, and linkIn finds its first link', async (t) => {
  const { url, mails } = await openMailbox(t)
  mails.add(mailTo('not-ada@example.com'), 0)
  await t.rejects(latestMail(url, 'ada@example.com', { timeoutMs: 30 }), { message: /ada@example\.com/ })
  const waiting = latestMail(url, 'Ada@example.com')
  mails.add(mailTo('ada@example.com'), 1)
  const first = await waiting
  t.equal(first.Subject, 'Hello ada@example.com')
  t.equal(linkIn(first).href, 'https://example.com/?a=1&b=2')
  await t.rejects(latestMail(url, 'ada@example.com', { timeoutMs: 30, newerThan: first }))
  t.throws(() => linkIn({ HTML: '<p>none</p>', Subject: 's' }), { message: /"s" has no link/ })
})

t.test('only the newest mails are kept', async (t) => {
  const { mails } = await openMailbox(t)
  for (let i = 0; i < 1_010; i++) mails.add(mailTo(`user${i}@example.com`), i)
  const all = mails.all()
  t.equal(all.length, 1_000)
  t.equal(all.at(-1)?.to[0]?.Address, 'user10@example.com')
})
